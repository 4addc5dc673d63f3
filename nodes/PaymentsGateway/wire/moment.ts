import { textOf } from './json';

/** The one reader of the gateway's dates, which are ISO 8601. */

/** The extended form (2026-01-31T10:00:00Z) and the basic one (20260131T100000Z); a day alone is a date, too. */
const ISO =
	/^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ](\d{2})(:?)(\d{2})(?:\6(\d{2})(?:[.,](\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** A moment in epoch milliseconds; undefined if the date cannot be read. */
export function momentOf(date: unknown): number | undefined {
	const match = ISO.exec(textOf(date));
	if (match === null) return undefined;
	const [, year, , month, day, hour = '00', , minute = '00', second = '00', fraction = '0'] = match;
	// Without a zone, the gateway means UTC.
	const zone = match[10] ?? 'Z';
	// Date.parse reads offsets with minutes only.
	const offset = zone.length === '+00'.length ? `${zone}:00` : zone;
	const moment = Date.parse(
		`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${offset.toUpperCase()}`,
	);
	return Number.isNaN(moment) ? undefined : moment;
}
