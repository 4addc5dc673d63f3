/** What the name of a field says of its value: the document's names, and common spellings of them. */

type Kind =
	/** A security code, or a card's token that was sent: it is left out. */
	| 'code'
	/** The number of an account or a card: it is cut to its last four. */
	| 'number'
	/** The merchant's own: nothing below it is sensitive, whatever its name. */
	| 'metadata';

/** As cvc, cvv2, cardCvv, security_code, cardToken. */
const CODE =
	/^(?:card|cc)?(?:cv[cvnd]|csc|ccv|securitycode)(?:number|code|value)?$|^card(?:verification(?:code|number|value)|token|code)$/;
/** As accountNumber, acct_no, bankRoutingNumber, cardNumber, pan. A gift card is something sold. */
const NUMBER =
	/^(?:[a-z]*(?:account|acct|routing)|aba|transit|(?:credit|debit|payment)?card|cc)(?:number|num|no|nbr)$|^(?:pan|iban|clabe)$/;

/** Undefined for most names: their values leave as they are. */
export function kindOf(name: string): Kind | undefined {
	// accountNumber, account-number and ACCOUNT_NUMBER are one name, and so are cvv and cvv2.
	const letters = name.toLowerCase().replace(/[^a-z]/g, '');
	if (CODE.test(letters)) return 'code';
	if (NUMBER.test(letters)) return 'number';
	return letters === 'metadata' ? 'metadata' : undefined;
}
