import type { Ach, Card, Instrument } from '../wire';
import type { FieldError } from './fieldError';
import type { Parameters } from './field';
import {
	ach as achField,
	card as cardField,
	gpecomm as gpecommField,
} from './fields/paymentMethod';
import type { instrumentDetails } from './fields/paymentMethod';
import { filledIn } from './filledIn';

/**
 * Reads the card or bank account of a form: checks it and brings it into the shape that the gateway
 * takes. Saving a payment method and charging share it.
 */

/** Charge takes no GP Ecomm. */
type InstrumentParameters = Partial<Parameters<typeof instrumentDetails>>;

/** What was filled in of the group; where nothing was, its fields do not show in the form. */
function detailsOf<T extends object>(
	group: { details?: T } | undefined,
	{ displayName, placeholder }: { displayName: string; placeholder: string },
	fieldError: FieldError,
) {
	if (group?.details === undefined)
		throw fieldError(`'${displayName}' is empty: press ${placeholder}`);
	return filledIn(group.details);
}

/** 08/29, and what spreadsheets and forms make of it: 8/29, 08/2029, 0829, 08 / 29, 08-29. */
const EXPIRY = /^(0?[1-9](?=\s*[/-])|0[1-9]|1[0-2])\s*[/-]?\s*(?:20)?(\d{2})$/;

function expiryOf(typed: string, fieldError: FieldError): string {
	const [, month, year] = EXPIRY.exec(typed) ?? [];
	if (month !== undefined) return `${month.padStart(2, '0')}/${year}`;
	throw fieldError("'Expiry Date' must be month and year, such as 08/29");
}

export function cardDetails({ card }: InstrumentParameters, fieldError: FieldError): Card {
	const details = detailsOf(card, cardField, fieldError);
	if (details.cardToken === undefined) throw fieldError("'Card Token' is empty");
	const { expiryDate } = details;
	return expiryDate ? { ...details, expiryDate: expiryOf(expiryDate, fieldError) } : details;
}

/** A spreadsheet turns a long number into 1.23457E+11, and its digits are lost. */
function guardDigits(label: string, typed: string | undefined, fieldError: FieldError): void {
	if (typed === undefined) throw fieldError(`'${label}' is empty`);
	if (!/^\d+$/.test(typed)) throw fieldError(`'${label}' takes digits only`);
}

export function achDetails({ ach }: InstrumentParameters, fieldError: FieldError): Ach {
	const details = detailsOf(ach, achField, fieldError);
	guardDigits('Account Number', details.accountNumber, fieldError);
	guardDigits('Routing Number', details.routingNumber, fieldError);
	return details;
}

/** The one payment method that is chosen to be saved, as the gateway takes it. */
export function instrumentOf(
	chosen: 'none' | 'card' | 'ach' | 'gpecomm',
	parameters: InstrumentParameters,
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
