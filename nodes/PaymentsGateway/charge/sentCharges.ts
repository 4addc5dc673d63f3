import { secondOf } from '../events/order';
import type { PaymentEvent } from '../events/paymentEvent';
import { createExpiringMap } from '../gateway/expiringMap';
import { DAY } from '../wire/duration';
import type { Charge } from './charge';
import type { ChargeLock } from './chargeLock';
import type { ChargeKeys } from './keys';

/**
 * The charges that this process has sent, in any execution, workflow or node. They cover Retry On Fail,
 * and the time until the gateway's events show a charge. After a restart of n8n, locks do: chargeLock.ts.
 */

export interface SentCharge extends Pick<Charge, 'cart' | 'keys'> {
	/** Undefined if repeats are allowed. */
	readonly lock: ChargeLock | undefined;
	/** A moment shortly before it was sent, by the gateway's clock if it shows one. Epoch milliseconds. */
	readonly sentAfter: number;
	/**
	 * The failures of its reference that were listed before it was sent: they belong to earlier attempts.
	 * Empty if repeats are allowed: then nobody has looked.
	 */
	readonly earlierFailures: ReadonlySet<string>;
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

/**
 * The gateway may list the failure of a refused charge late, even after the next charge of the reference was
 * sent. That charge would then seem to have failed. Only the dates show whose failure it is, so the next
 * charge is sent this many milliseconds after the refusal. Each of three things can blur a date by a
 * second: an event's date and the Date header have no fractions, and an answer takes time to arrive.
 */
export const REFUSAL_GAP = 3_000;

/** When a charge was last refused, by identity. The time is by `performance.now()`. */
const refusedAt = createExpiringMap<number>(REFUSAL_GAP);

export function forgetRefused(charge: SentCharge): void {
	sentAt.delete(charge);
	for (const identity of charge.keys.identities) refusedAt.set(identity, performance.now());
}

/** How many milliseconds the next charge with one of these identities has to wait. */
export function waitAfterRefusal({ identities }: ChargeKeys): number {
	const last = Math.max(...identities.map((each) => refusedAt.get(each) ?? -Infinity));
	return Math.max(0, last + REFUSAL_GAP - performance.now());
}

/** If repeats are allowed, those of the same item. Otherwise those with an identity in common. */
export function findSent({ item, identities }: ChargeKeys, allowRepeat: boolean): SentCharge[] {
	for (const [oldest, time] of sentAt) {
		if (sentAt.size <= MAX_CHARGES && performance.now() - time < MAX_AGE) break;
		sentAt.delete(oldest);
	}
	return [...sentAt.keys()].filter(({ keys }) =>
		allowRepeat ? keys.item === item : keys.identities.some((each) => identities.includes(each)),
	);
}

/**
 * Whether one of the failures among the events can be the charge's own. Without a transaction ID, each
 * later one can be. With the ID, an earlier attempt can still have the same. Its failure is in
 * `earlierFailures`, or dated in an earlier second because of the gap after a refusal. Whole seconds are
 * compared, since an event's date may have no fractions.
 */
export function mayHaveFailed(
	{ transactionID, sentAfter, earlierFailures }: SentCharge,
	failures: readonly PaymentEvent[],
): boolean {
	return failures.some(
		(failure) =>
			(transactionID === '' || failure.transactionID === transactionID) &&
			secondOf(failure.at) >= secondOf(sentAfter) &&
			!earlierFailures.has(failure.key),
	);
}
