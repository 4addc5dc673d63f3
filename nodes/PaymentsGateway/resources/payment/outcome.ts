import { isDeclined } from '../../gateway/answer';
import { KNOWN_TYPES, minorOf, momentOf } from '../../output/event';
import type { Unfolded } from '../../output/event';
import { textOf } from '../../wire/json';

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
	/** When the transactions failed, by what a charge's answer may call them. Epoch milliseconds. */
	failedAt: ReadonlyMap<string, number>;
}

/** By the status of its record, where the type of an event is none that is known. */
const TYPE_BY_STATUS = new Map([
	['CAPTURED', 'payment_success'],
	['REVERSED', 'payment_refund'],
]);

function typeOf({ type, record }: Told): string {
	if (KNOWN_TYPES.has(type)) return type;
	return TYPE_BY_STATUS.get(textOf(record.status).toUpperCase()) ?? type;
}

/** Two records are of one transaction when they share this; `tx_id` and `pmt_id` can be of several. */
export function idOf({ record }: Told): string {
	return textOf(record.id);
}

function at({ date }: Told): number | undefined {
	return momentOf(date);
}

/** Each event once, the oldest first; those without a date before all others. */
export function inOrder(told: readonly Told[]): Told[] {
	const sorted = told
		.map((each) => ({ each, at: at(each) ?? -Infinity, words: JSON.stringify(each) }))
		.sort((a, b) => (a.at === b.at ? (a.words < b.words ? -1 : 1) : a.at < b.at ? -1 : 1));
	// Of one that is told in different words, the oldest is kept.
	const once = new Map<string, Told>();
	for (const { each, words } of sorted) {
		const key = textOf(each.eventID) || words;
		if (!once.has(key)) once.set(key, each);
	}
	return [...once.values()];
}

/**
 * A transaction may be told by several events; the newest of them is kept. Of an authorisation and
 * its capture, the capture.
 */
function transactions(told: readonly Told[]): Told[] {
	const captured = new Set(told.map(parentOf));
	return told.filter((each, index) => {
		const id = idOf(each);
		const isToldAgain = told.slice(index + 1).some((later) => idOf(later) === id);
		return id === '' || !(isToldAgain || captured.has(id));
	});
}

/** How a failure calls its transaction: what it looks like is not documented. */
function failedIDs({ record: { id, transactionID, transactionId } }: Told): string[] {
	return [id, transactionID, transactionId].map(textOf);
}

/** Whether its transaction failed after it had succeeded, as an ACH debit does that is returned. */
function isReturned(success: Told, failures: readonly Told[]): boolean {
	const succeeded = at(success) ?? NaN;
	const id = idOf(success);
	return failures.some(
		(failure) => id !== '' && failedIDs(failure).includes(id) && (at(failure) ?? NaN) > succeeded,
	);
}

export function isPayment(told: Told): boolean {
	return typeOf(told) === 'payment_success';
}

/** One that failed has given nothing back. */
export function isRefund(told: Told): boolean {
	const status = textOf(told.record.status);
	return typeOf(told) === 'payment_refund' && !isDeclined({ status });
}

/** The transaction that a refund gives back, where its record says so. */
export function parentOf({ record }: Told): string {
	return textOf(record.parentTransactionId);
}

function amountOf({ record }: Told): number | undefined {
	const amount = minorOf(record.amount, textOf(record.currency));
	return amount === undefined ? undefined : Math.abs(amount);
}

function sum(told: readonly Told[]): number | undefined {
	const total = told.reduce((all, each) => all + (amountOf(each) ?? NaN), 0);
	return Number.isNaN(total) ? undefined : total;
}

/**
 * Each refund once. One may be told by several events, some of them under the ID of its payment: of
 * the same amount they are two only by IDs of their own, or else by their payments.
 */
function distinctRefunds(told: readonly Told[], payments: readonly Told[]): Told[] {
	const paidAs = new Set(payments.map(idOf).filter((id) => id !== ''));
	const refunds = told.map((each) => {
		const isUnderPayment = paidAs.has(idOf(each));
		return {
			each,
			amount: amountOf(each),
			id: isUnderPayment ? '' : idOf(each),
			payment: isUnderPayment ? idOf(each) : parentOf(each),
		};
	});
	type Refund = (typeof refunds)[number];
	/** Of two in the order below: where the first has an ID, the other has one. */
	const areOne = (a: Refund, b: Refund) => {
		if (a.amount !== b.amount) return false;
		if (a.id !== '') return a.id === b.id;
		return a.payment === b.payment || a.payment === '' || b.payment === '';
	};
	// Those that say most come first, so that what says less is one of them and joins no two.
	const detail = ({ id, payment }: Refund) => (id === '' ? 0 : 2) + (payment === '' ? 0 : 1);
	const kept: Refund[] = [];
	for (const refund of refunds.sort((a, b) => detail(b) - detail(a))) {
		if (!kept.some((other) => areOne(refund, other))) kept.push(refund);
	}
	return kept.map(({ each }) => each);
}

function namesOf(told: readonly Told[]): Set<string> {
	const names = told.flatMap((each) => [
		...failedIDs(each),
		...[each.record.tx_id, each.record.pmt_id].map(textOf),
	]);
	return new Set(names.filter((name) => name !== ''));
}

export function outcomeOf(all: readonly Told[]): Settled {
	const told = inOrder(all);
	const failures = told.filter((each) => typeOf(each) === 'payment_failed');
	const successes = transactions(told.filter(isPayment));
	const payments = successes.filter((each) => !isReturned(each, failures));
	const gone = new Set(successes.filter((each) => !payments.includes(each)).map(idOf));
	// What went back of a payment that was returned as well is not taken from another one.
	const refunds = distinctRefunds(told.filter(isRefund), successes).filter(
		(each) => payments.length === 0 || !(gone.has(parentOf(each)) || gone.has(idOf(each))),
	);

	const moved = inOrder([...payments, ...refunds]);
	const currencies = moved.map(({ record }) => textOf(record.currency).toUpperCase());
	// Amounts in several currencies are not added up.
	const isOneCurrency = new Set(currencies.filter((each) => each !== '')).size <= 1;
	const paid = isOneCurrency ? sum(payments) : undefined;
	const refunded = isOneCurrency ? sum(refunds) : undefined;
	const isKnown = payments.length > 0 && paid !== undefined && refunded !== undefined;
	const left = isKnown ? Math.max(0, paid - refunded) : undefined;
	let outcome: Outcome = 'notFound';
	if (failures.length > 0) outcome = 'failed';
	if (payments.length > 0) outcome = 'succeeded';
	if (refunds.length > 0) {
		// Where an amount is not known, nobody can say that all of it went back. A refund alone shows
		// that there was a payment.
		outcome = payments.length === 0 || left === 0 ? 'refunded' : 'partiallyRefunded';
	}
	const telling = payments.at(-1) ?? moved.at(-1) ?? failures.at(-1);
	const paidAs = namesOf(payments);
	return {
		outcome,
		amount: moved.length > 0 ? left : telling && amountOf(telling),
		paid: isKnown ? paid : undefined,
		refunded,
		currency: textOf(telling?.record.currency) || undefined,
		transactionID: (telling && idOf(telling)) || undefined,
		date: textOf((moved.at(-1) ?? telling)?.date) || undefined,
		failedAt: new Map(
			failures.flatMap((failure) =>
				[...namesOf([failure])]
					.filter((name) => !paidAs.has(name))
					.map((name) => [name, at(failure) ?? -Infinity] as const),
			),
		),
	};
}
