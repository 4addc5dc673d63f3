/** How a field is masked, by its name: the document's names, and common spellings of them. */

type Treatment =
	/** A security code or a card's token. */
	| 'remove'
	/** The number of an account or a card. */
	| 'lastFour'
	/** The merchant's own metadata: no name inside it counts as sensitive. */
	| 'keep';

/** cvc, cvv2, cardCvv, security_code, cardToken. */
const CODE_OR_TOKEN =
	/^(?:card|cc)?(?:cv[cvnd]|csc|ccv|securitycode)(?:number|code|value)?$|^card(?:verification(?:code|number|value)|token|code)$/;
/** accountNumber, acct_no, bankRoutingNumber, cardNumber, pan; not giftCardNumber, which is a product. */
const ACCOUNT_OR_CARD_NUMBER =
	/^(?:[a-z]*(?:account|acct|routing)|aba|transit|(?:credit|debit|payment)?card|cc)(?:number|num|no|nbr)$|^(?:pan|iban|clabe)$/;

/** Undefined for most names: only what is inside their values may be masked. */
export function treatmentOf(fieldName: string): Treatment | undefined {
	// accountNumber, account-number and ACCOUNT_NUMBER are one name, and so are cvv and cvv2.
	const letters = fieldName.toLowerCase().replace(/[^a-z]/g, '');
	if (CODE_OR_TOKEN.test(letters)) return 'remove';
	if (ACCOUNT_OR_CARD_NUMBER.test(letters)) return 'lastFour';
	return letters === 'metadata' ? 'keep' : undefined;
}
