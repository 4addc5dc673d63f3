import type { IDataObject } from 'n8n-workflow';

import type { WebhookEvent } from '../wire';
import { formatIfWhole } from './money';
import { isObject, textOf } from '../wire/json';

/**
 * Reads webhook events for both nodes: parses the payload, finds the reference, and flattens the
 * fields that people work with. A payload of unknown shape is searched instead of refused.
 */

/** What an event says, once its payload is read. */
export interface Unfolded {
	eventID: string;
	type: string;
	date: string;
	payload: unknown;
	payloadError?: string;
}

/** How far a payload of unknown shape is searched for a reference. */
const DEEPEST = 6;
const MOST_FIELDS = 2_000;

/** The kinds of event that the service's document names. */
export const KNOWN_TYPES: ReadonlySet<unknown> = new Set([
	'payment_success',
	'payment_failed',
	'payment_refund',
]);

/** payment.success, PAYMENT_SUCCESS and payment-success are other spellings of payment_success. */
export function eventType(type: unknown): string {
	const words = filled(type).replaceAll('.', '_');
	const known = words.toLowerCase().replace(/[\s-]+/g, '_');
	return KNOWN_TYPES.has(known) ? known : words;
}

/** What ISO 8601 allows: the time in parts, a comma in it, signs left out, a zone of hours alone. */
const DATE =
	/^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** A moment in epoch milliseconds, or undefined when the date cannot be read. */
export function momentOf(date: unknown): number | undefined {
	if (typeof date !== 'string') return undefined;
	const found = DATE.exec(date.trim());
	if (found === null) return undefined;
	const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', zone] =
		found;
	// Without a zone JavaScript would take the server's own; the service's clock is UTC.
	const offset = zone === undefined ? 'Z' : zone.length === 3 ? `${zone}:00` : zone;
	const moment = Date.parse(
		`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${offset}`,
	);
	return Number.isNaN(moment) ? undefined : moment;
}

/** How many times over JSON may be encoded. */
const MOST_LAYERS = 5;

/** JSON, also where it was encoded several times. */
function parsed(words: string, layers = 1): unknown {
	const value: unknown = JSON.parse(words.replace(/^\uFEFF/, ''));
	const isEncoded = typeof value === 'string' && /^\s*(?:[[{]|"\s*[[{\\])/.test(value);
	return isEncoded && layers < MOST_LAYERS ? parsed(value, layers + 1) : value;
}

/** A part of a payload, also where it is JSON in text, as the payload itself is. */
function opened(value: unknown): unknown {
	if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
	try {
		return parsed(value);
	} catch {
		return value;
	}
}

export function unfold(event: WebhookEvent): Unfolded {
	const { eventID, date, payload } = event;
	const head = { eventID, type: eventType(event.type), date };
	if (typeof payload !== 'string') return { ...head, payload };
	try {
		return { ...head, payload: parsed(payload) };
	} catch {
		return { ...head, payload, payloadError: 'The payload is not JSON' };
	}
}

/** The record that the event is about: in the known places first, then whatever looks like one. */
export function recordOf(payload: unknown): Readonly<Record<string, unknown>> {
	if (!isObject(payload)) return {};
	for (const known of [opened(payload.transaction), opened(payload.refund)]) {
		if (isObject(known)) return known;
	}
	const inner = Object.values(payload)
		.map(opened)
		.find((value) => isObject(value) && ('amount' in value || 'status' in value));
	return isObject(inner) ? inner : payload;
}

function filled(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

function searchReference(payload: unknown): string {
	const waiting: Array<{ value: unknown; depth: number }> = [{ value: payload, depth: 0 }];
	let looked = 0;
	// What is nearest to the top first; the list grows while it is walked.
	for (const { value, depth } of waiting) {
		const inner = opened(value);
		if (typeof inner !== 'object' || inner === null) continue;
		for (const [name, value] of Object.entries(inner)) {
			if (++looked > MOST_FIELDS) return '';
			if (name === 'referenceID' && textOf(value) !== '') return textOf(value);
			if (depth < DEEPEST) waiting.push({ value, depth: depth + 1 });
		}
	}
	return '';
}

/** The caller's own reference, wherever the event carries it; empty when it has none. */
export function referenceOf({ payload }: Pick<Unfolded, 'payload'>): string {
	if (!isObject(payload)) return searchReference(payload);
	for (const part of [payload.transaction, payload.refund, payload.lineItems]) {
		const place = opened(part);
		const reference = isObject(place) ? textOf(place.referenceID) : '';
		if (reference !== '') return reference;
	}
	return searchReference(payload);
}

/** A payload that broke off still says whose it is. */
function mentions(payload: unknown, reference: string): boolean {
	if (typeof payload !== 'string') return false;
	const words = JSON.stringify(reference);
	const [, ...named] = payload.replaceAll('\\/', '/').split(/"referenceID"\s*:\s*/);
	return named.some((rest) => rest.startsWith(words));
}

/** Whether the event carries exactly this reference. */
export function isAbout(unfolded: Unfolded, reference: string): boolean {
	return referenceOf(unfolded) === reference || mentions(unfolded.payload, reference);
}

function isAbsent(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		value === '' ||
		(Array.isArray(value) && value.length === 0)
	);
}

/** An amount in minor units; some write whole numbers as text. */
function amountOf(value: unknown): number | undefined {
	if (typeof value === 'number') return value;
	return typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : undefined;
}

/** An amount of a record in minor units; undefined for one that is no whole number of them. */
export function minorOf(value: unknown): number | undefined {
	const amount = amountOf(value);
	return Number.isSafeInteger(amount) ? amount : undefined;
}

/** The fields that a merchant works with, flat; what the event does not say is left out. */
export function simplify(unfolded: Unfolded): IDataObject {
	const { eventID, type, date, payload, payloadError } = unfolded;
	const record = recordOf(payload);
	const amount = amountOf(record.amount);
	const currency = filled(record.currency);
	const lines = isObject(payload) ? opened(payload.lineItems) : undefined;
	const items = isObject(lines) ? lines : {};
	const fields = {
		eventID,
		type,
		date,
		referenceID: referenceOf(unfolded),
		transactionID: record.id,
		status: record.status,
		amount,
		amountFormatted: formatIfWhole(amount, currency),
		currency,
		customerID: isAbsent(record.customer_id) ? items.customerId : record.customer_id,
		customerName: record.customer_name,
		customerEmail: record.customer_email,
		brand: record.brand,
		// It comes masked, with the digits last.
		last4: filled(record.masked_number_last4).slice(-4),
		lineItems: items.lineItems,
		message: record.message,
		...(payloadError === undefined ? {} : { payload, payloadError }),
	};
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => !isAbsent(value)),
	) as IDataObject;
}
