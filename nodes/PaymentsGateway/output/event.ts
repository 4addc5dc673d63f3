import type { IDataObject } from 'n8n-workflow';

import type { WebhookEvent } from '../wire';
import { decimalsOf, formatMoney, majorOf } from './money';
import {
	documentedRecord,
	firstIn,
	isFailedRefundAmong,
	opened,
	parsed,
	placesIn,
	recordAmong,
	recordNamed,
} from './payload';
import type { Place } from './payload';
import { eventType, EVENT_TYPES } from '../wire/event';
import { isObject, textOf } from '../wire/json';
import { hasNotGoneBack, isRefundNotDone } from '../wire/payment';
import { reasonAmong } from './reason';

/**
 * Reads webhook events for both nodes: parses the payload, finds the reference, and flattens the
 * fields that people work with.
 */

/** What an event says, once its payload is read. */
export interface Unfolded {
	eventID: string;
	type: string;
	date: string;
	payload: unknown;
	payloadError?: string;
}

/** The event with its payload read, and its type spelled with underscores. */
export function unfold(event: WebhookEvent): Unfolded {
	const { eventID, date, payload } = event;
	const head = { eventID, type: eventType(event.type), date };
	if (typeof payload !== 'string') return { ...head, payload };
	const read = parsed(payload);
	if (read !== undefined) return { ...head, payload: read };
	return { ...head, payload, payloadError: 'The payload is not JSON' };
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

const NAMED_REFERENCE = /"reference_?id"\s*:\s*(?:"(?:[^"\\]|\\.)*"|\d+(?=\s*[,}\]]))/gi;

/** A payload that broke off still says whose it is. */
function mentions(payload: unknown, reference: string): boolean {
	if (typeof payload !== 'string') return false;
	const named = [...payload.matchAll(NAMED_REFERENCE)];
	return named.some(([field]) => referenceOf({ payload: `{${field}}` }) === reference);
}

/** Whether the event carries exactly this reference. A gateway may add one of its own beside it. */
export function isAbout({ payload }: Unfolded, reference: string): boolean {
	const places = placesIn(payload);
	const references = [referenceAmong(places), ...documentedReferences(places)];
	return references.includes(reference) || mentions(payload, reference);
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

const PERSON = /customer|payer|buyer|cardholder|billing/;
const idIn = (value: unknown) => /^[^\s@]+$/.exec(textOf(value))?.[0];
const emailIn = (value: unknown) => /^\S+@\S+$/.exec(textOf(value))?.[0];

/**
 * What the event says of the payment, wherever a payload of its kind may keep it, in the order in
 * which it is shown.
 */
function factsOf(type: string, all: readonly Place[]) {
	const record = recordAmong(type, all);
	const ofRecord = record === undefined ? [] : [record];
	const places = [...ofRecord, ...all.filter(({ isNotOfPayment }) => !isNotOfPayment)];
	const named = (name: RegExp) => places.filter((place) => name.test(place.name));
	const persons = named(PERSON);
	// A record, whose rows stand in it under `lineItems` again.
	const { customerId, lineItems } = recordNamed('lineitems', all)?.object ?? {};

	const currency = firstIn(places, ['currency', 'currencycode', 'currencyisocode'], wordsIn);
	const minorIn = (value: unknown) => minorOf(opened(value), currency);
	// A part of a payment may go back: what the payment was is not said of its refund.
	const isOfRefund = (place: Place) => place === record || place.depth === 0;
	const placesOfAmount = record?.name === 'refund' ? places.filter(isOfRefund) : places;
	const minor = firstIn(placesOfAmount, ['amount', 'amountcents', 'totalamount', 'total'], minorIn);
	const nameInParts = [['firstname'], ['lastname']].map((part) => firstIn(persons, part, wordsIn));
	const status = firstIn(places, ['status', 'state', 'paymentstatus'], wordsIn);
	const isFailure = type === 'payment_failed' || isRefundNotBack(type, status);
	const number = firstIn(places, ['maskednumberlast4', 'last4', 'lastfour', 'cardlast4'], wordsIn);
	return {
		amountFormatted: minor === undefined ? undefined : formatMoney(minor, currency),
		customerName:
			firstIn(places, ['customername', 'payername', 'cardholdername', 'nameoncard'], wordsIn) ??
			firstIn(persons, ['name', 'fullname'], wordsIn) ??
			(nameInParts.filter(Boolean).join(' ') || undefined),
		customerEmail:
			firstIn(places, ['customeremail', 'payeremail', 'billingemail', 'receiptemail'], emailIn) ??
			firstIn([...persons, ...places], ['email', 'customer'], emailIn),
		referenceID: referenceAmong(all),
		message: reasonAmong(places, isFailure),
		status,
		amount: minor === undefined ? undefined : majorOf(minor, currency),
		currency,
		customerID:
			firstIn(places, ['customerid'], idIn) ??
			firstIn(persons, ['id'], idIn) ??
			firstIn(places, ['customer'], idIn) ??
			idIn(customerId),
		brand: firstIn(places, ['brand', 'cardbrand'], wordsIn),
		// It comes masked, with the digits last.
		last4: number?.slice(-4),
		transactionID:
			firstIn(ofRecord, ['transactionid', 'id'], idIn) ??
			firstIn(places, ['transactionid', 'paymentid', 'transaction', 'txid'], idIn) ??
			firstIn(named(/payment|transaction|charge|object/), ['id'], idIn),
		lineItems: Array.isArray(lineItems) && lineItems.length > 0 ? lineItems : undefined,
	};
}

/** Also while it is under way. */
function isRefundNotBack(type: string, status = ''): boolean {
	return type === 'payment_refund' && hasNotGoneBack({ status });
}

const SENTENCES = new Map([
	['payment_success', ['Payment', 'by', 'succeeded']],
	['payment_failed', ['Payment', 'by', 'failed']],
	['payment_refund', ['Refund', 'to', 'succeeded']],
	['refund_failed', ['Refund', 'to', 'failed']],
]);

/** One sentence for an alert: what happened, without what the event does not say. */
function summaryOf(type: string, facts: ReturnType<typeof factsOf>): string {
	const { amountFormatted, customerName, customerEmail, message, referenceID, status = '' } = facts;
	const [what, preposition, usual] = SENTENCES.get(type) ?? [`Event ${type}`.trim(), 'for', ''];
	const isOpen = type === 'payment_refund' && isRefundNotDone({ status });
	const end = isOpen
		? `is ${status.toLowerCase().replace(/_/g, ' ')}`
		: isRefundNotBack(type, status)
			? 'failed'
			: usual;
	const isBoth = customerName !== undefined && customerEmail !== undefined;
	const who = isBoth ? `${customerName} <${customerEmail}>` : (customerName ?? customerEmail);
	const sentence = [
		what,
		// Some write what goes back with a minus.
		amountFormatted && `of ${amountFormatted.replace(/^-/, '')}`,
		who && `${preposition} ${who}`,
		end,
	];
	const why = end === 'succeeded' || !message ? '' : `: ${message.replace(/\.$/, '')}`;
	const reference = referenceID ? ` (reference ${referenceID})` : '';
	const words = `${sentence.filter(Boolean).join(' ')}${why}${reference}`;
	// Blanks in a row become one. With replace, V8 would keep the text in many pieces, which take more
	// memory than all else that is kept of an event.
	return words.split(/\s+/).join(' ');
}

/**
 * The fields that people work with, flat: all of them in each event, null where it does not say.
 * Of an event that the document does not describe, or that says no reason where one is wanted, the
 * payload goes along.
 */
export function simplify(unfolded: Unfolded): IDataObject {
	const { eventID, type, date, payload, payloadError } = unfolded;
	const places = placesIn(payload);
	const facts = factsOf(type, places);
	const summary = summaryOf(isFailedRefundAmong(type, places) ? 'refund_failed' : type, facts);
	const fields = { summary, type, ...facts, date, eventID } as IDataObject;
	for (const name of Object.keys(fields)) fields[name] ??= null;
	const isDescribed = EVENT_TYPES.has(type) && documentedRecord(type, places) !== undefined;
	const lacksReason = type === 'payment_failed' && facts.message === undefined;
	if (!isDescribed || lacksReason) fields.payload = payload as IDataObject;
	if (payloadError !== undefined) fields.payloadError = payloadError;
	return fields;
}

/** An event as it leaves either node: simplified, or as it came, its payload read. */
export function shaped(event: WebhookEvent, isSimple: boolean): IDataObject {
	const unfolded = unfold(event);
	return isSimple ? simplify(unfolded) : { ...(unfolded as object), type: event.type };
}
