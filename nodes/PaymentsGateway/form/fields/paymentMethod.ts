import type { Field } from '../field';
import { groupOf } from '../group';
import { shownWhen } from '../shownWhen';

/**
 * The form fields about payment methods: the picker of a saved one, and the details of a new one.
 * `form/instrument.ts` checks the details.
 */

export const anyPaymentMethodId = {
	displayName: 'Payment Method',
	name: 'paymentMethodId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'One of the saved cards and bank accounts of the chosen customer',
	typeOptions: { loadOptionsDependsOn: ['customerId.value'] },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchPaymentMethods', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. card_91c2' },
	],
} as const satisfies Field;

export const paymentMethodId = { ...anyPaymentMethodId, required: true } as const satisfies Field;

export const card = {
	displayName: 'Card',
	name: 'card',
	type: 'fixedCollection',
	placeholder: 'Add Card',
	default: {},
	options: groupOf('details', 'Details', [
		{
			displayName: 'Card Token',
			name: 'cardToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'The token that stands for the card, from the tokenization of the gateway',
		},
		{
			displayName: 'CVC',
			name: 'cvc',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'The security code on the card. Never shown again in an output.',
		},
		{
			displayName: 'Expiry Date',
			name: 'expiryDate',
			type: 'string',
			default: '',
			placeholder: 'e.g. 08/29',
			description: 'Month and year',
		},
	]),
} as const satisfies Field;

export const ach = {
	displayName: 'Bank Account (ACH)',
	name: 'ach',
	type: 'fixedCollection',
	placeholder: 'Add Bank Account',
	default: {},
	options: groupOf('details', 'Details', [
		{
			displayName: 'Account Number',
			name: 'accountNumber',
			type: 'string',
			typeOptions: { password: true },
			default: '',
		},
		{
			displayName: 'Routing Number',
			name: 'routingNumber',
			type: 'string',
			typeOptions: { password: true },
			default: '',
		},
		{
			displayName: 'Account Type',
			name: 'accountType',
			type: 'string',
			default: 'CHECKING',
			required: true,
			description: 'As the gateway calls it, such as CHECKING',
		},
		{
			displayName: 'Account Holder Type',
			name: 'accountHolderType',
			type: 'string',
			default: 'PERSONAL',
			required: true,
			description: 'As the gateway calls it, such as PERSONAL',
		},
	]),
} as const satisfies Field;

export const gpecomm = {
	displayName: 'GP Ecomm',
	name: 'gpecomm',
	type: 'fixedCollection',
	placeholder: 'Add GP Ecomm Method',
	default: {},
	options: groupOf('details', 'Details', [
		{ displayName: 'GP Ecomm ID', name: 'id', type: 'string', default: '' },
		{
			displayName: 'GP Ecomm CVV',
			name: 'cvv',
			type: 'string',
			typeOptions: { password: true },
			default: '',
		},
	]),
} as const satisfies Field;

/** The three kinds of payment method that can be saved; the form shows the one that is chosen. */
export const instruments = [
	shownWhen({ instrument: ['card'] }, card),
	shownWhen({ instrument: ['ach'] }, ach),
	shownWhen({ instrument: ['gpecomm'] }, gpecomm),
] as const;

export const skipMultiTokenConvert = {
	displayName: 'Skip Multi-Token Conversion',
	name: 'skipMultiTokenConvert',
	type: 'boolean',
	default: false,
	description:
		'Whether skipMultiTokenConvert is sent as true; what the gateway then does is not documented',
} as const satisfies Field;
