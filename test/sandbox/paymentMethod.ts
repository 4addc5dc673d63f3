import type { Instrument, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';

/**
 * Cards and bank accounts: which test tokens work, which are declined, and what is known of one
 * that was saved or is paid with.
 */

export const DECLINED_CARD_TOKEN = 'tok_declined';
/** A card is known by it to be the declined one, as well as by its token. */
const DECLINED_LAST4 = '0002';
export const DECLINED_ACCOUNT_NUMBER = '000000000000';

const brands = ['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER'];

export function holdsMethod({ card, ach, gpecomm }: Instrument): boolean {
	return Boolean(card ?? ach ?? gpecomm);
}

export function methodOf({ card, ach, gpecomm }: Instrument, isDefault = false): PaymentMethod {
	const token = card?.cardToken ?? '';
	const ofToken = token === DECLINED_CARD_TOKEN ? DECLINED_LAST4 : token.replace(/\D/g, '');
	const digits = ach ? (ach.accountNumber ?? '') : ofToken;
	const known = brands.find((brand) => token.toUpperCase().includes(brand));
	return {
		cardID: identifier('pm'),
		type: card ? 'card' : ach ? 'ach' : 'gpecomm',
		isDefault,
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

/** "VISA ending in 4242", as people read it. */
export function spokenMethod({ brand, last4 }: PaymentMethod): string {
	return `${brand === 'ACH' ? 'Bank account' : brand} ending in ${last4}`;
}

export function isDeclined({ type, last4, accountNumber }: PaymentMethod): boolean {
	return type === 'ach' ? accountNumber === DECLINED_ACCOUNT_NUMBER : last4 === DECLINED_LAST4;
}
