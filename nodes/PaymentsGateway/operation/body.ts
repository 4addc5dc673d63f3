import type { Ach, Card, DynamicData, GpEcomm, Instrument, PaymentType } from '../gateway/types';
import { amountOf, percentageOf } from './amount';
import type { Complain } from './params';

/** From filled-in fields to what the service takes. What is empty is not sent. */

type Filled<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value. */
export function filledIn<T extends object>(fields: T): Filled<T> {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
	) as Filled<T>;
}

export function isEmpty(fields: object): boolean {
	return Object.keys(fields).length === 0;
}

interface InstrumentParameters {
	card?: { details?: Card };
	ach?: { details?: Ach };
	gpecomm?: { details?: GpEcomm };
}

const EXPIRY = /^(0[1-9]|1[0-2])\/\d{2}$/;

export function cardDetails({ card }: InstrumentParameters, complain: Complain): Card {
	const details = filledIn(card?.details ?? {});
	if (details.cardToken === undefined) throw complain('"Card Token" is empty');
	if (details.expiryDate !== undefined && !EXPIRY.test(details.expiryDate)) {
		throw complain('"Expiry Date" must be month and year, such as 08/29');
	}
	return details;
}

export function achDetails({ ach }: InstrumentParameters, complain: Complain): Ach {
	const details = filledIn(ach?.details ?? {});
	if (details.accountNumber === undefined) throw complain('"Account Number" is empty');
	if (details.routingNumber === undefined) throw complain('"Routing Number" is empty');
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
			if (gpecomm.id === undefined) throw complain('"GP Ecomm ID" is empty');
			return { gpecomm };
		}
	}
}

interface AdjustmentParameters {
	paymentType?: PaymentType;
	discountCodes?: string[];
	tip?: { details?: { amount: number; type: 'fixed' | 'percentage' } };
	quantityAmounts?: { items?: Array<{ id: string; quantity: number }> };
}

/** Changes to a cart, or undefined when there are none. */
export function adjustments(
	parameters: AdjustmentParameters,
	complain: Complain,
): DynamicData | undefined {
	const tip = parameters.tip?.details;
	if (tip !== undefined) {
		const label = 'Cart Tip Amount (Cents or Percent)';
		if (tip.type === 'fixed') amountOf(label, tip.amount, complain);
		else percentageOf(label, tip.amount, complain);
	}
	const quantities = parameters.quantityAmounts?.items ?? [];
	if (quantities.some(({ id }) => id === '')) throw complain('"Product SKU" is empty');
	const discountCodes = parameters.discountCodes ?? [];
	const data: DynamicData = {
		...(parameters.paymentType === undefined ? {} : { paymentType: parameters.paymentType }),
		...(discountCodes.length === 0 ? {} : { discountCodes }),
		// No tip is a tip of nothing: left out, one that the cart brings along would be charged.
		...(tip === undefined ? {} : { tip }),
		...(quantities.length === 0 ? {} : { quantityAmounts: quantities }),
	};
	return isEmpty(data) ? undefined : data;
}
