import type { FunctionsBase } from 'n8n-workflow';
import { getGlobalState, tryToParseDateTime } from 'n8n-workflow';

import { isObject } from '../wire/json';

/**
 * Reads a moment as n8n gives it: a Date, a Luxon DateTime, or text in the shape of ISO 8601, which is
 * in the workflow's timezone if it names none.
 */

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.,]+(?:Z|[+-][\d:]+)?)?$/i;
const DATE_LENGTH = 'YYYY-MM-DD'.length;

/** The workflow's timezone; if its settings say DEFAULT, that of the instance, as in n8n itself. */
export function timezoneOf(context: Pick<FunctionsBase, 'getTimezone'>): string {
	const timezone = context.getTimezone();
	return ['', 'DEFAULT'].includes(timezone) ? getGlobalState().defaultTimezone : timezone;
}

function parse(value: unknown, timezone: string) {
	try {
		return tryToParseDateTime(value, timezone);
	} catch {
		return undefined;
	}
}

/**
 * ISO 8601 in UTC; undefined if the value is no moment. A date without a time is the beginning of
 * that day, or its end.
 */
export function readMoment(
	value: unknown,
	timezone: string,
	{ endsDay = false } = {},
): string | undefined {
	const typed = typeof value === 'string' ? value.trim() : undefined;
	if (typed === undefined ? !isObject(value) : !ISO.test(typed)) return undefined;
	const moment = parse(value, timezone);
	// JavaScript reads 30 February as 2 March. The dates are compared in the zone of the text, which
	// n8n keeps.
	if (typed !== undefined && moment?.toISODate() !== typed.slice(0, DATE_LENGTH)) return undefined;
	const isWholeDay = endsDay && typed?.length === DATE_LENGTH;
	return (isWholeDay ? moment?.endOf('day') : moment)?.toUTC().toISO() ?? undefined;
}
