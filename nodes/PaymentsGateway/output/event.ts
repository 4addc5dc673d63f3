import type { IDataObject } from 'n8n-workflow';

import type { WebhookEvent } from '../wire';
import { eventType, EVENT_TYPES } from '../wire/event';
import { jsonOf, textOf, wholeOf } from '../wire/json';
import { dollarsOf, formatMoney } from './money';
import { firstIn, isOfPayment, opened, placeNamed, placesIn } from './payload';
import type { Place } from './payload';
import { reasonAmong } from './reason';

/**
 * Reads webhook events for both nodes: parses the payload, finds the reference, and flattens the
 * fields that people work with. The type and the record of an event decide; its words are only shown.
 */

/** An event with its payload read. */
interface Unfolded {
	eventID: string;
	type: string;
	date: string;
	payload: unknown;
	payloadError?: string;
}

export function unfold({ eventID, type, date, payload }: WebhookEvent): Unfolded {
	const head = { eventID, type: eventType(type), date };
	const read = typeof payload === 'string' ? jsonOf(payload) : payload;
	if (read !== undefined) return { ...head, payload: read };
	return { ...head, payload, payloadError: 'The payload is not JSON' };
}

const wordsIn = (value: unknown) => textOf(value) || undefined;

/** Those in the records of the document or, where none is there, the nearest one. */
function referencesIn(places: readonly Place[]): string[] {
	const documented = ['transaction', 'refund', 'lineitems'].flatMap(
		(name) => textOf(placeNamed(name, places)?.fields.get('referenceid')) || [],
	);
	if (documented.length > 0) return documented;
	const found = firstIn(places, ['referenceid'], wordsIn);
	return found === undefined ? [] : [found];
}

/** Whether the event carries exactly this reference. */
export function isAbout({ payload }: Unfolded, reference: string): boolean {
	return referencesIn(placesIn(payload)).includes(reference);
}

/** The record that the event is about: that of the document or, where it has none, what looks like one. */
function recordAmong(type: string, places: readonly Place[]) {
	const holding = (field: string) => places.find(({ fields }) => fields.has(field));
	const [transaction, refund] = ['transaction', 'refund'].map((name) => placeNamed(name, places));
	// A refund may come with the payment that it gives back, and the other way round.
	const documented = type === 'payment_success' ? (transaction ?? refund) : (refund ?? transaction);
	const likely = holding('amount') ?? holding('total') ?? holding('status') ?? places[0];
	return {
		record: documented ?? likely,
		isDocumented: documented !== undefined,
		isRefund: documented !== undefined && documented === refund,
	};
}

/** What an event says of a payment, wherever its payload keeps it. */
export function factsOf({ type, payload }: Unfolded) {
	const all = placesIn(payload);
	const ofPayment = all.filter(isOfPayment);
	const { record, isDocumented, isRefund } = recordAmong(type, ofPayment);
	const own = record === undefined ? [] : [record];
	const places = [...own, ...ofPayment];
	const found = (...names: string[]) => firstIn(places, names, wordsIn);
	const persons = ofPayment.filter(({ name }) => name === 'customer' || name === 'payer');
	const sold = placeNamed('lineitems', all)?.fields;
	const lineItems = opened(sold?.get('lineitems'));

	const references = referencesIn(all);
	const currency = found('currency', 'currencycode');
	// Of the record alone: an amount elsewhere may be a part of it, or what a refund is taken from.
	const cents = firstIn(own, ['amount', 'total'], wholeOf);
	return {
		references,
		isDocumented,
		/** The record is that of a refund. Of a `payment_failed`, it is the refund that failed. */
		isRefund,
		/** The transaction that a refund gives back. */
		parent: firstIn(own, ['parenttransactionid'], wordsIn),
		/** The amount in the smallest unit of its currency. */
		cents,
		/** What is shown of it, in this order. */
		shown: {
			amountFormatted: cents === undefined ? undefined : formatMoney(cents, currency),
			customerName:
				found('customername', 'cardholdername', 'nameoncard') ??
				firstIn(persons, ['name'], wordsIn),
			customerEmail: found('customeremail', 'email'),
			referenceID: references[0],
			message: reasonAmong(places),
			status: found('status', 'paymentstatus'),
			amount: cents === undefined ? undefined : dollarsOf(cents, currency),
			currency,
			customerID:
				found('customerid') ??
				firstIn(persons, ['id'], wordsIn) ??
				wordsIn(sold?.get('customerid')),
			brand: found('brand', 'cardbrand'),
			// It comes masked, with the digits last.
			last4: found('maskednumberlast4', 'last4')?.slice(-4),
			transactionID:
				firstIn(own, isDocumented ? ['id'] : ['transactionid', 'id'], wordsIn) ??
				found('transactionid', 'paymentid', 'txid'),
			lineItems: Array.isArray(lineItems) && lineItems.length > 0 ? lineItems : undefined,
		},
	};
}

type Facts = ReturnType<typeof factsOf>;

const SENTENCES = new Map([
	['payment_success', ['Payment', 'by', 'succeeded']],
	['payment_failed', ['Payment', 'by', 'failed']],
	['payment_refund', ['Refund', 'to', 'succeeded']],
	['refund_failed', ['Refund', 'to', 'failed']],
]);

/**
 * One sentence for an alert: what happened, without what the event does not say. Alerts go to chats and
 * mails, in which a name that the payer has typed would be markup.
 */
function summaryOf(type: string, { shown, isRefund }: Facts): string {
	const { amountFormatted, customerName, customerEmail, message, referenceID } = shown;
	const kind = isRefund && type === 'payment_failed' ? 'refund_failed' : type;
	const [what, preposition, end] = SENTENCES.get(kind) ?? [`Event ${type}`.trim(), 'for', ''];
	const isBoth = customerName !== undefined && customerEmail !== undefined;
	const who = isBoth ? `${customerName} (${customerEmail})` : (customerName ?? customerEmail);
	const sentence = [
		what,
		amountFormatted && `of ${amountFormatted}`,
		who && `${preposition} ${who}`,
		end,
	];
	const why = end === 'succeeded' || !message ? '' : `: ${message.replace(/\.$/, '')}`;
	const reference = referenceID ? ` (reference ${referenceID})` : '';
	const words = `${sentence.filter(Boolean).join(' ')}${why}${reference}`;
	// Blanks in a row become one. With replace, V8 would keep the text in many pieces, which take more
	// memory than all else that is kept of an event.
	return words.replaceAll('<', '‹').replaceAll('>', '›').split(/\s+/).join(' ');
}

/**
 * The fields that people work with, flat: all of them in each event, null where it does not say. An
 * event that is not as in the document, or fails without saying why, is shown as it came as well.
 */
export function simplify(unfolded: Unfolded, facts = factsOf(unfolded)): IDataObject {
	const { eventID, type, date, payload, payloadError } = unfolded;
	const { shown, isDocumented } = facts;
	const summary = summaryOf(type, facts);
	const fields = { summary, type, ...shown, date, eventID } as IDataObject;
	for (const name of Object.keys(fields)) fields[name] ??= null;
	const lacksReason = type === 'payment_failed' && shown.message === undefined;
	if (!EVENT_TYPES.has(type) || !isDocumented || lacksReason) {
		fields.payload = payload as IDataObject;
	}
	if (payloadError !== undefined) fields.payloadError = payloadError;
	return fields;
}

/** An event as it leaves either node: simplified, or as it came with its payload read. */
export function shaped(event: WebhookEvent, isSimple: boolean): IDataObject {
	const unfolded = unfold(event);
	return isSimple ? simplify(unfolded) : { ...(unfolded as object), type: event.type };
}
