import type { Instrument } from '../../wire';
import {
	choice,
	group,
	picker,
	required,
	requiredPerItem,
	secret,
	shownWhen,
	text,
	toggle,
} from '../builders';
import { withoutEmpty } from '../empty';
import type { ValuesOf } from '../field';

/**
 * The form fields about payment methods: the picker of a saved one, and the details of a new one.
 * Saving a payment method and charging share them.
 */

/** For a form in which there may be no saved payment method. */
export const optionalPaymentMethod = {
	...picker('Payment Method', 'paymentMethodId', {
		description: 'One of the saved cards and bank accounts of the chosen customer',
		searchListMethod: 'searchPaymentMethods',
		modes: [{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. card_91c2' }],
	}),
	typeOptions: { loadOptionsDependsOn: ['customerId.value'] },
} as const;

export const paymentMethodId = required(optionalPaymentMethod);

export const card = group('Card', 'card', { placeholder: 'Add Card', groupName: 'details' }, [
	secret('Card Token', 'cardToken', {
		requiredPerItem: true,
		shape: 'cardToken',
		description:
			'Represents the card: your checkout page gets it from the gateway when a customer enters a card. A card number is refused. Without such a page, send the customer a paylink instead.',
	}),
	secret('CVC', 'cvc', {
		description: 'The security code on the card. Never shown in an output.',
	}),
	text('Expiry Date', 'expiryDate', {
		shape: 'monthAndYear',
		placeholder: 'e.g. 08/29',
		description: 'Month and year, each with two digits',
	}),
]);

export const ach = group(
	'Bank Account (ACH)',
	'ach',
	{ placeholder: 'Add Bank Account', groupName: 'details' },
	[
		secret('Account Number', 'accountNumber', { requiredPerItem: true, shape: 'digits' }),
		secret('Routing Number', 'routingNumber', { requiredPerItem: true, shape: 'digits' }),
		text('Account Type', 'accountType', {
			requiredPerItem: true,
			default: 'CHECKING',
			description: 'As the gateway calls it, such as CHECKING',
		}),
		text('Account Holder Type', 'accountHolderType', {
			requiredPerItem: true,
			default: 'PERSONAL',
			description: 'As the gateway calls it, such as PERSONAL',
		}),
	],
);

const gpecomm = group(
	'GP Ecomm',
	'gpecomm',
	{ placeholder: 'Add GP Ecomm Method', groupName: 'details' },
	[text('GP Ecomm ID', 'id', { requiredPerItem: true }), secret('GP Ecomm CVV', 'cvv')],
);

const kinds = { card: 'Card', ach: 'Bank Account (ACH)', gpecomm: 'GP Ecomm' } as const;

export const methodToSave = choice('Payment Method to Save', 'instrument', kinds);

export const methodToSaveOrNone = choice('Payment Method to Save', 'instrument', {
	none: 'None',
	...kinds,
});

/** The details of each kind; the form shows those of the one that is chosen. */
export const methodDetails = [
	shownWhen({ instrument: ['card'] }, requiredPerItem(card)),
	shownWhen({ instrument: ['ach'] }, requiredPerItem(ach)),
	shownWhen({ instrument: ['gpecomm'] }, requiredPerItem(gpecomm)),
] as const;

export const skipMultiTokenConvert = toggle(
	'Skip Multi-Token Conversion',
	'skipMultiTokenConvert',
	'Whether to pass skipMultiTokenConvert on to the gateway, which defines what it does',
);

type Details = Partial<ValuesOf<typeof methodDetails>>;

/** As the gateway takes it. The form hides the kinds that are not chosen. */
export function instrumentOf({ card, ach, gpecomm }: Details): Instrument {
	return withoutEmpty({
		card: card && withoutEmpty(card.details),
		ach: ach && withoutEmpty(ach.details),
		gpecomm: gpecomm && withoutEmpty(gpecomm.details),
	});
}
