import type { Hit } from './namedValues';
import { lastFour } from './secrets';

/**
 * Finds account and card numbers in sentences, where only "account" or "card" stands near: "account
 * 000123456789 is closed". Eight digits at least, and nothing between but words that lead from one
 * to the other, so that the number of an order in the same sentence stays.
 */

const NAME = '(?<![\\w/@.-])(?:accounts?|acct|routing|aba|transit|iban|cards?)';
const NUMBER = '(?!\\d{4}-\\d\\d-\\d\\d(?!\\d))\\d(?:[ -]?\\d){7,40}(?!-?\\w|[.,]\\d)';
const LEADS =
	'(?:(?:number|num|nbr|nr|no|with|ending|ends|in|is|was|of|the|by|has|bank|checking|savings)\\b\\.?|[:#(])';
const AFTER = `(?=\\d)(?<=${NAME}(?:\\s*[:#(]|(?=\\s))(?:\\s*${LEADS}){0,4}\\s*["'(]?)${NUMBER}`;
const BEFORE = `(?<![\\w.,-])${NUMBER}(?=["')]?\\s+(?:(?:is|was|are)\\s+)?(?:not\\s+)?(?:(?:an?|the|your)\\s+)?(?:(?:valid|invalid|known|unknown|correct|wrong|closed|bank|checking|savings)\\s+){0,2}${NAME}\\b)`;
const SAID = [new RegExp(AFTER, 'gi'), new RegExp(BEFORE, 'gi')];

export function saidAccounts(text: string): Hit[] {
	return SAID.flatMap((said) =>
		[...text.matchAll(said)].map(({ 0: number, index }) => ({
			from: index,
			to: index + number.length,
			put: lastFour(number),
		})),
	);
}
