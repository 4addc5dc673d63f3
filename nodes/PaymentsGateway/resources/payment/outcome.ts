import type { IDataObject } from 'n8n-workflow';

import { KNOWN_TYPES, momentOf } from '../../output/event';
import { textOf } from '../../wire/json';

/** What an event of a reference says. */
export interface Told {
	/** Simplified, as it leaves the node. */
	event: IDataObject;
	/** The service's own record of the transaction, as the payload holds it. */
	record: Readonly<Record<string, unknown>>;
}

/** What became of a payment, by the events that carry its reference. */
export type Outcome = 'succeeded' | 'partiallyRefunded' | 'refunded' | 'failed' | 'pending';

export interface Settled {
	outcome: Outcome;
	/** Successes less refunds, in minor units; undefined when an event does not say its amount. */
	amount: number | undefined;
	/** How many payments have gone through, refunded or not. */
	payments: number;
	/** Their transactions, as far as the events name them. */
	paidAs: ReadonlySet<string>;
	/** The transactions that failed. */
	failedAs: ReadonlySet<string>;
	/** More went back than came in, so a payment is missing among the events. */
	lacksPayment: boolean;
	transactionID: string | undefined;
	currency: string | undefined;
	date: string | undefined;
}

/** By the status of its record, where the type of an event is none that is known. */
const TYPE_BY_STATUS = new Map([
	['CAPTURED', 'payment_success'],
	['REVERSED', 'payment_refund'],
]);

function typeOf({ event: { type, status } }: Told): unknown {
	return KNOWN_TYPES.has(type) ? type : (TYPE_BY_STATUS.get(String(status).toUpperCase()) ?? type);
}

function sum(events: readonly IDataObject[]): number | undefined {
	const amounts = events.map(({ amount }) => (typeof amount === 'number' ? Math.abs(amount) : NaN));
	const total = amounts.reduce((all, amount) => all + amount, 0);
	return Number.isNaN(total) ? undefined : total;
}

/** What has the same key counts once; what has none, each by itself. */
function distinct<T>(all: readonly T[], keyOf: (each: T) => string): T[] {
	const seen = new Set<string>();
	return all.filter((each) => {
		const key = keyOf(each);
		return key === '' || (!seen.has(key) && seen.add(key));
	});
}

function newest(events: readonly IDataObject[]): IDataObject | undefined {
	const at = ({ date }: IDataObject) => momentOf(date) ?? -Infinity;
	const later = (a: IDataObject, b: IDataObject) =>
		at(a) === at(b) ? String(a.eventID) > String(b.eventID) : at(a) > at(b);
	return events.reduce<IDataObject | undefined>(
		(found, event) => (found === undefined || later(event, found) ? event : found),
		undefined,
	);
}

/** What a refund's record is known by beside its ID, which may be that of the payment. */
const MARKS = ['tx_id', 'authcode', 'brand_reference'] as const;
/** Records that were made as far apart as this are two. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * Counts each refund once. A refund that is told again comes with another event and another date,
 * perhaps under the ID of its payment. What cannot be told apart counts as one: the money that is
 * left is then more, and nothing is charged again.
 */
function distinctRefunds(told: readonly Told[], paidAs: ReadonlySet<string>): IDataObject[] {
	const ownID = ({ event }: Told) => {
		const id = textOf(event.transactionID);
		return paidAs.has(id) ? '' : id;
	};
	const differ = (a: string, b: string) => a !== '' && b !== '' && a !== b;
	const areTwo = (a: Told, b: Told) => {
		const [first, second] = [ownID(a), ownID(b)];
		if (first !== '' && second !== '') return first !== second;
		const apart = Math.abs(
			(momentOf(a.record.created_at) ?? NaN) - (momentOf(b.record.created_at) ?? NaN),
		);
		return (
			a.event.amount !== b.event.amount ||
			apart >= DAY ||
			MARKS.some((mark) => differ(textOf(a.record[mark]), textOf(b.record[mark])))
		);
	};
	// In an order that is the same whichever way the events were listed.
	const keyOf = (each: Told) =>
		JSON.stringify([ownID(each), each.event.amount, each.event.eventID]);
	const sorted = [...told].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
	const found: Told[] = [];
	for (const refund of sorted) {
		if (found.every((other) => areTwo(refund, other))) found.push(refund);
	}
	return found.map(({ event }) => event);
}

/** The one rule: successes less refunds, else failed, else pending. */
export function outcomeOf(all: readonly Told[]): Settled {
	const each = distinct(all, ({ event }) => textOf(event.eventID));
	const ofType = (type: string) => each.filter((told) => typeOf(told) === type);
	const eventsOf = (those: readonly Told[]) => those.map(({ event }) => event);
	const paidTold = eventsOf(ofType('payment_success'));
	const backTold = ofType('payment_refund');
	const failures = eventsOf(ofType('payment_failed'));

	// The same payment may be told by several events.
	const successes = distinct(paidTold, ({ transactionID }) => textOf(transactionID));
	const idsOf = (those: readonly IDataObject[]) =>
		those.map(({ transactionID }) => textOf(transactionID)).filter((id) => id !== '');
	const paidAs = new Set(idsOf(successes));
	const refunds = distinctRefunds(backTold, paidAs);

	const moved = successes.length + refunds.length > 0;
	const back = eventsOf(backTold);
	const telling = newest(successes.length > 0 ? paidTold : moved ? back : failures);
	const paid = sum(successes);
	const returned = sum(refunds);
	const left =
		paid === undefined || returned === undefined ? undefined : Math.max(0, paid - returned);
	return {
		outcome: verdict(successes.length, refunds.length, failures.length, left),
		amount: moved ? left : telling && sum([telling]),
		payments: successes.length,
		paidAs,
		failedAs: new Set(idsOf(failures).filter((id) => !paidAs.has(id))),
		lacksPayment:
			refunds.length > 0 && (successes.length === 0 || (returned ?? 0) > (paid ?? Infinity)),
		transactionID: textOf(telling?.transactionID) || undefined,
		currency: textOf(telling?.currency) || undefined,
		date: textOf((newest([...paidTold, ...back]) ?? telling)?.date) || undefined,
	};
}

function verdict(
	successes: number,
	refunds: number,
	failures: number,
	left: number | undefined,
): Outcome {
	if (successes + refunds === 0) return failures > 0 ? 'failed' : 'pending';
	if (refunds === 0) return 'succeeded';
	// Without amounts nobody can say that all of it went back.
	return left === 0 ? 'refunded' : 'partiallyRefunded';
}

/** Whether money of this payment is still with the merchant. */
export function isPaid({ outcome }: Settled): boolean {
	return outcome === 'succeeded' || outcome === 'partiallyRefunded';
}
