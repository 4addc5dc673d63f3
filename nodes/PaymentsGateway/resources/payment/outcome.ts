import { simplify } from '../../output/event';
import { isFailedRefund } from './olderPayload';
import { momentOf } from '../../wire/moment';
import { textOf } from '../../wire/json';
import { hasNotGoneBack, isCaptured, isVoid, saysCharged } from '../../wire/payment';
import {
	amountOf,
	currencyOf,
	distinct,
	idOf,
	idsOf,
	inOrder,
	isFailure,
	isSuccess,
	isRefund,
	madeAt,
	namesOf,
	namesOfFailure,
	parentOf,
	saysReturned,
	withStatus,
	wordsOf,
} from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * What a payment came to, by the events of its reference: the one rule that Get Status tells by and
 * that a charge is held back by. The order of the events does not matter, nor that one is listed
 * twice. Where it cannot be known whether money went back, it counts as still there, so that nothing
 * is charged again.
 */

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
	/** When transactions failed, by the names that a charge's answer may give them. */
	failed: ReadonlyMap<string, Failed>;
}

/** Epoch milliseconds. */
export interface Failed {
	/** The date of its event; -Infinity where that is not known. */
	toldAt: number;
	/** When the transaction was made; NaN where that is not known. */
	madeAt: number;
}

function sum(events: readonly PaymentEvent[]): number {
	return events.reduce((total, each) => total + amountOf(each), 0);
}

const ifKnown = (amount: number) => (Number.isNaN(amount) ? undefined : amount);

/** Each transaction once, as it was told last. */
function transactions(events: readonly PaymentEvent[]): PaymentEvent[] {
	return distinct([...events].reverse(), (each) => idOf(each) || JSON.stringify(each)).reverse();
}

/** Such as "Duplicate transaction" and "Refund failed: insufficient balance". */
const OF_ANOTHER =
	/duplicate|^refund\b|\brefund (?:failed|declined|rejected|denied)\b|\balready (?:been )?refunded\b/i;

/**
 * A second charge was turned away, or a refund failed, perhaps in the name of the payment, which
 * stands.
 */
function isOfAnother(failure: PaymentEvent): boolean {
	if (saysReturned(failure)) return false;
	return wordsOf(failure).some((each) => saysCharged(each) || OF_ANOTHER.test(each));
}

/** How its transaction failed after it had succeeded, as an ACH debit does that is returned. */
function returnOf(
	success: PaymentEvent,
	failures: readonly PaymentEvent[],
): PaymentEvent | undefined {
	const succeeded = momentOf(success.date) ?? NaN;
	const isOfIt = (failure: PaymentEvent) => {
		if (idsOf(failure).includes(idOf(success))) return true;
		// Some give the return an ID of its own.
		const isOfParent = parentOf(failure) !== '' && parentOf(failure) === idOf(success);
		return isOfParent && saysReturned(failure);
	};
	return failures.find(
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
	const paid = new Set(events.filter(isSuccess).flatMap(namesOf));
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
		const isVoided = isVoid(withStatus(each)) && paid.has(idOf(each));
		return isVoided || !hasNotGoneBack(withStatus(each));
	});
}

/** When transactions failed, by the names that a charge's answer may give them. */
function failuresByName(
	failures: readonly PaymentEvent[],
	returns: ReadonlyMap<PaymentEvent, PaymentEvent>,
	payments: readonly PaymentEvent[],
): Map<string, Failed> {
	const failed = new Map<string, Failed>();
	// A return may call its payment by other names than the charge's answer did.
	for (const [made, told] of [...returns, ...failures.map((each) => [each, each] as const)]) {
		const when = { toldAt: momentOf(told.date) ?? -Infinity, madeAt: madeAt(made) };
		for (const name of namesOfFailure(made)) failed.set(name, when);
	}
	// What attempts share as a name has not failed where one of them went through.
	for (const name of payments.flatMap(namesOf)) failed.delete(name);
	return failed;
}

export function outcomeOf(all: readonly PaymentEvent[]): Settled {
	const events = inOrder(all);
	const failures = events.filter(isFailure);
	const ownFailures = failures.filter((each) => !isOfAnother(each));
	const successes = transactions(events.filter(isSuccess));
	const returns = new Map<PaymentEvent, PaymentEvent>();
	for (const each of successes) {
		const failure = returnOf(each, ownFailures);
		if (failure) returns.set(each, failure);
	}
	const standing = successes.filter((each) => !returns.has(each));
	// Of an authorisation and its capture, the capture. A subscription's renewals name its first
	// payment as well, but that was captured itself.
	const parents = new Set(standing.map(parentOf));
	parents.delete('');
	const payments = standing.filter(
		(each) => !parents.has(idOf(each)) || isCaptured(withStatus(each)),
	);
	// What went back of a payment that was returned as well is not taken from another one.
	const returned = new Set([...returns.keys()].map(idOf));
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
		failed: failuresByName(ownFailures, returns, payments),
	};
}
