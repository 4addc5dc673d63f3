import type { Ach, Card, Instrument } from '../wire';
import type { Field, Parameters } from './field';
import type { FieldError } from './fieldError';
import {
	ach as achField,
	card as cardField,
	gpecomm as gpecommField,
} from './fields/paymentMethod';
import type { methodDetails } from './fields/paymentMethod';
import { withoutEmpty } from './empty';

/**
 * Reads the card or bank account of a form: checks it and brings it into the shape that the gateway
 * takes. Saving a payment method and charging share it.
 */

/** Charge takes no GP Ecomm. */
type MethodParameters = Partial<Parameters<typeof methodDetails>>;

/** What was filled in of the group; where nothing was, its fields do not show in the form. */
function detailsOf<T extends object>(
	group: { details?: T } | undefined,
	{ displayName, placeholder }: Field,
	fieldError: FieldError,
) {
	if (group?.details !== undefined) return withoutEmpty(group.details);
	throw fieldError(`'${displayName}' is empty: press ${placeholder}`);
}

const MONTH_AND_YEAR = /^(?:0[1-9]|1[0-2])\/\d\d$/;

export function cardDetails({ card }: MethodParameters, fieldError: FieldError): Card {
	const details = detailsOf(card, cardField, fieldError);
	if (details.cardToken === undefined) throw fieldError("'Card Token' is empty");
	const { expiryDate } = details;
	if (expiryDate !== undefined && !MONTH_AND_YEAR.test(expiryDate)) {
		throw fieldError("'Expiry Date' must be month and year, such as 08/29");
	}
	return details;
}

export function achDetails({ ach }: MethodParameters, fieldError: FieldError): Ach {
	const details = detailsOf(ach, achField, fieldError);
	const numbers = [
		['Account Number', details.accountNumber],
		['Routing Number', details.routingNumber],
	] as const;
	for (const [label, typed] of numbers) {
		if (typed === undefined) throw fieldError(`'${label}' is empty`);
		if (!/^\d+$/.test(typed)) throw fieldError(`'${label}' takes digits only`);
	}
	return details;
}

/** The one payment method that is chosen to be saved, as the gateway takes it. */
export function methodToSave(
	chosen: 'none' | 'card' | 'ach' | 'gpecomm',
	parameters: MethodParameters,
	fieldError: FieldError,
): Instrument {
	switch (chosen) {
		case 'none':
			return {};
		case 'card':
			return { card: cardDetails(parameters, fieldError) };
		case 'ach':
			return { ach: achDetails(parameters, fieldError) };
		case 'gpecomm': {
			const gpecomm = detailsOf(parameters.gpecomm, gpecommField, fieldError);
			if (gpecomm.id === undefined) throw fieldError("'GP Ecomm ID' is empty");
			return { gpecomm };
		}
	}
}
