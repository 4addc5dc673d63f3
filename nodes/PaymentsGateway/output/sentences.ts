import type { Hit } from './namedValues';
import { lastFour } from './secrets';

/**
 * Finds account and card numbers in sentences, where only "account" or "card" stands near: "account
 * 000123456789 is closed". Eight digits at least, and nothing between but words that lead from one
 * to the other, so that the number of an order in the same sentence stays.
 */

const NAME = '(?<![\\p{L}\\p{N}_/@.-])(?:accounts?|acct|routing|aba|transit|iban|cards?)';
const NUMBER =
	'(?<number>(?!\\d{4}-\\d\\d-\\d\\d(?!\\d))\\d(?:[ -]?\\d){7,})(?!-?[\\p{L}\\p{N}_]|[.,]\\d)';
const LEADS =
	'(?:(?:number|num|nbr|nr|no|with|ending|ends|in|is|was|of|the|by|has|bank|checking|savings)\\b\\.?|[:#(])';
const AFTER = `(?<lead>${NAME}(?:\\s*[:#(]|(?=\\s))(?:\\s*${LEADS}){0,4}\\s*["'(]?)${NUMBER}`;
const BEFORE = `(?<![\\p{L}\\p{N}_.,-])${NUMBER}["')]?\\s+(?:(?:is|was|are)\\s+)?(?:not\\s+)?(?:(?:an?|the|your)\\s+)?(?:(?:valid|invalid|known|unknown|correct|wrong|closed|bank|checking|savings)\\s+){0,2}${NAME}\\b`;
const SAID = [new RegExp(AFTER, 'giu'), new RegExp(BEFORE, 'giu')];
/** A quicker test that every such sentence passes. */
const MAY_SAY = /\d(?:[ -]?\d){7}/;
const MAY_NAME = /acc|rout|aba|tran|iban|card/i;

/** Whether such a sentence may stand in a text. */
export function maySayAccount(text: string): boolean {
	return MAY_NAME.test(text) && MAY_SAY.test(text);
}

export function saidAccounts(text: string): Hit[] {
	if (!maySayAccount(text)) return [];
	return SAID.flatMap((said) =>
		[...text.matchAll(said)].map(({ index, groups }) => {
			const { lead = '', number = '' } = groups ?? {};
			const from = index + lead.length;
			return { from, to: from + number.length, put: lastFour(number) };
		}),
	);
}
