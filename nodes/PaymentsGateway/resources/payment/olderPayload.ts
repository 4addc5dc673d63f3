import { decimalsOf } from '../../output/money';
import type { Unfolded } from '../../output/event';
import { isObject, jsonOf, textOf } from '../../wire/json';

/**
 * Finds things in an event's payload. The gateway documents the records of a success and of a
 * refund; a failure's payload, and any other, is searched by the usual names of fields instead of
 * refused.
 */

/** An object of a payload. */
export interface Place {
	/** The letters of the field that holds it; empty at the top. */
	name: string;
	depth: number;
	/** About what is sold, a part of the amount, what the merchant has added, or who the merchant is. */
	isNotOfPayment: boolean;
	object: Readonly<Record<string, unknown>>;
	/** The same by the letters of the names, as customername: customer_name and customerName are one. */
	fields: ReadonlyMap<string, unknown>;
}

const NOT_OF_PAYMENT =
	/lineitem|(?<!notification)items$|quantityamount|product|metadata|merchant|seller|store(?!d)|employee|operator|createdby|^(?:group|business|location|agent|vendor|support|salesrep)$|(?:tip|tax|taxes|fees?|surcharge|discounts?|shipping)(?:money|details)?$/;
/** Some wrap all of it once more. */
const WRAPPERS: ReadonlySet<string> = new Set(['data', 'event', 'payload', 'body']);
/** How far a payload is searched. */
const DEEPEST = 6;
const MOST_FIELDS = 2_000;

/** What JSON says, also where it was encoded several times; undefined where it is none. */
export function parsed(words: string): unknown {
	const value = jsonOf(words.replace(/^\uFEFF/, ''));
	const isEncoded = typeof value === 'string' && /^\s*(?:[[{]|"\s*[[{\\])/.test(value);
	return isEncoded ? parsed(value) : value;
}

/** A part of a payload, also where it is JSON in text, as the payload itself is. */
export function opened(value: unknown): unknown {
	const isJson = typeof value === 'string' && /^\s*[[{]/.test(value);
	return isJson ? (parsed(value) ?? value) : value;
}

function lettersOf(name: string): string {
	return name.toLowerCase().replace(/[^a-z\d]/g, '');
}

/** All objects of a payload, those nearest to the top first. */
export function placesIn(payload: unknown): Place[] {
	const waiting = [{ name: '', inner: opened(payload), depth: 0, isNotOfPayment: false }];
	const places: Place[] = [];
	let looked = 0;
	// The list grows while it is walked.
	for (const { name, inner, depth, isNotOfPayment } of waiting) {
		if (typeof inner !== 'object' || inner === null) continue;
		const fields = new Map<string, unknown>();
		if (isObject(inner)) places.push({ name, depth, isNotOfPayment, object: inner, fields });
		for (const [key, entry] of Object.entries(inner)) {
			if (++looked > MOST_FIELDS) break;
			if (entry === null || entry === '') continue;
			// What stands in a list goes by the list's own name.
			const field = isObject(inner) ? lettersOf(key) : name;
			if (!fields.has(field)) fields.set(field, entry);
			const value = depth < DEEPEST && opened(entry);
			if (typeof value !== 'object') continue;
			const isOther = isNotOfPayment || NOT_OF_PAYMENT.test(field);
			const below = WRAPPERS.has(field) ? depth : depth + 1;
			waiting.push({ name: field, inner: value, depth: below, isNotOfPayment: isOther });
		}
		// The state of an address is none of the payment's.
		if (/address/.test(name) || fields.has('city') || fields.has('zip')) fields.delete('state');
	}
	return places;
}

/** A record that the gateway's document names. */
export function recordNamed(
	name: 'transaction' | 'refund' | 'lineitems',
	places: readonly Place[],
): Place | undefined {
	return places.find((each) => each.depth === 1 && each.name === name);
}

const SAID_OF_REFUND = /^(?:id|transactionid|parenttransactionid|amount|status)$/;
/** Such as NONE, "0" and NOT_REFUNDED. */
const SAYS_NONE = /^(?:[^1-9a-z]*|none|null|n\/?a|false|un.*|not?[^a-z].*)$/i;

/** Some write a refund of nothing where there is none, or how long one may be asked for. */
function isRefundRecord({ name, object, isNotOfPayment }: Place): boolean {
	if (!/^refunds?$/.test(name) || isNotOfPayment) return false;
	return Object.entries(object).some(
		([field, value]) => SAID_OF_REFUND.test(lettersOf(field)) && !SAYS_NONE.test(textOf(value)),
	);
}

/** The record of a refund. */
export function refundAmong(places: readonly Place[]): Place | undefined {
	const refund = recordNamed('refund', places);
	return refund && isRefundRecord(refund) ? refund : undefined;
}

const KINDS = ['type', 'object', 'kind', 'transactiontype', 'eventcode', 'eventtype'];

const WENT_BACK = /^(?:revers|void|refunded|succe|complete|settled|captured|processed)/i;

/** What stands as the record of a payment may be that of a refund, a void or a reversal. */
function isOfRefundKind({ fields }: Place): boolean {
	return KINDS.some((name) => /^(?:refund|void|reversal)/i.test(textOf(fields.get(name))));
}

/**
 * Whether it is a refund that failed, wherever the payload may say so. Where the money did go back,
 * the failure is of the payment itself, such as a debit that was returned.
 */
export function isFailedRefundAmong(type: string, places: readonly Place[]): boolean {
	if (type !== 'payment_failed') return false;
	const statusOf = ({ fields }: Place) => textOf(fields.get('status'));
	const refunds = places.filter(isRefundRecord);
	const record = recordAmong(type, places);
	if (record && isOfRefundKind(record) && !/^return/i.test(statusOf(record))) refunds.push(record);
	return refunds.some((refund) => !WENT_BACK.test(statusOf(refund)));
}

/** The documented record that the event is about: a refund's may stand beside its payment's. */
export function documentedRecord(type: string, places: readonly Place[]): Place | undefined {
	const [refund, transaction] = [refundAmong(places), recordNamed('transaction', places)];
	return type === 'payment_success' ? (transaction ?? refund) : (refund ?? transaction);
}

/** The record that the event is about: the documented one, or else whatever looks like one. */
export function recordAmong(type: string, places: readonly Place[]): Place | undefined {
	const holding = (name: string) =>
		places.find(({ fields, isNotOfPayment }) => !isNotOfPayment && fields.has(name));
	return documentedRecord(type, places) ?? holding('amount') ?? holding('status') ?? places[0];
}

/** What stands under the first of these names that says something, in the first place that has one. */
export function firstIn<T>(
	places: readonly Place[],
	names: readonly string[],
	read: (value: unknown) => T | undefined,
): T | undefined {
	for (const { fields } of places) {
		for (const name of names) {
			const found = fields.has(name) ? read(fields.get(name)) : undefined;
			if (found !== undefined) return found;
		}
	}
	return undefined;
}

/** A refund that failed may be told as a failure, as itself or beside its payment. */
export function isFailedRefund({ type, payload }: Unfolded): boolean {
	return isFailedRefundAmong(type, placesIn(payload));
}

/** The record that the event is about, in the gateway's own spelling. */
export function recordOf({ type, payload }: Pick<Unfolded, 'type' | 'payload'>): Place['object'] {
	return recordAmong(type, placesIn(payload))?.object ?? {};
}

const wordsIn = (value: unknown) => textOf(value) || undefined;

/** The references in the places that the gateway's document names. */
function documentedReferences(places: readonly Place[]): string[] {
	return (['transaction', 'refund', 'lineitems'] as const)
		.map((name) => textOf(recordNamed(name, places)?.object.referenceID))
		.filter((each) => each !== '');
}

function referenceAmong(places: readonly Place[]): string | undefined {
	return documentedReferences(places)[0] ?? firstIn(places, ['referenceid'], wordsIn);
}

/** The caller's own reference, wherever the event carries it; empty when it has none. */
export function referenceOf({ payload }: Pick<Unfolded, 'payload'>): string {
	return referenceAmong(placesIn(payload)) ?? '';
}

/**
 * An amount of a record in minor units. Some write whole numbers as text; text with just the
 * decimals of its currency, such as 19.99, can be nothing but the amount as people say it. Some write
 * an object: { value, currency }.
 */
export function minorOf(said: unknown, currency = ''): number | undefined {
	const value = isObject(said) ? said.value : said;
	if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
	const [, whole = '', decimals] = /^(-?\d{1,12})(?:\.(\d{1,4}))?$/.exec(textOf(value)) ?? [];
	if (whole === '') return undefined;
	if (decimals === undefined) return Number(whole);
	return decimals.length === decimalsOf(currency) ? Number(whole + decimals) : undefined;
}
