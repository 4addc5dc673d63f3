import type { ChargeLock } from './chargeLock';
import type { ChargeKeys } from './keys';

/**
 * The charges that this process has sent, in any execution, workflow or node. They cover Retry On Fail,
 * and the time until the gateway's events show a charge. After a restart of n8n, locks do: chargeLock.ts.
 */

export interface SentCharge {
	/** In cents. */
	readonly total: number;
	/** Empty for a cart without one. */
	readonly referenceID: string;
	readonly keys: ChargeKeys;
	/** Undefined if repeats are allowed. */
	lock?: ChargeLock;
	/** It was sent after this, by the gateway's clock, in epoch milliseconds. */
	notBefore: number;
	/** `sent` until an answer shows what came of it. */
	state: 'sent' | 'pending' | 'charged';
	transactionID?: string;
	status?: string;
}

/** What is to be charged. */
export type Due = Pick<SentCharge, 'total' | 'referenceID'>;

const MAX_CHARGES = 10_000;
/** As long as a lock lasts at least. */
const MAX_AGE = 30 * 24 * 60 * 60 * 1000;

/** When each charge was sent, by `performance.now()`. The oldest comes first. */
const sentAt = new Map<SentCharge, number>();

export function rememberCharge(charge: SentCharge): void {
	sentAt.set(charge, performance.now());
}

export function forgetCharge(charge: SentCharge): void {
	sentAt.delete(charge);
}

/** The charges that share a key with these. If repeats are allowed, only the item counts. */
export function chargesSent({ item, shared }: ChargeKeys, allowRepeat: boolean): SentCharge[] {
	for (const [oldest, time] of sentAt) {
		if (sentAt.size <= MAX_CHARGES && performance.now() - time < MAX_AGE) break;
		forgetCharge(oldest);
	}
	return [...sentAt.keys()].filter(
		({ keys }) =>
			keys.item === item || (!allowRepeat && keys.shared.some((key) => shared.includes(key))),
	);
}

/** The transaction of a failure, and its date in epoch milliseconds. */
interface Failure {
	readonly transactionID: string;
	readonly at: number;
}

/** Whether the events show that its transaction failed after it was sent. */
export function hasFailed(charge: SentCharge, failures: readonly Failure[] = []): boolean {
	return failures.some(
		({ transactionID, at }) =>
			transactionID !== '' && transactionID === charge.transactionID && at > charge.notBefore,
	);
}
