import { tally } from './tally';

/** Without what only spaces a number, so that a number is found however it is written. */
const unspaced = (text: string) => text.replace(/[\s-]|%20/g, '');

/** Those of the secrets that stand in what left. */
export function foundIn(left: unknown, secrets: readonly string[]): string[] {
	const text = typeof left === 'string' ? left : JSON.stringify(left);
	const found = secrets.filter((secret) => unspaced(text).includes(unspaced(secret)));
	tally('secrets', { searches: secrets.length, found: found.length });
	return found;
}
