import type { IDataObject } from 'n8n-workflow';

import { momentOf } from '../../output/event';
import { formatMoney } from '../../output/money';

/** What became of a payment, by the events that carry its reference. */
export type Outcome = 'succeeded' | 'partiallyRefunded' | 'refunded' | 'failed' | 'pending';

export interface Settled {
	outcome: Outcome;
	/** Successes less refunds, in minor units; undefined when an event does not say its amount. */
	amount: number | undefined;
	/** How many payments have gone through, refunded or not. */
	payments: number;
	/** More went back than came in, so a payment is missing among the events. */
	lacksPayment: boolean;
	transactionID: string | undefined;
	currency: string | undefined;
	date: string | undefined;
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function sum(events: readonly IDataObject[]): number | undefined {
	const amounts = events.map(({ amount }) => (typeof amount === 'number' ? Math.abs(amount) : NaN));
	const total = amounts.reduce((all, amount) => all + amount, 0);
	return Number.isNaN(total) ? undefined : total;
}

/** Events of one key count once; those without a key each by themselves. */
function distinct(
	events: readonly IDataObject[],
	keyOf: (event: IDataObject) => string | undefined,
): IDataObject[] {
	const seen = new Set<string>();
	return events.filter((event) => {
		const key = keyOf(event);
		if (key === undefined) return true;
		if (seen.has(key)) return false;
		seen.add(key);
		return true;
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

/** The one rule: successes less refunds, else failed, else pending. Takes simplified events. */
export function outcomeOf(all: readonly IDataObject[]): Settled {
	const events = distinct(all, ({ eventID }) => textOf(eventID));
	const ofType = (type: string) => events.filter((event) => event.type === type);
	const told = ofType('payment_success');
	const backTold = ofType('payment_refund');
	const failures = ofType('payment_failed');

	// The same payment may be told by several events, and so may a refund. Where a refund goes by
	// the ID of its payment, two parts of it must not be taken for one.
	const successes = distinct(told, ({ transactionID }) => textOf(transactionID));
	const paidIDs = new Set(successes.map(({ transactionID }) => transactionID));
	const refunds = distinct(backTold, ({ transactionID, amount, date }) =>
		paidIDs.has(transactionID)
			? JSON.stringify([transactionID, amount, date])
			: textOf(transactionID),
	);

	const moved = successes.length + refunds.length > 0;
	const telling = newest(successes.length > 0 ? told : moved ? backTold : failures);
	const paid = sum(successes);
	const back = sum(refunds);
	const left = paid === undefined || back === undefined ? undefined : Math.max(0, paid - back);
	return {
		outcome: verdict(successes.length, refunds.length, failures.length, left),
		amount: moved ? left : telling && sum([telling]),
		payments: successes.length,
		lacksPayment:
			refunds.length > 0 && (successes.length === 0 || (back ?? 0) > (paid ?? Infinity)),
		transactionID: textOf(telling?.transactionID),
		currency: textOf(telling?.currency),
		date: textOf((newest(backTold) ?? telling)?.date),
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

export function formatted(
	amount: number | undefined,
	currency: string | undefined,
): string | undefined {
	return amount === undefined ? undefined : formatMoney(amount, currency ?? '');
}
