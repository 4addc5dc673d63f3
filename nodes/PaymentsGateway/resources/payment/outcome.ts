import { KNOWN_TYPES, isFailedRefund, minorOf, momentOf, simplify } from '../../output/event';
import type { Unfolded } from '../../output/event';
import { placesIn, refundAmong } from '../../output/payload';
import { isObject, textOf, valueAt } from '../../wire/json';
import {
	hasNotGoneBack,
	isCaptured,
	isUndoneRefund,
	isVoid,
	saysCharged,
} from '../../wire/payment';

/**
 * What a payment came to, by the events of its reference: the one rule that Get Status tells by and
 * that a charge is held back by. The order of the events does not matter, nor that one is listed
 * twice. Where it cannot be known whether money went back, it counts as still there, so that nothing
 * is charged again.
 */

export interface PaymentEvent extends Unfolded {
	/** The service's own record of the transaction, as the payload holds it. */
	record: Readonly<Record<string, unknown>>;
}

export type Outcome = 'succeeded' | 'partiallyRefunded' | 'refunded' | 'failed' | 'notFound';

export interface Settled {
	outcome: Outcome;
	/**
	 * In minor units, what is left: payments less refunds; of a failure, what was tried. Undefined
	 * where an event does not say its amount, where they are in several currencies, or where the
	 * payment of a refund is not among them.
	 */
	amount: number | undefined;
	/** In minor units, what was paid before refunds; undefined where that is not known. */
	paid: number | undefined;
	/** In minor units, what went back. */
	refunded: number | undefined;
	currency: string | undefined;
	transactionID: string | undefined;
	date: string | undefined;
	/** How transactions failed, by what a charge's answer may call them. */
	failed: ReadonlyMap<string, Failed>;
}

/** Epoch milliseconds. */
export interface Failed {
	/** The date of its event; -Infinity where that is not known. */
	toldAt: number;
	/** When the transaction was made; NaN where that is not known. */
	madeAt: number;
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
	if (KNOWN_TYPES.has(type)) return type;
	const byStatus = TYPE_BY_STATUS.get(textOf(record.status).toUpperCase()) ?? type;
	const isBack = refundAmong(placesIn(payload)) || /^refund/i.test(textOf(record.type));
	return isBack && byStatus !== type ? 'payment_refund' : byStatus;
}

export function isPayment(event: PaymentEvent): boolean {
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
function namesOf(event: PaymentEvent): string[] {
	const shared = [event.record.tx_id, event.record.pmt_id, simplify(event).transactionID];
	return [...idsOf(event), ...shared.map(textOf).filter((name) => name !== '')];
}

/** By which of them a failure is known: a shared one tells of an attempt only with its time. */
function namesOfFailure(failure: PaymentEvent): string[] {
	return Number.isNaN(madeAt(failure)) ? idsOf(failure) : namesOf(failure);
}

function statusOf({ record }: PaymentEvent) {
	return { status: textOf(record.status) };
}

/** When its transaction was made: by that, attempts under one name are told apart. */
function madeAt({ record }: PaymentEvent): number {
	return momentOf(record.created_at) ?? NaN;
}

/** Some say it with the amount, or beside the record. */
function currencyOf(event: PaymentEvent): string {
	const { amount, currency } = event.record;
	return (
		textOf(currency) || textOf(valueAt(amount, 'currency')) || textOf(simplify(event).currency)
	);
}

/** NaN where it is not known, as is then every sum that it is part of. */
function amountOf(event: PaymentEvent): number {
	return Math.abs(minorOf(event.record.amount, currencyOf(event)) ?? NaN);
}

function sum(events: readonly PaymentEvent[]): number {
	return events.reduce((total, each) => total + amountOf(each), 0);
}

const ifKnown = (amount: number) => (Number.isNaN(amount) ? undefined : amount);

/** The first of those that have the same key. */
function distinct<T>(all: readonly T[], keyOf: (each: T) => string): T[] {
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
	const isDone = (event: PaymentEvent) => Number(!isUndoneRefund(statusOf(event)));
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

/** Each transaction once, as it was told last. */
function transactions(events: readonly PaymentEvent[]): PaymentEvent[] {
	return distinct([...events].reverse(), (each) => idOf(each) || JSON.stringify(each)).reverse();
}

function wordsOf(event: PaymentEvent): string[] {
	const { message, reason, result, status } = event.record;
	return [simplify(event).message, message, reason, result, status].map(textOf);
}

/** As an ACH debit does. Its codes are R01 and the like. */
const SAYS_RETURNED = /\breturn|\bR\d\d\b/i;

/** Such as "Duplicate transaction" and "Refund failed: insufficient balance". */
const OF_ANOTHER =
	/duplicate|^refund\b|\brefund (?:failed|declined|rejected|denied)\b|\balready (?:been )?refunded\b/i;

/**
 * A second charge was turned away, or a refund failed, perhaps in the name of the payment, which
 * stands.
 */
function isOfAnother(failure: PaymentEvent): boolean {
	const words = wordsOf(failure);
	if (words.some((each) => SAYS_RETURNED.test(each))) return false;
	return words.some((each) => saysCharged(each) || OF_ANOTHER.test(each));
}

/** Whether its transaction failed after it had succeeded, as an ACH debit does that is returned. */
function isReturned(success: PaymentEvent, failures: readonly PaymentEvent[]): boolean {
	const succeeded = momentOf(success.date) ?? NaN;
	const isOfIt = (failure: PaymentEvent) => {
		if (idsOf(failure).includes(idOf(success))) return true;
		// Some give the return an ID of its own.
		const isOfParent = parentOf(failure) !== '' && parentOf(failure) === idOf(success);
		return isOfParent && wordsOf(failure).some((each) => SAYS_RETURNED.test(each));
	};
	return failures.some(
		(failure) =>
			isOfIt(failure) &&
			(momentOf(failure.date) ?? NaN) > succeeded &&
			// That of an earlier attempt under the same ID may be told late.
			!(madeAt(failure) < madeAt(success)),
	);
}

const HOUR = 60 * 60 * 1000;

/**
 * A gateway may approve a card, decline it after all, and tell as a refund that it lets go of the
 * money, which never moved.
 */
function isLettingGo(refund: PaymentEvent, failures: readonly PaymentEvent[]): boolean {
	const at = momentOf(refund.date) ?? NaN;
	return failures.some((failure) => {
		const isOfIt = [idOf(refund), parentOf(refund)].includes(idOf(failure)) && idOf(failure) !== '';
		const isSoon = Math.abs(at - (momentOf(failure.date) ?? NaN)) < HOUR;
		return isOfIt && isSoon && amountOf(refund) === amountOf(failure);
	});
}

/** The refunds among events, without those of cards that were declined. */
export function refundsIn(events: readonly PaymentEvent[]): PaymentEvent[] {
	const paid = new Set(events.filter(isPayment).flatMap(namesOf));
	const declines = events.filter(
		(each) => isFailure(each) && !isOfAnother(each) && !paid.has(idOf(each)),
	);
	return events.filter((each) => isRefund(each) && !isLettingGo(each, declines));
}

/**
 * Those that gave money back, each as it was told last: a refund may be told under the ID of its
 * payment, and by several events. A payment that was voided is told under its ID; what is voided
 * under an ID of its own is a refund that was called off.
 */
function doneAmong(
	refunds: readonly PaymentEvent[],
	successes: readonly PaymentEvent[],
): PaymentEvent[] {
	const paid = new Set(successes.map(idOf));
	const last = distinct([...refunds].reverse(), (each) =>
		JSON.stringify([idOf(each) || parentOf(each), amountOf(each)]),
	);
	return last.filter((each) => {
		if (isFailedRefund(each)) return false;
		const isVoided = isVoid(statusOf(each)) && paid.has(idOf(each));
		return isVoided || !hasNotGoneBack(statusOf(each));
	});
}

/** How transactions failed, by what a charge's answer may call them. */
function failuresByName(
	failures: readonly PaymentEvent[],
	payments: readonly PaymentEvent[],
): Map<string, Failed> {
	const failed = new Map<string, Failed>();
	for (const failure of failures) {
		const how = { toldAt: momentOf(failure.date) ?? -Infinity, madeAt: madeAt(failure) };
		for (const name of namesOfFailure(failure)) failed.set(name, how);
	}
	// What attempts share as a name has not failed where one of them went through.
	for (const name of payments.flatMap(namesOf)) failed.delete(name);
	return failed;
}

export function outcomeOf(all: readonly PaymentEvent[]): Settled {
	const events = inOrder(all);
	const failures = events.filter(isFailure);
	const ownFailures = failures.filter((each) => !isOfAnother(each));
	const successes = transactions(events.filter(isPayment));
	const standing = successes.filter((each) => !isReturned(each, ownFailures));
	// Of an authorisation and its capture, the capture. A subscription's renewals name its first
	// payment as well, but that was captured itself.
	const parents = new Set(standing.map(parentOf));
	parents.delete('');
	const payments = standing.filter(
		(each) => !parents.has(idOf(each)) || isCaptured(statusOf(each)),
	);
	// What went back of a payment that was returned as well is not taken from another one.
	const returned = new Set(successes.filter((each) => !standing.includes(each)).map(idOf));
	const back = refundsIn(events);
	const refunds = doneAmong(back, successes).filter(
		(each) => payments.length === 0 || !(returned.has(parentOf(each)) || returned.has(idOf(each))),
	);

	const moved = inOrder([...payments, ...refunds]);
	const currencies = new Set(moved.map((each) => currencyOf(each).toUpperCase()));
	currencies.delete('');
	// Amounts in several currencies are not added up.
	const isOneCurrency = currencies.size <= 1;
	const paid = isOneCurrency && payments.length > 0 ? sum(payments) : NaN;
	const refunded = isOneCurrency ? sum(refunds) : NaN;
	const left = Math.max(0, paid - refunded);

	// A refund alone, also one that failed, shows that there was a payment.
	const isImplied = successes.length === 0 && back.length > 0;
	const outcome = (): Outcome => {
		// Where an amount is not known, nobody can say that all of it went back.
		const isAllBack = payments.length === 0 || left === 0;
		if (refunds.length > 0) return isAllBack ? 'refunded' : 'partiallyRefunded';
		if (payments.length > 0 || isImplied) return 'succeeded';
		return failures.length > 0 ? 'failed' : 'notFound';
	};

	const telling = payments.at(-1) ?? moved.at(-1) ?? (isImplied ? undefined : failures.at(-1));
	return {
		outcome: outcome(),
		amount: ifKnown(moved.length > 0 || !telling ? left : amountOf(telling)),
		paid: ifKnown(paid),
		refunded: ifKnown(refunded),
		currency: (telling && currencyOf(telling)) || undefined,
		transactionID:
			telling && (idsOf(telling)[0] ?? (textOf(simplify(telling).transactionID) || undefined)),
		date: textOf((moved.at(-1) ?? telling)?.date) || undefined,
		failed: failuresByName(ownFailures, payments),
	};
}
