import { KNOWN_TYPES, isFailedRefund, minorOf, momentOf, simplify } from '../../output/event';
import type { Unfolded } from '../../output/event';
import { placesIn, refundAmong } from '../../output/payload';
import { isObject, textOf, valueAt } from '../../wire/json';
import { hasNotGoneBack, isCaptured, isOpenRefund } from '../../wire/payment';

/**
 * What a payment came to, by the events of its reference: the one rule that Get Status tells by and
 * that a charge is held back by. The order of the events does not matter, nor that one is listed
 * twice. Where it cannot be known whether money went back, it counts as still there, so that nothing
 * is charged again.
 */

/** What an event says. */
export interface Told extends Unfolded {
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
	/** When it was told; -Infinity where that is not known. */
	told: number;
	/** When the transaction was made; NaN where that is not known. */
	made: number;
}

/** By the status of its record, where the type of an event is none that is known. */
const TYPE_BY_STATUS = new Map([
	['CAPTURED', 'payment_success'],
	['REVERSED', 'payment_refund'],
]);

function typeOf(told: Told): string {
	const { type, record, payload } = told;
	// A refund that failed leaves its payment as it was.
	if (isFailedRefund(told)) return 'payment_refund';
	if (KNOWN_TYPES.has(type)) return type;
	const byStatus = TYPE_BY_STATUS.get(textOf(record.status).toUpperCase());
	return byStatus && refundAmong(placesIn(payload)) ? 'payment_refund' : (byStatus ?? type);
}

export function isPayment(told: Told): boolean {
	return typeOf(told) === 'payment_success';
}

export function isFailure(told: Told): boolean {
	return typeOf(told) === 'payment_failed';
}

export function isRefund(told: Told): boolean {
	return typeOf(told) === 'payment_refund';
}

/** Two records are of one transaction when they share this; `tx_id` and `pmt_id` can be of several. */
export function idOf({ record }: Told): string {
	return textOf(record.id);
}

/** The transaction that a refund gives back, or a capture captures, where its record says so. */
export function parentOf({ record }: Told): string {
	return textOf(record.parentTransactionId);
}

const TRANSACTION_ID = /^transaction_?id$/i;

/** How a failure calls its transaction: what it looks like is not documented. */
export function idsOf({ record, payload }: Told): string[] {
	const around = isObject(payload) ? payload : {};
	const named = [...Object.entries(record), ...Object.entries(around)]
		.filter(([name]) => TRANSACTION_ID.test(name))
		.map(([, id]) => id);
	return [record.id, ...named].map(textOf).filter((each) => each !== '');
}

/** What several attempts may have in common. */
function sharedNamesOf({ record }: Told): string[] {
	return [record.tx_id, record.pmt_id].map(textOf).filter((each) => each !== '');
}

function namesOf(told: Told): string[] {
	return [...idsOf(told), ...sharedNamesOf(told)];
}

/** When its transaction was made: by that, attempts under one name are told apart. */
function madeAt({ record }: Told): number {
	return momentOf(record.created_at) ?? NaN;
}

/** Some say it beside the record. */
function currencyOf({ record, payload }: Told): string {
	return textOf(record.currency) || textOf(valueAt(payload, 'currency'));
}

/** NaN where it is not known, as is then every sum that it is part of. */
function amountOf(told: Told): number {
	return Math.abs(minorOf(told.record.amount, currencyOf(told)) ?? NaN);
}

function sum(told: readonly Told[]): number {
	return told.reduce((total, each) => total + amountOf(each), 0);
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
export function inOrder(told: readonly Told[]): Told[] {
	const isDone = ({ record }: Told) => Number(!isOpenRefund({ status: textOf(record.status) }));
	const sorted = told
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
function transactions(told: readonly Told[]): Told[] {
	return distinct([...told].reverse(), (each) => idOf(each) || JSON.stringify(each)).reverse();
}

/** A second charge is turned away, perhaps in the name of the first one, which stands. */
function isDuplicate(failure: Told): boolean {
	return /duplicate/i.test(textOf(simplify(failure).message));
}

/** Whether its transaction failed after it had succeeded, as an ACH debit does that is returned. */
function isReturned(success: Told, failures: readonly Told[]): boolean {
	const succeeded = momentOf(success.date) ?? NaN;
	return failures.some(
		(failure) =>
			idsOf(failure).includes(idOf(success)) &&
			(momentOf(failure.date) ?? NaN) > succeeded &&
			// That of an earlier attempt under the same ID may be told late.
			!(madeAt(failure) < madeAt(success)),
	);
}

export function outcomeOf(all: readonly Told[]): Settled {
	const told = inOrder(all);
	const failures = told.filter(isFailure);
	const ownFailures = failures.filter((each) => !isDuplicate(each));
	const successes = transactions(told.filter(isPayment));
	const standing = successes.filter((each) => !isReturned(each, ownFailures));
	const returned = new Set(successes.filter((each) => !standing.includes(each)).map(idOf));
	// Of an authorisation and its capture, the capture. A subscription's renewals name its first
	// payment as well, but that was captured itself.
	const parents = new Set(standing.map(parentOf));
	parents.delete('');
	const isAuthorisation = (each: Told) =>
		parents.has(idOf(each)) && !isCaptured({ status: textOf(each.record.status) });
	const payments = standing.filter((each) => !isAuthorisation(each));
	// A refund may be told under the ID of its payment, and by several events, the last of which counts.
	const refunds = distinct(told.filter(isRefund).reverse(), (each) =>
		JSON.stringify([idOf(each) || parentOf(each), amountOf(each)]),
	)
		// One that failed has given nothing back, nor, so far, has one that is under way.
		.filter(
			(each) => !isFailedRefund(each) && !hasNotGoneBack({ status: textOf(each.record.status) }),
		)
		// What went back of a payment that was returned as well is not taken from another one.
		.filter(
			(each) =>
				payments.length === 0 || !(returned.has(parentOf(each)) || returned.has(idOf(each))),
		);

	const moved = inOrder([...payments, ...refunds]);
	const currencies = new Set(moved.map((each) => currencyOf(each).toUpperCase()));
	currencies.delete('');
	// Amounts in several currencies are not added up.
	const isOneCurrency = currencies.size <= 1;
	const paid = isOneCurrency && payments.length > 0 ? sum(payments) : NaN;
	const refunded = isOneCurrency ? sum(refunds) : NaN;
	const left = Math.max(0, paid - refunded);

	let outcome: Outcome = 'notFound';
	if (failures.length > 0) outcome = 'failed';
	// A refund alone, also one that failed, shows that there was a payment.
	const isShown = successes.length === 0 && told.some(isRefund);
	if (payments.length > 0 || isShown) outcome = 'succeeded';
	if (refunds.length > 0) {
		// Where an amount is not known, nobody can say that all of it went back.
		outcome = payments.length === 0 || left === 0 ? 'refunded' : 'partiallyRefunded';
	}

	// What the answer to a charge may call its transaction.
	const failed = new Map<string, Failed>();
	for (const failure of ownFailures) {
		const how = { told: momentOf(failure.date) ?? -Infinity, made: madeAt(failure) };
		const names = Number.isNaN(how.made) ? idsOf(failure) : namesOf(failure);
		for (const name of names) failed.set(name, how);
	}
	// What attempts share as a name has not failed where one of them went through.
	for (const name of payments.flatMap(namesOf)) failed.delete(name);

	const telling = payments.at(-1) ?? moved.at(-1) ?? (isShown ? undefined : failures.at(-1));
	return {
		outcome,
		amount: ifKnown(moved.length > 0 || !telling ? left : amountOf(telling)),
		paid: ifKnown(paid),
		refunded: ifKnown(refunded),
		currency: (telling && currencyOf(telling)) || undefined,
		transactionID: telling && idsOf(telling)[0],
		date: textOf((moved.at(-1) ?? telling)?.date) || undefined,
		failed,
	};
}
