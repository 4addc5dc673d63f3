import { unescaped } from './readings';

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
	/** Letters that nobody reads, with any name in them by chance. */
	| 'opaque'
	/** A date, an amount, an address: holds the digits of a security code by chance. */
	| 'figure'
	| 'other';

/** What stands between the words of a name in text: account_number, account[number]. */
const BETWEEN = '(?:[\\s_.-]{0,3}|\\]?\\[["\']?|>\\s*<|["\']\\s*:\\s*\\{\\s*["\'])';
const NUMBER = '(?:number|num|nbr|nr|no(?![a-z]))';
const CODES = `cv[cvnd]2?(?:${BETWEEN}(?:code|value(?!\\s*=)|${NUMBER}))?|csc|security${BETWEEN}code|card${BETWEEN}verification${BETWEEN}(?:code|value|${NUMBER})`;
const ACCOUNTS = `(?:acc(?:oun)?t?|routing|transit|aba|card|pan|iban)${BETWEEN}(?:${NUMBER}|#)|iban|(?<![a-z])pan(?![a-z])`;

/** What such a name may end with. */
const ENDING = '(?:value|raw|full|plain|text|string|input|encrypted|confirm(?:ation|ed)?)?s?';
/** In text, with what numbers it: accountNumber_2, cvc[0], card[cvc]. */
const SENSITIVE_NAME = `(?:(?<code>${CODES})|(?<account>${ACCOUNTS}))(?:${ENDING}(?![a-z]))?(?:[_.]?\\d{1,2}(?!\\d))?(?:\\[\\d*\\])?\\]?`;
const NAMES = new RegExp(SENSITIVE_NAME, 'gi');
/** What is in every sensitive name. */
const MAY_BE_NAME = /c(?:v[cvnd]|sc|ard|urity)|a(?:cc|ba)|rout|tran|iban|pan/i;

/** A quick test: without it there is no sensitive name in a text, in parts neither. */
export function mayHoldName(text: string): boolean {
	return MAY_BE_NAME.test(text);
}

const LONGEST_NAME = 64;
/** A longer one cannot stand among other letters by chance. */
const LONGEST_SHORT = 7;
const JOINED = /(?:card|bank|credit|debit)$/i;
const IN_EMAIL = /^[\w.+-]*@[\w-]+\./;
const IN_HOST = /(?:@|:\/\/)[\w.-]*$/;
/** The number of an order, not a name and its value: CSC-1042, PAN_12. */
const NUMBERED = /^[-_/#]?\d/;
const NUMBERED_SHORT = /^(?:cv[cvnd](?!2$)|csc|pan|iban)[-_/# ]?\d+$/i;
/** More digits than the number of an order has. */
const LONG_BEHIND = /^[-_/#]?\d(?:[ -]?\d){9}/;

export interface NameFound {
	from: number;
	to: number;
	isCode: boolean;
}

/** Whether a name that was found stands as a word, and not among other letters by chance. */
function isWord(text: string, { from, to, isCode }: NameFound): boolean {
	const lead = text.slice(Math.max(0, from - LONGEST_NAME), from);
	const rest = text.slice(to, to + LONGEST_NAME);
	if (IN_HOST.test(lead) || IN_EMAIL.test(rest)) return false;
	if (to - from > LONGEST_SHORT) return true;
	if (NUMBERED.test(rest) && (isCode || !LONG_BEHIND.test(rest))) return false;
	const isBegun =
		!/[\p{L}\p{N}]$/u.test(lead) ||
		(/[a-z]$/.test(lead) && /[A-Z]/.test(text.charAt(from))) ||
		JOINED.test(lead);
	return isBegun && !/^\p{L}/u.test(rest);
}

export function* namesIn(text: string): Generator<NameFound> {
	for (const { 0: found, index, groups } of text.matchAll(NAMES)) {
		const name = { from: index, to: index + found.length, isCode: groups?.code !== undefined };
		if (isWord(text, name)) yield name;
	}
}

const CODE = new RegExp(`(?:${CODES})${ENDING}$`);
const ACCOUNT = new RegExp(`(?:${ACCOUNTS}|^(?:card|full|raw)?pan)${ENDING}$`);
const MAYBE_ACCOUNT =
	/^(?:(?:bank|ach)?(?:routing|aba|rtn)|bankaccount|(?:bank|ach)?acct|(?:credit|debit)?card)$/;
const CARD_TOKEN = /cardtokens?$/;
const IDENTIFIER =
	/(?:(?<!pa|val|vo)id|reference|(?<!h)ref|sku|(?:order|invoice|reference|transaction|tracking)(?:number|no))s?$/;
/** Of a cart and of a paylink. */
const OPAQUE = /^(?:paymentdata|token|(?:short|checkout|payment|paylink)?(?:url|link))$/;
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
	/^(?:|v|t|s|n|.*(?:value|val|content|text|(?<!meta)data|input|answer|string|raw|given|received|actual|entered|old|new|before|after|from|to)s?)$/;

/** What such a name stands under. Other values beside it are a merchant's own words. */
const NAMING =
	/^(?:k|n|id|.*(?:name|key|field|label|title|type|kind|path|pointer|param|parameter|property|prop|attribute|attr))$/;

/** Says nothing of its own about what it holds: { account: { details: { number: '…' } } }. */
const FILLER = /^(?:details?|data|info|information|attributes|fields|value)$/;

export interface Meaning {
	kind: Kind;
	/** What it holds may be the name of a value beside it. */
	isNaming: boolean;
	isFiller: boolean;
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
	if (OPAQUE.test(letters)) return 'opaque';
	return FIGURE.test(letters) ? 'figure' : 'other';
}

function readMeaning(name: string): Meaning {
	const letters = lettersOf(name);
	const kind = kindOf(letters);
	return {
		kind,
		isValue: kind !== 'opaque' && VALUE.test(letters),
		isPart: PART.test(letters),
		isNaming: NAMING.test(letters),
		isFiller: FILLER.test(letters),
	};
}

/** The same few names come with every row. Bounded: the service decides what they are. */
const MOST_NAMES = 1_000;

/** Works out once for each name what is asked for each value. */
export function byName<Found>(work: (name: string) => Found): (name: string) => Found {
	const known = new Map<string, Found>();
	return (name) => {
		const before = known.get(name);
		if (before !== undefined) return before;
		const found = work(name);
		if (known.size < MOST_NAMES && name.length <= LONGEST_NAME) known.set(name, found);
		return found;
	};
}

export const meaningOf = byName(readMeaning);

/** What a name that stands as a value says of the value beside it. */
export function sensitiveName(words: string): Sensitive | undefined {
	if (words.length > LONGEST_NAME || !namesSecret(words)) return undefined;
	const kind = kindOf(lettersOf(words));
	if (kind === 'cardToken') return kind;
	const plain = unescaped(words);
	if (NUMBERED_SHORT.test(plain) || namesIn(plain).next().done === true) return undefined;
	return isSentSecret(kind) ? kind : undefined;
}

/** What a request sends and no answer may repeat. */
export function isSentSecret(kind: Kind): kind is 'code' | 'account' | 'cardToken' {
	return kind === 'code' || kind === 'account' || kind === 'cardToken';
}

/** Whether words that were typed, an expression also, name what may hold a secret. */
export function namesSecret(words: string): boolean {
	const plain = unescaped(words);
	return plain.search(NAMES) >= 0 || /card[\s_.-]{0,3}token/i.test(plain);
}
