import { tally } from './tally';

/**
 * Secrets as tests plant them, and the search for them in what left: names that services give to
 * them, places where an answer may hold them, and spellings of a token.
 */

/** The names that services give to the number of an account or a card. */
export const ACCOUNT_NAMES = [
	'accountNumber, account_number, ACCOUNT-NUMBER, Account Number, accountnumber',
	'accountNo, acctNumber, acct_no, accNo, AccountNum, accountNbr',
	'bankAccountNumber, primaryAccountNumber, confirmAccountNumber, accountNumber_2',
	'data.accountNumber, ns:accountNumber, ach[accountNumber], routingNumber',
	'routing_no, achRoutingNumber, abaNumber, checkaba, checkaccount, check_account',
	'bank_account, transit_number, cardNumber, card_no, creditcardnumber, ccnumber',
	'cc_number, ccNo, ccNbr, pan, PAN, iban, clabe, bankaccount, accounts[numbers], Acct. No.',
].flatMap((line) => line.split(', '));

/** The names that services give to a security code, and to a card's token as it was sent. */
export const CODE_NAMES = [
	'cvc, CVC, cvv, cvc2, CVV2, cvn, cvd, csc, ccv, cardCvc, card_cvv, cardcvv',
	'card[cvc], payment.card.cvc, cvcCode, cvvNumber, cvv_value, securityCode',
	'security_code, cardSecurityCode, card_code, cardVerificationCode',
	'verification_value, cardToken, card_token, securitycode, cardcode, cardtoken, cvcs',
	'verificationvalue, cardverificationnumber, cardVerificationNumber, securityCodes',
].flatMap((line) => line.split(', '));

const json = (value: unknown) => JSON.stringify(value);

/** Where an answer or an event may hold a field. */
export const PLACES: Readonly<Record<string, (name: string, value: string) => unknown>> = {
	'a field': (name, value) => ({ id: 'a', [name]: value }),
	'a number': (name, value) => ({ [name]: Number(value) || value }),
	'a list under the name': (name, value) => ({ [name]: [value, value] }),
	'a payment method': (name, value) => ({ paymentCards: [{ cardID: '1', [name]: value }] }),
	'a transaction': (name, value) => ({ transaction: { id: 't', amount: 1999, [name]: value } }),
	'what is nested deep': (name, value) => ({ a: [[{ b: { c: [{ [name]: value }] } }]] }),
	'a payload': (name, value) => ({ payload: json({ refund: { [name]: value } }) }),
	'a payload that was encoded twice': (name, value) => ({ payload: json(json({ [name]: value })) }),
	'JSON in JSON': (name, value) => json({ p: json({ q: [{ [name]: value }] }) }),
	'JSON that is a list': (name, value) => json([1, { [name]: [value] }]),
	'JSON with blanks': (name, value) => `\n${JSON.stringify({ [name]: value }, null, 2)}\n`,
	'JSON behind words': (name, value) => `Refused: ${json({ x: 1, [name]: value })} (400)`,
};

const hex = (sign: string) => sign.charCodeAt(0).toString(16);

/** A token as it may come back. */
export const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
	'as it is': (text) => text,
	'in capitals': (text) => text.toUpperCase(),
	'in JSON': (text) => json(text),
	'in JSON in JSON': (text) => json(json(text)),
	'in JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
	'in JSON with \\u003d': (text) =>
		text.replace(/[^\w]/g, (sign) => `\\u${hex(sign).padStart(4, '0')}`),
	'in a URL': (text) => `?token=${encodeURIComponent(text)}&x=1`,
	'in a URL in small letters': (text) =>
		encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
	'in a form': (text) => new URLSearchParams({ token: text }).toString(),
};

/** Undoes what `SPELLINGS` does; written apart from what it checks. */
function plain(text: string): string {
	return text
		.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/\\+(["\\/])/g, '$1');
}

/** Those of the secrets that a text holds. */
export function standingIn(left: unknown, secrets: readonly string[]): string[] {
	const text = typeof left === 'string' ? left : json(left);
	const texts = [text, plain(text)].map((each) => each.toLowerCase());
	return secrets.filter((secret) => texts.some((each) => each.includes(secret.toLowerCase())));
}

/** As `standingIn`, for what must be masked: the search is counted for docs/reliability.md. */
export function foundIn(left: unknown, secrets: readonly string[]): string[] {
	const found = standingIn(left, secrets);
	const counts = { searches: secrets.length, masked: secrets.length - found.length };
	tally('secrets', { ...counts, unclear: found.length });
	return found;
}
