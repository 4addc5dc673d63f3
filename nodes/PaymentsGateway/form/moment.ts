import type { FunctionsBase } from 'n8n-workflow';
import { getGlobalState } from 'n8n-workflow';

import { momentOf } from '../wire/moment';

/**
 * Reads a moment as n8n gives it: text with or without a zone, a Date, or a Luxon DateTime. Text
 * without a zone is in the workflow's timezone. A date that does not exist is refused; JavaScript
 * alone would turn it into another day.
 */

const DAY = /^[1-9]\d{3}-\d{2}-\d{2}$/;
const ISO =
	/^([1-9]\d{3}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?$/i;

/** The workflow's timezone, or the instance's where its settings say DEFAULT, as n8n has it. */
export function timezoneOf(context: Pick<FunctionsBase, 'getTimezone'>): string {
	const timezone = context.getTimezone();
	return ['', 'DEFAULT'].includes(timezone) ? getGlobalState().defaultTimezone : timezone;
}

/** The zone's clock minus UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
	// Swedes write dates as ISO 8601 does: 2026-01-31 18:00:05.
	const clock = new Date(moment).toLocaleString('sv-SE', { timeZone });
	return Date.parse(`${clock.replace(' ', 'T')}Z`) - Math.floor(moment / 1000) * 1000;
}

function parse(words: string, timezone: string): number | undefined {
	const [, day, time = '00:00', second = '00', fraction = '', zone] = ISO.exec(words) ?? [];
	if (day === undefined) return undefined;
	const written = `${day}T${time}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`;
	const clock = Date.parse(`${written}Z`);
	// JavaScript reads the 31st of February as the 3rd of March, and 24:00 as the next day.
	const isReal = !Number.isNaN(clock) && new Date(clock).toISOString() === `${written}Z`;
	if (!isReal) return undefined;
	if (zone !== undefined) return momentOf(words);
	// The guess may lie on the other side of a clock change, so its own offset decides.
	const guess = clock - offsetAt(clock, timezone);
	const offset = offsetAt(guess, timezone);
	const moment = clock - offset;
	// A time that the change leaves out, as midnight may be, is so much later by the clock.
	return offsetAt(moment, timezone) === offset ? moment : Math.max(guess, moment);
}

/** What a Date or a DateTime says; anything else as it is. */
function wordsOf(value: unknown): unknown {
	if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
	if (typeof value !== 'object' || value === null) return value;
	return 'toISO' in value && typeof value.toISO === 'function' ? value.toISO() : undefined;
}

/**
 * ISO 8601 with its zone, as the gateway writes every moment; undefined when it is none. A date
 * without a time is the beginning of that day, or its end.
 */
export function readInstant(
	value: unknown,
	timezone: string,
	{ endsDay = false } = {},
): string | undefined {
	const given = wordsOf(value);
	if (typeof given !== 'string') return undefined;
	const words = given.trim();
	const isWholeDay = endsDay && DAY.test(words);
	const moment = parse(isWholeDay ? `${words}T23:59:59.999` : words, timezone);
	return moment === undefined ? undefined : new Date(moment).toISOString();
}
