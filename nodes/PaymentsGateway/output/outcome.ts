import type { IDataObject } from 'n8n-workflow';

import { formatMoney } from './money';

/** What became of a payment, by the events that carry its reference. */
export type Outcome = 'succeeded' | 'partiallyRefunded' | 'refunded' | 'failed' | 'pending';

export interface Settled {
	outcome: Outcome;
	/** Successes less refunds, in minor units; undefined when an event does not say its amount. */
	amount: number | undefined;
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

/** The same event or, for a success, the same transaction counts once. */
function distinct(events: readonly IDataObject[], key: 'eventID' | 'transactionID'): IDataObject[] {
	const seen = new Set<string>();
	return events.filter((event) => {
		const id = textOf(event[key]);
		if (id === undefined) return true;
		if (seen.has(id)) return false;
		seen.add(id);
		return true;
	});
}

/** The one rule: successes less refunds, else failed, else pending. Takes simplified events. */
export function outcomeOf(all: readonly IDataObject[]): Settled {
	const events = distinct(all, 'eventID');
	const ofType = (type: string) => events.filter((event) => event.type === type);
	const successes = distinct(ofType('payment_success'), 'transactionID');
	const refunds = ofType('payment_refund');
	const failures = ofType('payment_failed');
	const moved = successes.length + refunds.length > 0;
	const telling = successes.length > 0 ? successes : moved ? refunds : failures;
	const newest = [...telling].sort((a, b) => String(b.date).localeCompare(String(a.date)))[0];
	const last = [...(refunds.length > 0 ? refunds : telling)].sort((a, b) =>
		String(b.date).localeCompare(String(a.date)),
	)[0];
	const paid = sum(successes);
	const back = sum(refunds);
	const left = paid === undefined || back === undefined ? undefined : Math.max(0, paid - back);
	return {
		outcome: verdict(successes.length, refunds.length, failures.length, left),
		amount: moved ? left : sum(failures.slice(0, 1)),
		transactionID: textOf(newest?.transactionID),
		currency: textOf(newest?.currency),
		date: textOf(last?.date),
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
