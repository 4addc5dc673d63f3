import { textOf } from './json';

/** The one reader of the gateway's dates, which are ISO 8601. */

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A moment in epoch milliseconds; undefined if the date cannot be read. */
export function momentOf(date: unknown): number | undefined {
	const text = textOf(date);
	const found = ISO.exec(text);
	if (found === null) return undefined;
	// Without a zone, JavaScript would use this machine's; the gateway's clock is UTC.
	const hasZone = found[1] !== undefined || text.length === 'YYYY-MM-DD'.length;
	const moment = Date.parse(hasZone ? text : `${text}Z`);
	return Number.isNaN(moment) ? undefined : moment;
}
