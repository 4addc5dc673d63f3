import type { Instrument, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';

/**
 * Cards and bank accounts: which of them are declined, stay pending or are returned, and what the
 * gateway stores of one.
 */

export const CARD_TOKEN = 'tok_visa_4242';
export const DECLINED_CARD_TOKEN = 'tok_declined';
export const PENDING_CARD_TOKEN = 'tok_pending';
export const TEST_CARD = { cardToken: CARD_TOKEN, expiryDate: '12/39' };
export const ACCOUNT_NUMBER = '000123456789';
export const ROUTING_NUMBER = '110000000';
export const DECLINED_ACCOUNT_NUMBER = '000000000000';
export const RETURNED_ACCOUNT_NUMBER = '000000009999';

/** Saved cards keep no token, so these four digits decide. */
const DECLINED_LAST4 = '0002';
const PENDING_LAST4 = '0077';
const last4Of: Readonly<Record<string, string>> = {
	[DECLINED_CARD_TOKEN]: DECLINED_LAST4,
	[PENDING_CARD_TOKEN]: PENDING_LAST4,
};

const brands = ['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER'];

/** A token such as tok_amex_0005 is accepted; its last four digits decide whether it pays. */
const BRAND_CARD_TOKEN = new RegExp(`^tok_(${brands.join('|').toLowerCase()})_\\d{4}$`);

/**
 * A token that begins with tok_ must be one of the sandbox's own: a misspelled tok_declined must not pay.
 * Tokens of other kinds may come from any checkout page.
 */
export function isCardToken(token: unknown): boolean {
	if (typeof token !== 'string' || token === '') return false;
	if (!/^\s*tok_/i.test(token)) return true;
	return token in last4Of || BRAND_CARD_TOKEN.test(token);
}

export function holdsMethod({ card, ach, gpecomm }: Instrument): boolean {
	return Boolean(card ?? ach ?? gpecomm);
}

export function createMethod({ card, ach, gpecomm }: Instrument): PaymentMethod {
	const token = card?.cardToken ?? '';
	const digits = ach ? (ach.accountNumber ?? '') : (last4Of[token] ?? token.replace(/\D/g, ''));
	const known = brands.find((brand) => token.toUpperCase().includes(brand));
	return {
		cardID: identifier('pm'),
		type: card ? 'card' : ach ? 'ach' : 'gpecomm',
		isDefault: false,
		last4: digits.length >= 4 ? digits.slice(-4) : '4242',
		brand: ach ? 'ACH' : (known ?? 'VISA'),
		expires: card?.expiryDate ?? '',
		// Unmasked, as stored: the document leaves it open, and this is the worst case.
		cvc: card?.cvc ?? gpecomm?.cvv ?? '',
		accountNumber: ach?.accountNumber ?? '',
		routingNumber: ach?.routingNumber ?? '',
		accountType: ach ? (ach.accountType ?? 'CHECKING') : '',
		accountHolderType: ach ? (ach.accountHolderType ?? 'PERSONAL') : '',
		gpEcommID: gpecomm?.id ?? '',
	};
}

/** Such as "VISA ending in 4242". */
export function methodLabel({ brand, last4 }: PaymentMethod): string {
	return `${brand === 'ACH' ? 'Bank account' : brand} ending in ${last4}`;
}

/** "12/39" is good until the month is over, by UTC. */
function isExpired(expires: string, now: Date): boolean {
	const [month, year] = expires.split('/').map(Number);
	if (month === undefined || year === undefined) return false;
	return Date.UTC(2000 + year, month) <= now.getTime();
}

/** Why a payment with it is declined; empty if it is not. */
export function declineReason({ type, last4, accountNumber, expires }: PaymentMethod, now: Date) {
	if (type === 'ach') {
		return accountNumber === DECLINED_ACCOUNT_NUMBER ? 'Bank account declined' : '';
	}
	if (last4 === DECLINED_LAST4) return 'Card declined';
	return isExpired(expires, now) ? 'Card expired' : '';
}

/** When a payment is captured, and when the bank returns it. A missing time means never. */
export interface CaptureTimes {
	capturedAt?: number;
	returnedAt?: number;
}

/**
 * A card is captured immediately (one that ends in 0077 never), a bank account after
 * `bankCapturesAfter`. A return comes after the same delay again.
 */
export function captureTimesOf(
	{ type, last4, accountNumber }: PaymentMethod,
	now: Date,
	bankCapturesAfter: number,
): CaptureTimes {
	const at = now.getTime();
	if (type === 'card' && last4 === PENDING_LAST4) return {};
	if (type !== 'ach') return { capturedAt: at };
	const capturedAt = at + bankCapturesAfter;
	if (accountNumber !== RETURNED_ACCOUNT_NUMBER) return { capturedAt };
	// Two events of one moment would have no order.
	return { capturedAt, returnedAt: capturedAt + Math.max(1, bankCapturesAfter) };
}

export function captureStateOf({ capturedAt, returnedAt }: CaptureTimes, now: Date) {
	const isPast = (at = Infinity) => at <= now.getTime();
	if (isPast(returnedAt)) return 'returned';
	return isPast(capturedAt) ? 'captured' : 'pending';
}
