import { simplify } from '../../output/event';
import { EVENT_TYPES } from '../../wire/event';
import { momentOf } from '../../wire/moment';
import type { Unfolded } from '../../output/event';
import { isFailedRefund, minorOf, placesIn, refundAmong } from './olderPayload';
import { isObject, textOf, valueAt } from '../../wire/json';
import { isRefundNotDone } from '../../wire/payment';

/**
 * What one event says of a payment: what it tells of, under which names, how much, when and why. What
 * all events of a reference come to is in outcome.ts.
 */

export interface PaymentEvent extends Unfolded {
	/** The gateway's own record of the transaction, as the payload holds it. */
	record: Readonly<Record<string, unknown>>;
}

/** By the status of its record, where the type of an event is none that is known. */
const TYPE_BY_STATUS = new Map([
	['CAPTURED', 'payment_success'],
	['REVERSED', 'payment_refund'],
]);

function typeOf(event: PaymentEvent): string {
	const { type, record, payload } = event;
	// A refund that failed leaves its payment as it was.
	if (isFailedRefund(event)) return 'payment_refund';
	if (EVENT_TYPES.has(type)) return type;
	const byStatus = TYPE_BY_STATUS.get(textOf(record.status).toUpperCase());
	if (byStatus === undefined) return type;
	// The record of a refund may say CAPTURED as well.
	const isBack = refundAmong(placesIn(payload)) || /^refund/i.test(textOf(record.type));
	return isBack ? 'payment_refund' : byStatus;
}

export function isSuccess(event: PaymentEvent): boolean {
	return typeOf(event) === 'payment_success';
}

export function isFailure(event: PaymentEvent): boolean {
	return typeOf(event) === 'payment_failed';
}

export function isRefund(event: PaymentEvent): boolean {
	return typeOf(event) === 'payment_refund';
}

/** Two records are of one transaction when they share this; `tx_id` and `pmt_id` can be of several. */
export function idOf({ record }: PaymentEvent): string {
	return textOf(record.id);
}

/** The transaction that a refund gives back, or a capture captures, where its record says so. */
export function parentOf({ record }: PaymentEvent): string {
	return textOf(record.parentTransactionId);
}

const TRANSACTION_ID = /^transaction_?id$/i;

/** How an event calls its transaction: what a failure looks like is not documented. */
export function idsOf({ record, payload }: PaymentEvent): string[] {
	const around = isObject(payload) ? payload : {};
	const named = [...Object.entries(record), ...Object.entries(around)]
		.filter(([name]) => TRANSACTION_ID.test(name))
		.map(([, id]) => id);
	return [record.id, ...named].map(textOf).filter((id) => id !== '');
}

/** The same, and the names that several attempts may have in common. */
export function namesOf(event: PaymentEvent): string[] {
	const shared = [event.record.tx_id, event.record.pmt_id, simplify(event).transactionID];
	return [...idsOf(event), ...shared.map(textOf).filter((name) => name !== '')];
}

/** By which of them a failure is known: a shared one tells of an attempt only with its time. */
export function namesOfFailure(failure: PaymentEvent): string[] {
	return Number.isNaN(madeAt(failure)) ? idsOf(failure) : namesOf(failure);
}

export function withStatus({ record }: PaymentEvent) {
	return { status: textOf(record.status) };
}

/** When its transaction was made: by that, attempts under one name are told apart. */
export function madeAt({ record }: PaymentEvent): number {
	return momentOf(record.created_at) ?? NaN;
}

/** Some say it with the amount, or beside the record. */
export function currencyOf(event: PaymentEvent): string {
	const { amount, currency } = event.record;
	return (
		textOf(currency) || textOf(valueAt(amount, 'currency')) || textOf(simplify(event).currency)
	);
}

/** NaN where it is not known, as is then every sum that it is part of. */
export function amountOf(event: PaymentEvent): number {
	return Math.abs(minorOf(event.record.amount, currencyOf(event)) ?? NaN);
}

export function wordsOf(event: PaymentEvent): string[] {
	const { message, reason, result, status } = event.record;
	return [simplify(event).message, message, reason, result, status].map(textOf);
}

const RETURNED = /(?<![a-z\d])(?:return|R\d\d(?![a-z\d]))/i;
const HOLDS_CODE = /(?:^|ach|error|failure|reason|response|return)code$/;

/** That the bank has returned a debit, as it may an ACH debit: the codes are R01 and the like. */
export function saysReturned(event: PaymentEvent): boolean {
	const codes = placesIn(event.payload).flatMap(({ fields, isNotOfPayment }) =>
		[...fields].filter(([name]) => !isNotOfPayment && HOLDS_CODE.test(name)),
	);
	const words = [...wordsOf(event), ...codes.map(([, code]) => textOf(code))];
	return words.some((each) => RETURNED.test(each));
}

/** The first of those that have the same key. */
export function distinct<T>(all: readonly T[], keyOf: (each: T) => string): T[] {
	const first = new Map<string, T>();
	for (const each of all) {
		const key = keyOf(each);
		if (!first.has(key)) first.set(key, each);
	}
	return [...first.values()];
}

/**
 * Each event once, the oldest first; those without a date before all others. Of one moment, a refund
 * that is under way was before it was done.
 */
export function inOrder(events: readonly PaymentEvent[]): PaymentEvent[] {
	const isDone = (event: PaymentEvent) => Number(!isRefundNotDone(withStatus(event)));
	const sorted = events
		.map((each) => ({ each, at: momentOf(each.date) ?? -Infinity, words: JSON.stringify(each) }))
		.sort((a, b) => {
			if (a.at !== b.at) return a.at < b.at ? -1 : 1;
			return isDone(a.each) - isDone(b.each) || (a.words < b.words ? -1 : 1);
		});
	// Of one that is told in different words, the oldest is kept.
	const once = distinct(sorted, ({ each, words }) => textOf(each.eventID) || words);
	return once.map(({ each }) => each);
}
