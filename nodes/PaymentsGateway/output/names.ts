/** Which fields are sensitive, by their names: the document's names, and common spellings of them. */

type Kind =
	/** A security code or a card's token: removed. */
	| 'code'
	/** The number of an account or a card: cut to its last four. */
	| 'number'
	/** The merchant's own data: nothing in it is sensitive, whatever its name. */
	| 'metadata';

/** cvc, cvv2, cardCvv, security_code, cardToken. */
const CODE =
	/^(?:card|cc)?(?:cv[cvnd]|csc|ccv|securitycode)(?:number|code|value)?$|^card(?:verification(?:code|number|value)|token|code)$/;
/** accountNumber, acct_no, bankRoutingNumber, cardNumber, pan; not giftCardNumber, which is a product. */
const NUMBER =
	/^(?:[a-z]*(?:account|acct|routing)|aba|transit|(?:credit|debit|payment)?card|cc)(?:number|num|no|nbr)$|^(?:pan|iban|clabe)$/;

/** Undefined for most names: their values are not masked. */
export function kindOf(name: string): Kind | undefined {
	// accountNumber, account-number and ACCOUNT_NUMBER are one name, and so are cvv and cvv2.
	const letters = name.toLowerCase().replace(/[^a-z]/g, '');
	if (CODE.test(letters)) return 'code';
	if (NUMBER.test(letters)) return 'number';
	return letters === 'metadata' ? 'metadata' : undefined;
}
