import { textOf } from './json';

/** The one reader of the gateway's dates, which are ISO 8601. */

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A moment in epoch milliseconds; undefined if the date cannot be read. */
export function momentOf(date: unknown): number | undefined {
	const text = textOf(date);
	const match = ISO.exec(text);
	if (match === null) return undefined;
	// Without a zone, the gateway means UTC. JavaScript reads a day that way too, but a time in this
	// machine's zone.
	const isDay = text.length === 'YYYY-MM-DD'.length;
	const hasZone = match[1] !== undefined;
	const moment = Date.parse(isDay || hasZone ? text : `${text}Z`);
	return Number.isNaN(moment) ? undefined : moment;
}
