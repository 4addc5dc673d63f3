import { DAY } from '../wire/duration';
import type { Cart } from './charge';
import type { ChargeLock } from './chargeLock';
import type { ChargeKeys } from './keys';

/**
 * The charges that this process has sent, in any execution, workflow or node. They cover Retry On Fail,
 * and the time until the gateway's events show a charge. After a restart of n8n, locks do: chargeLock.ts.
 */

export interface SentCharge {
	readonly cart: Cart;
	readonly keys: ChargeKeys;
	/** Undefined if repeats are allowed. */
	readonly lock: ChargeLock | undefined;
	/**
	 * A time before it was sent, by the gateway's clock if it shows one. Only a later failure is
	 * this charge's.
	 */
	readonly sentAfter: number;
	/** `unanswered` until an answer shows what came of it. */
	state: 'unanswered' | 'pending' | 'charged';
	/** Empty until an answer gives it. */
	transactionID: string;
	status: string;
}

/** 27 MB, at 2.7 kB a charge (measured). */
const MAX_CHARGES = 10_000;
/** The minimum lifetime of a lock. */
const MAX_AGE = 30 * DAY;

/** When each charge was sent, by `performance.now()`. The oldest comes first. */
const sentAt = new Map<SentCharge, number>();

export function remember(charge: SentCharge): void {
	sentAt.set(charge, performance.now());
}

export function forget(charge: SentCharge): void {
	sentAt.delete(charge);
}

/** Those of the same item or, unless repeats are allowed, with an identity in common. */
export function findSent({ item, identities }: ChargeKeys, allowRepeat: boolean): SentCharge[] {
	for (const [oldest, time] of sentAt) {
		if (sentAt.size <= MAX_CHARGES && performance.now() - time < MAX_AGE) break;
		forget(oldest);
	}
	return [...sentAt.keys()].filter(
		({ keys }) =>
			keys.item === item ||
			(!allowRepeat && keys.identities.some((each) => identities.includes(each))),
	);
}

/** A failure among the events: its transaction, and its date in epoch milliseconds. */
interface Failure {
	readonly transactionID: string;
	readonly at: number;
}

/** Whether the events show that the transaction failed after it was sent. */
export function hasFailed(
	{ transactionID, sentAfter }: SentCharge,
	failures: readonly Failure[],
): boolean {
	const isItsOwn = (failure: Failure) =>
		failure.transactionID === transactionID && failure.at > sentAfter;
	return transactionID !== '' && failures.some(isItsOwn);
}
