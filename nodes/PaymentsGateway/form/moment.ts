import type { FunctionsBase } from 'n8n-workflow';
import { getGlobalState } from 'n8n-workflow';

/**
 * Reads a moment as n8n gives it: text with or without a zone, a Date, or a Luxon DateTime. Text
 * without a zone is in the workflow's timezone. A date that does not exist is refused; JavaScript
 * alone would turn it into another day.
 */

const ISO =
	/^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;

/** The workflow's timezone, or the instance's where its settings say DEFAULT, as n8n has it. */
export function timezoneOf(context: Pick<FunctionsBase, 'getTimezone'>): string {
	const timezone = context.getTimezone();
	return ['', 'DEFAULT'].includes(timezone) ? getGlobalState().defaultTimezone : timezone;
}

/** The zone's clock minus UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timezone: string): number {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone: timezone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	}).formatToParts(new Date(moment));
	const part = (type: string) => Number(parts.find((entry) => entry.type === type)?.value);
	const clock = Date.UTC(
		part('year'),
		part('month') - 1,
		part('day'),
		part('hour'),
		part('minute'),
		part('second'),
	);
	return clock - Math.floor(moment / 1000) * 1000;
}

function parse(words: string, timezone: string): number | undefined {
	const found = ISO.exec(words.trim());
	if (!found) return undefined;
	const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = found;
	const clock = Date.UTC(
		Number(year),
		Number(month) - 1,
		Number(day),
		Number(hour),
		Number(minute),
		Number(second),
		Number(fraction.padEnd(3, '0').slice(0, 3)),
	);
	const date = new Date(clock);
	// Date.UTC turns the 31st of February into March, and the year 26 into 1926.
	const isReal =
		date.getUTCFullYear() === Number(year) &&
		date.getUTCMonth() === Number(month) - 1 &&
		Number(hour) < 24 &&
		Number(minute) < 60 &&
		Number(second) < 60;
	if (!isReal) return undefined;
	if (zone !== undefined) {
		// Z has neither a sign nor digits.
		const sign = zone.startsWith('-') ? -1 : 1;
		const digits = zone.replace(/\D/g, '');
		return clock - sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
	}
	// The guess may lie on the other side of a clock change, so its own offset decides.
	const guess = clock - offsetAt(clock, timezone);
	return clock - offsetAt(guess, timezone);
}

/**
 * ISO 8601 with its zone, as the service writes every moment; undefined when it is none. A date
 * without a time is the beginning of that day, or its end.
 */
export function readInstant(
	value: unknown,
	timezone: string,
	{ endsDay = false } = {},
): string | undefined {
	const words =
		typeof value === 'object' &&
		value !== null &&
		'toISO' in value &&
		typeof value.toISO === 'function'
			? value.toISO()
			: value instanceof Date && !Number.isNaN(value.getTime())
				? value.toISOString()
				: value;
	if (typeof words !== 'string') return undefined;
	const isDay = /^\d{4}-\d{2}-\d{2}$/.test(words.trim());
	const moment = parse(isDay && endsDay ? `${words.trim()}T23:59:59.999` : words, timezone);
	return moment === undefined ? undefined : new Date(moment).toISOString();
}
