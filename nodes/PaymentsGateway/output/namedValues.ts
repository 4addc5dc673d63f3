import { namesIn } from './names';
import { DOTS, lastFour } from './secrets';

/**
 * Finds sensitive values in running text by the name that stands beside them: `accountNumber=…`,
 * `"cvc": "…"`, `<routingNumber>…</routingNumber>`, `name="cvv" value="…"`, "Account No. …". The
 * text comes with its escapes undone already.
 */

export interface Hit {
	from: number;
	to: number;
	put: string;
	/** A few digits that are known by their value alone. */
	isShort?: boolean;
}

/** How far from its name a value is looked for. */
const REACH = 240;
const LONGEST_LIST = 2_000;

/** Words with a digit, also in groups: 0001 2345 6789, DE89 3704 0044. */
const GROUP = '(?:[ /+_-]|\\.(?=\\d\\d))';
const WORD = '(?=[a-z]*\\d)[a-z\\d]+';
const VALUE = `(?<value>${WORD}(?:${GROUP}${WORD})*)`;

const WORDS =
	'(?:is|was|are|of|value|given|provided|entered|received|sent|used|got|not|in|valid|invalid|found|wrong|unknown|incorrect)';
/** What may stand between a name and its value. Dots are a mask already. */
const BETWEEN = [
	'[^\\p{L}\\p{N}\\p{Sc}<>,;.%\\\\&•*{[]',
	'[=-]>',
	'\\.(?=\\s)',
	'\\([^()\\d]{0,20}\\)',
	'[[{]\\s*(?:["\']?[\\w$#@]{1,20}["\']?\\s*:)?',
	`\\b${WORDS}\\b`,
].join('|');
const BEHIND = new RegExp(`^(?<before>(?:${BETWEEN}){0,24}?)${VALUE}`, 'iu');
/** Side by side in a list. */
const NEXT = new RegExp(`^(?<before>(?:"\\s*,\\s*"?|'\\s*,\\s*'?))${VALUE}`, 'iu');

const OPENING = '<[a-z][^<>]{0,80}(?<!/)>\\s*';
const CDATA = '(?:<!\\[CDATA\\[\\s*)?';
/** Content of an element that is named so, or of one in it. */
const CONTENT = new RegExp(
	`^(?<before>(?:\\s[^<>]*)?(?<!/)>\\s*(?:${OPENING}){0,3}${CDATA})${VALUE}`,
	'iu',
);
/** The name is what an element holds or is called, and the value is in it or the next one. */
const NEXT_CELL = new RegExp(
	`^(?<before>[:"'\\s]*(?:>\\s*)?(?:</[^<>\\d]{1,60}>\\s*|${OPENING}){0,4}${CDATA})${VALUE}`,
	'iu',
);
const VALUE_FIELD =
	'[\\w:$#@-]{0,12}(?:value|val|content|text|data)["\']?(?:\\s*[:=]\\s*|[^<>]{0,40}>)["\']?';
const FIELD_ENDS = '(?:["\']?\\s*[,;|&]|["\']\\s|</[\\w:]+>)\\s*';
/** A name and a value in fields of their own, in either order. */
const VALUE_NEXT = new RegExp(
	`^(?<before>${FIELD_ENDS}[^{}]{0,120}?\\b${VALUE_FIELD})${VALUE}`,
	'iu',
);
const VALUE_FIRST = new RegExp(
	`\\b${VALUE_FIELD}${VALUE}${FIELD_ENDS}[^{}\\d]{0,60}["'=:>][\\w.:@[-]{0,20}$`,
	'iu',
);
/** An attribute of an element that is named so. */
const ATTRIBUTE = new RegExp(`^(?<before>\\s[^<>]{0,120}?\\b${VALUE_FIELD})${VALUE}`, 'iu');

/** Fewer digits than any account or code has are a count, as in "card no. 2 of 3". */
function isEnough(value: string, isCode: boolean): boolean {
	return value.replace(/\D/g, '').length >= (isCode ? 3 : 5);
}

function valueBeside(text: string, from: number, to: number, isCode: boolean): Hit | undefined {
	const lead = text.slice(Math.max(0, from - REACH), from);
	const rest = text.slice(to, to + REACH);
	const hit = (start: number, value: string): Hit => ({
		from: start,
		to: start + value.length,
		put: isCode ? DOTS : lastFour(value),
	});
	const behind = (...patterns: RegExp[]): Hit | undefined => {
		for (const pattern of patterns) {
			const { before, value } = pattern.exec(rest)?.groups ?? {};
			if (before !== undefined && value !== undefined) return hit(to + before.length, value);
		}
		return undefined;
	};
	if (/<\/[\w.:@[-]*$/.test(lead)) return undefined;
	if (/<[\w.:@[-]*$/.test(lead)) return behind(CONTENT, ATTRIBUTE);
	const { before, value } = BEHIND.exec(rest)?.groups ?? {};
	if (before !== undefined && value !== undefined) {
		const start = to + before.length;
		if (/\[[^\]]*$/.test(before)) {
			const list = text.slice(start, start + LONGEST_LIST).replace(/[\]}].*$/s, '');
			return { ...hit(start, list), put: DOTS };
		}
		if (/["'={]\s*$|:$/.test(before)) return hit(start, value);
		// In a sentence the value is the digits up to the next word.
		const said = /:\s*$/.test(before) ? value : value.replace(/\D?[a-z].*/i, '');
		return isEnough(said, isCode) ? hit(start, said) : undefined;
	}
	const next = behind(NEXT, VALUE_NEXT, NEXT_CELL);
	if (next !== undefined)
		return isEnough(text.slice(next.from, next.to), isCode) ? next : undefined;
	// A name that has a value of its own, if only an empty one.
	if (/^["'\]]*\s*[:=]/.test(rest)) return undefined;
	const first = VALUE_FIRST.exec(lead)?.groups;
	if (first?.value === undefined || !isEnough(first.value, isCode)) return undefined;
	return hit(from - lead.length + lead.lastIndexOf(first.value), first.value);
}

export function namedValues(text: string): Hit[] {
	const hits: Hit[] = [];
	for (const { from, to, isCode } of namesIn(text)) {
		const hit = valueBeside(text, from, to, isCode);
		if (hit !== undefined) hits.push(hit);
	}
	return hits;
}
