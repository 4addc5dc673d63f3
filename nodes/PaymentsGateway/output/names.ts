/**
 * What the name of a field says of its value. The gateway's document names the sensitive ones; the
 * other spellings here are those of other gateways and of people's own habits.
 */

export type Kind =
	/** Left out altogether: a security code, or a card's token that was sent. */
	| 'code'
	/** Cut to the last four: the number of an account or a card. */
	| 'number'
	/** The merchant's own, whatever the names in it. */
	| 'metadata';

/** As cvc, cardCvv, cvv2, security_code, cardToken. */
const CODE =
	/(?:^|_|card|cc)(?:cv[cvnd]|csc|ccv)(?:_?(?:code|number|num|no|value))?s?_?\d{0,2}$|(?:security_?code|card_?code|card_?token|verification_?value|card_?verification_?(?:code|number))s?$/;

/** As accountNumber, acct_no, bankRoutingNumber, cardNumber, checkaccount, IBAN. */
const NUMBER =
	/(?:acc(?:oun)?ts?|routing|aba|transit|cards?|iban|pan)_?(?:number|num|nbr|no)s?_?\d{0,2}$|(?:^|_)(?:(?:cc|acc)_?(?:number|num|nbr|no)|pan|iban|clabe|aba|check_?(?:account|aba)|bank_?account)$/;

/** Every name that is looked for has one of these in it. Most names have none, and are read no further. */
const MAY_BE_OF_A_KIND = /c[vs]|code|token|value|n[ou]|nbr|pan|iban|clabe|aba|account|metadata/i;

/** May say nothing without the name above it: { card: { number: '4111…' } }. */
const PART = /num|no/i;

/** A name's words in small letters: accountNumber, Account-Number and ACCOUNT_NUMBER are one. */
function wordsOf(name: string): string {
	return name
		.replace(/([a-z\d])([A-Z])/g, '$1_$2')
		.replace(/[^A-Za-z\d]+/g, '_')
		.replace(/_$/, '')
		.toLowerCase();
}

/** Undefined for what is neither sensitive nor the merchant's own, as nearly all is. */
export function kindOf(name: string, above: string): Kind | undefined {
	if (!MAY_BE_OF_A_KIND.test(name)) return undefined;
	const words = wordsOf(PART.test(name) ? `${above}_${name}` : name);
	// A gift card is what a merchant sells.
	if (/gift_?card/.test(words)) return undefined;
	if (CODE.test(words)) return 'code';
	if (NUMBER.test(words)) return 'number';
	return words === 'metadata' ? 'metadata' : undefined;
}
