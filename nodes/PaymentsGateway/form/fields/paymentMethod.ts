import type { Field } from '../field';
import { groupOf } from '../group';
import { shownWhen } from '../shownWhen';
import { toggle } from './kinds';

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

/** Hidden while it is typed, and never quoted in an error. */
function secret<const L extends string, const N extends string>(displayName: L, name: N) {
	const typeOptions = { password: true } as const;
	return { displayName, name, type: 'string', typeOptions, default: '' } as const;
}

export const card = {
	displayName: 'Card',
	name: 'card',
	type: 'fixedCollection',
	placeholder: 'Add Card',
	default: {},
	options: groupOf('details', 'Details', [
		{
			...secret('Card Token', 'cardToken'),
			description: 'The token that stands for the card, from the tokenization of the gateway',
		},
		{
			...secret('CVC', 'cvc'),
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
		secret('Account Number', 'accountNumber'),
		secret('Routing Number', 'routingNumber'),
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
		secret('GP Ecomm CVV', 'cvv'),
	]),
} as const satisfies Field;

const kinds = [
	{ name: 'Bank Account (ACH)', value: 'ach' },
	{ name: 'Card', value: 'card' },
	{ name: 'GP Ecomm', value: 'gpecomm' },
] as const;

export const instrument = {
	displayName: 'Payment Method to Save',
	name: 'instrument',
	type: 'options',
	default: 'card',
	options: kinds,
} as const satisfies Field;

export const instrumentOrNone = {
	...instrument,
	default: 'none',
	options: [...kinds, { name: 'None', value: 'none' }],
} as const satisfies Field;

/** The details of each kind; the form shows those of the one that is chosen. */
export const instrumentDetails = [
	shownWhen({ instrument: ['card'] }, card),
	shownWhen({ instrument: ['ach'] }, ach),
	shownWhen({ instrument: ['gpecomm'] }, gpecomm),
] as const;

export const skipMultiTokenConvert = toggle(
	'Skip Multi-Token Conversion',
	'skipMultiTokenConvert',
	'Whether skipMultiTokenConvert is sent as true; what the gateway then does is not documented',
);
