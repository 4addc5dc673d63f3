import type { Ach, Card, GpEcomm, Instrument } from '../wire';
import type { Complain } from './complain';
import { filledIn } from './filledIn';

/**
 * Reads the card or bank account of a form: checks it and brings it into the shape that the service
 * takes. Saving a payment method and charging share it.
 */

interface InstrumentParameters {
	card?: { details?: Card } | undefined;
	ach?: { details?: Ach } | undefined;
	gpecomm?: { details?: GpEcomm } | undefined;
}

const EXPIRY = /^(0[1-9]|1[0-2])\/\d{2}$/;

export function cardDetails({ card }: InstrumentParameters, complain: Complain): Card {
	const details = filledIn(card?.details ?? {});
	if (details.cardToken === undefined) throw complain("'Card Token' is empty");
	if (details.expiryDate !== undefined && !EXPIRY.test(details.expiryDate)) {
		throw complain("'Expiry Date' must be month and year, such as 08/29");
	}
	return details;
}

export function achDetails({ ach }: InstrumentParameters, complain: Complain): Ach {
	const details = filledIn(ach?.details ?? {});
	if (details.accountNumber === undefined) throw complain("'Account Number' is empty");
	if (details.routingNumber === undefined) throw complain("'Routing Number' is empty");
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
			const gpecomm = filledIn(parameters.gpecomm?.details ?? {});
			if (gpecomm.id === undefined) throw complain("'GP Ecomm ID' is empty");
			return { gpecomm };
		}
	}
}
