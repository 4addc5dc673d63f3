import { MAY_BE_ESCAPED, unescaped } from './readings';

/**
 * What a field's name says about its value: whether it must be masked, and whether digits in it may
 * equal a secret's by chance. Services spell the same name in many ways (accountNumber, acct_no,
 * ns:AccountNo, cardCvc, cvv2), so names are compared by their letters alone.
 */

export type Sensitive =
	/** Left out altogether: no service needs to hand it back. */
	| 'code'
	/** Masked to the last four. */
	| 'account'
	/** As an account, where the value is a long number: the name alone may mean something else. */
	| 'maybeAccount'
	/** Shown in answers, as any ID is, but not where it was typed. */
	| 'cardToken';

export type Kind =
	| Sensitive
	/** Worked with later on: must stay what it is, whatever digits it holds by chance. */
	| 'identifier'
	/** A date, an amount, an address: holds the digits of a security code by chance. */
	| 'figure'
	| 'other';

/** What stands between the words of a name in text: account_number, account[number]. */
const BETWEEN = '(?:[\\s_.-]{0,3}|\\]?\\[["\']?|>\\s*<|["\']\\s*:\\s*\\{\\s*["\'])';
const NUMBER = '(?:number|num|nbr|nr|no(?![a-z]))';
const CODES = `cv[cvnd]2?(?:${BETWEEN}(?:code|value(?!\\s*=)|${NUMBER}))?|csc|security${BETWEEN}code|card${BETWEEN}verification${BETWEEN}(?:code|value|${NUMBER})`;
const ACCOUNTS = `(?:acc(?:oun)?t?|routing|transit|aba|card|pan|iban)${BETWEEN}(?:${NUMBER}|#)|iban|(?<![a-z])pan(?![a-z])`;

/** What such a name may end with. */
const ENDING = '(?:value|raw|full|plain|text|string|input|confirm(?:ation|ed)?)?s?';
/** In text, with what numbers it: accountNumber_2, cvc[0], card[cvc]. */
export const SENSITIVE_NAME = `(?:(?<code>${CODES})|(?<account>${ACCOUNTS}))(?:${ENDING}(?![a-z]))?(?:[_.]?\\d{1,2}(?!\\d))?(?:\\[\\d*\\])?\\]?`;
const NAME = new RegExp(SENSITIVE_NAME, 'i');
/** A quicker test that every sensitive name passes. */
const MAY_BE_NAME = /c(?:v[cvnd]|sc|ard|urity)|a(?:cc|ba)|rout|tran|iban|pan/i;

/** Whether a sensitive name stands in a text at all. */
export function holdsName(text: string): boolean {
	return MAY_BE_NAME.test(text) && NAME.test(text);
}

const CODE = new RegExp(`(?:${CODES})${ENDING}$`);
const ACCOUNT = new RegExp(`(?:${ACCOUNTS}|^(?:card|full|raw)?pan)${ENDING}$`);
const MAYBE_ACCOUNT =
	/^(?:(?:bank|ach)?(?:routing|aba|rtn)|bank(?:account|acct)|(?:credit|debit)?card)$/;
const CARD_TOKEN = /cardtokens?$/;
const IDENTIFIER =
	/(?:(?<!pa|val|vo)id|reference|(?<!h)ref|sku|(?:order|invoice|reference|transaction|tracking)(?:number|no))s?$/;
const FIGURE =
	/last(?:4|four)|expir|exp(?:month|year|date)|zip|post(?:al|code)|phone|mobile|fax|amount|total|price|quantity|address|street|date|time|edat$|formatted/;

/** Of an overlong name only the end is read, which says what it means. */
const LONGEST_READ = 400;

function lettersOf(name: string): string {
	return unescaped(name.slice(-LONGEST_READ))
		.replace(/#/g, 'number')
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toLowerCase();
}

/** What a value beside a name of its own is called: { name: 'cvc', value: '123' }. */
const VALUE =
	/^(?:|v|t|s|n|.*(?:value|val|content|text|data|input|answer|string|raw|given|received|actual|entered|old|new|before|after|from|to)s?)$/;

interface Meaning {
	kind: Kind;
	/** A value whose name may stand beside it. */
	isValue: boolean;
	/** Says nothing without the name that it stands under: { card: { number: '…' } }. */
	isPart: boolean;
}

const PART = /^(?:number|num|nbr|nr|no|code)$/;

function kindOf(letters: string): Kind {
	const word = letters.replace(/\d+$/, '');
	if (CODE.test(word)) return 'code';
	if (ACCOUNT.test(word)) return 'account';
	if (MAYBE_ACCOUNT.test(word)) return 'maybeAccount';
	if (CARD_TOKEN.test(word)) return 'cardToken';
	if (IDENTIFIER.test(letters)) return 'identifier';
	return FIGURE.test(letters) ? 'figure' : 'other';
}

function readMeaning(name: string): Meaning {
	const letters = lettersOf(name);
	return { kind: kindOf(letters), isValue: VALUE.test(letters), isPart: PART.test(letters) };
}

/** The same few names come with every row. Bounded: the service decides what they are. */
const meanings = new Map<string, Meaning>();
const MOST_NAMES = 1_000;
const LONGEST_NAME = 64;

export function meaningOf(name: string): Meaning {
	const known = meanings.get(name);
	if (known !== undefined) return known;
	const meaning = readMeaning(name);
	if (meanings.size < MOST_NAMES && name.length <= LONGEST_NAME) meanings.set(name, meaning);
	return meaning;
}

/** An email or a link may end like a sensitive name by chance, but names nothing. */
const ADDRESS = /@|:\/\//;

/** What a name that stands as a value says of the value beside it. */
export function sensitiveName(words: string): Sensitive | undefined {
	if (words.length > LONGEST_NAME || words.length < 3 || ADDRESS.test(words)) return undefined;
	if (!holdsName(words) && !MAY_BE_ESCAPED.test(words) && !/token/i.test(words)) return undefined;
	const kind = kindOf(lettersOf(words));
	return isSentSecret(kind) ? kind : undefined;
}

/** What a request sends and no answer may repeat. */
export function isSentSecret(kind: Kind): kind is 'code' | 'account' | 'cardToken' {
	return kind === 'code' || kind === 'account' || kind === 'cardToken';
}

/** Whether words that were typed, an expression also, name what may hold a secret. */
export function namesSecret(words: string): boolean {
	const plain = unescaped(words);
	return holdsName(plain) || /card[\s_.-]{0,3}token/i.test(plain);
}
