import type { Ach, Card, Instrument, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';

/**
 * Cards and bank accounts: which test tokens work, which are declined, and what is known of one
 * that was saved.
 */

/** What a payment is made with, saved or entered for once. */
export interface PayingInstrument {
	type: 'card' | 'ach' | 'gpecomm';
	brand: string;
	last4: string;
	/** MM/YY, empty for a bank account. */
	expires: string;
	declined: boolean;
}

/** A saved method with what the service knows of it and never answers. */
export interface SavedMethod {
	method: PaymentMethod;
	instrument: PayingInstrument;
}

export const DECLINED_CARD_TOKEN = 'tok_declined';
export const DECLINED_ACCOUNT_NUMBER = '000000000000';

const brands = ['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER'];

export function cardInstrument({ cardToken = '', expiryDate = '' }: Card): PayingInstrument {
	const name = cardToken.toUpperCase();
	const digits = cardToken.replace(/\D/g, '');
	return {
		type: 'card',
		brand: brands.find((brand) => name.includes(brand)) ?? 'VISA',
		last4: digits.length >= 4 ? digits.slice(-4) : '4242',
		expires: expiryDate,
		declined: cardToken === DECLINED_CARD_TOKEN,
	};
}

export function achInstrument({ accountNumber = '' }: Ach): PayingInstrument {
	return {
		type: 'ach',
		brand: 'ACH',
		last4: accountNumber.slice(-4),
		expires: '',
		declined: accountNumber === DECLINED_ACCOUNT_NUMBER,
	};
}

/** A card is good to the end of the month that stands on it. */
export function hasExpired({ expires }: PayingInstrument, now: Date): boolean {
	const [month, year] = expires.split('/').map(Number);
	if (month === undefined || year === undefined) return false;
	return Date.UTC(2000 + year, month) <= now.getTime();
}

/** Undefined when the form holds no instrument. */
export function savedMethod({ card, ach, gpecomm }: Instrument): SavedMethod | undefined {
	const instrument: PayingInstrument | undefined = card
		? cardInstrument(card)
		: ach
			? achInstrument(ach)
			: gpecomm && {
					type: 'gpecomm',
					brand: 'VISA',
					last4: '4242',
					expires: '',
					declined: false,
				};
	if (!instrument) return undefined;
	return {
		instrument,
		method: {
			cardID: identifier('pm'),
			type: instrument.type,
			isDefault: false,
			last4: instrument.last4,
			brand: instrument.brand,
			expires: instrument.expires,
			// Unmasked, as stored: the service's description leaves it open, and this is the worst case.
			cvc: card?.cvc ?? gpecomm?.cvv ?? '',
			accountNumber: ach?.accountNumber ?? '',
			routingNumber: ach?.routingNumber ?? '',
			accountType: ach ? (ach.accountType ?? 'CHECKING') : '',
			accountHolderType: ach ? (ach.accountHolderType ?? 'PERSONAL') : '',
			gpEcommID: gpecomm?.id ?? '',
		},
	};
}
