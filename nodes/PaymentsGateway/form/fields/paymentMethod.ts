import { choice, group, secret, shownWhen, text, toggle } from '../builders';

/**
 * The form fields about payment methods: the picker of a saved one, and the details of a new one.
 * `form/paymentMethod.ts` checks the details.
 */

/** For a form in which there may be no saved payment method. */
export const optionalPaymentMethod = {
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
} as const;

export const paymentMethodId = { ...optionalPaymentMethod, required: true } as const;

export const card = group('Card', 'card', 'Add Card', [
	secret('Card Token', 'cardToken', {
		description:
			'Stands for the card: your checkout page gets it from the gateway when a customer enters a card. Without such a page, send the customer a paylink instead.',
	}),
	secret('CVC', 'cvc', {
		description: 'The security code on the card. Never shown again in an output.',
	}),
	text('Expiry Date', 'expiryDate', {
		placeholder: 'e.g. 08/29',
		description: 'Month and year, each with two digits',
	}),
]);

export const ach = group('Bank Account (ACH)', 'ach', 'Add Bank Account', [
	secret('Account Number', 'accountNumber'),
	secret('Routing Number', 'routingNumber'),
	{
		...text('Account Type', 'accountType', {
			description: 'As the gateway calls it, such as CHECKING',
		}),
		default: 'CHECKING',
		required: true,
	},
	{
		...text('Account Holder Type', 'accountHolderType', {
			description: 'As the gateway calls it, such as PERSONAL',
		}),
		default: 'PERSONAL',
		required: true,
	},
]);

export const gpecomm = group('GP Ecomm', 'gpecomm', 'Add GP Ecomm Method', [
	text('GP Ecomm ID', 'id'),
	secret('GP Ecomm CVV', 'cvv'),
]);

const kinds = { card: 'Card', ach: 'Bank Account (ACH)', gpecomm: 'GP Ecomm' } as const;

/** Stored workflows have it by an older name of payment methods. */
export const methodToSave = choice('Payment Method to Save', 'instrument', kinds);

export const methodToSaveOrNone = choice('Payment Method to Save', 'instrument', {
	none: 'None',
	...kinds,
});

/** The details of each kind; the form shows those of the one that is chosen. */
export const methodDetails = [
	shownWhen({ instrument: ['card'] }, card),
	shownWhen({ instrument: ['ach'] }, ach),
	shownWhen({ instrument: ['gpecomm'] }, gpecomm),
] as const;

export const skipMultiTokenConvert = toggle(
	'Skip Multi-Token Conversion',
	'skipMultiTokenConvert',
	'Whether to pass skipMultiTokenConvert on to the gateway, which defines what it does',
);

// The names that the operations on customers and payment methods still import.
export {
	methodDetails as instrumentDetails,
	methodToSave as instrument,
	methodToSaveOrNone as instrumentOrNone,
};
