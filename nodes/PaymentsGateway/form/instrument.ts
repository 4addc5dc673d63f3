import type { Ach, Card, Instrument } from '../wire';
import type { Complain } from './complain';
import type { Parameters } from './field';
import {
	ach as achField,
	card as cardField,
	gpecomm as gpecommField,
} from './fields/paymentMethod';
import type { instrumentDetails } from './fields/paymentMethod';
import { filledIn } from './filledIn';

/**
 * Reads the card or bank account of a form: checks it and brings it into the shape that the service
 * takes. Saving a payment method and charging share it.
 */

/** Charge takes no GP Ecomm. */
type InstrumentParameters = Partial<Parameters<typeof instrumentDetails>>;

/** What was filled in of the group; where nothing was, its fields do not show in the form. */
function detailsOf<T extends object>(
	group: { details?: T } | undefined,
	{ displayName, placeholder }: { displayName: string; placeholder: string },
	complain: Complain,
) {
	if (group?.details === undefined)
		throw complain(`'${displayName}' is empty: press ${placeholder}`);
	return filledIn(group.details);
}

/** 08/29, and what spreadsheets and forms make of it: 8/29, 08/2029, 0829, 08 / 29, 08-29. */
const EXPIRY = /^(0?[1-9](?=\s*[/-])|0[1-9]|1[0-2])\s*[/-]?\s*(?:20)?(\d{2})$/;

function expiryOf(typed: string, complain: Complain): string {
	const [, month, year] = EXPIRY.exec(typed) ?? [];
	if (month !== undefined) return `${month.padStart(2, '0')}/${year}`;
	throw complain("'Expiry Date' must be month and year, such as 08/29");
}

export function cardDetails({ card }: InstrumentParameters, complain: Complain): Card {
	const details = detailsOf(card, cardField, complain);
	if (details.cardToken === undefined) throw complain("'Card Token' is empty");
	const { expiryDate } = details;
	return expiryDate ? { ...details, expiryDate: expiryOf(expiryDate, complain) } : details;
}

/** A spreadsheet turns a long number into 1.23457E+11, and its digits are lost. */
function guardDigits(label: string, typed: string | undefined, complain: Complain): void {
	if (typed === undefined) throw complain(`'${label}' is empty`);
	if (!/^\d+$/.test(typed)) throw complain(`'${label}' takes digits only`);
}

export function achDetails({ ach }: InstrumentParameters, complain: Complain): Ach {
	const details = detailsOf(ach, achField, complain);
	guardDigits('Account Number', details.accountNumber, complain);
	guardDigits('Routing Number', details.routingNumber, complain);
	return details;
}

/** The one payment method that is chosen to be saved, as the service takes it. */
export function instrumentOf(
	chosen: 'none' | 'card' | 'ach' | 'gpecomm',
	parameters: InstrumentParameters,
	complain: Complain,
): Instrument {
	switch (chosen) {
		case 'none':
			return {};
		case 'card':
			return { card: cardDetails(parameters, complain) };
		case 'ach':
			return { ach: achDetails(parameters, complain) };
		case 'gpecomm': {
			const gpecomm = detailsOf(parameters.gpecomm, gpecommField, complain);
			if (gpecomm.id === undefined) throw complain("'GP Ecomm ID' is empty");
			return { gpecomm };
		}
	}
}
