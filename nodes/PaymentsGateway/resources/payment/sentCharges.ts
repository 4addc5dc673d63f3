import { createHash, randomUUID } from 'crypto';

import type { OperationContext } from '../../operation/operation';
import type { Due } from './chargeResult';
import type { Claim } from './claims';
import type { Settled } from './outcome';

/**
 * Remembers every charge that this process has sent, whatever execution, workflow or node sent it. It
 * covers Retry On Fail, and the time in which the gateway's events lag behind. After a restart of
 * n8n, its deduplication store does.
 */

/** Hashes of what a charge is known by again. */
export interface Keys {
	/** The item of the run that it was sent for, which n8n may run again. */
	readonly item: string;
	readonly paymentData: string;
	/** Undefined for a cart without one. */
	readonly reference: string | undefined;
}

export interface SentCharge extends Due {
	readonly keys: Keys;
	/** Undefined where repeats are allowed. */
	readonly claim: Claim | undefined;
	/**
	 * It left no earlier, by the gateway's clock, in epoch milliseconds. What failed before, under an ID
	 * that several attempts may share, says nothing of this one.
	 */
	readonly notBefore: number;
	/** `sent` as long as nobody knows what came of it. */
	state: 'sent' | 'pending' | 'charged';
	transactionID?: string;
	status?: string;
}

const MOST = 10_000;
/** After so long a charge is forgotten. */
const LONGEST = 72 * 60 * 60 * 1000;
/** The gateway tells its time in whole seconds. */
const SECOND = 1_000;

/** The oldest first, each with the time when it was sent. */
const sent = new Map<SentCharge, number>();

export function hash(...words: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

export function keysOf(
	{ client, context, itemIndex }: OperationContext,
	paymentData: string,
	referenceID: string,
): Keys {
	// Nothing is run again outside of an execution, so no two calls there are the same.
	const execution = context.getExecutionId() || randomUUID();
	const run: unknown = context.getWorkflowDataProxy(itemIndex).$runIndex;
	const { scope } = client;
	return {
		// With the payment data: an agent can charge several carts for one item.
		item: hash(scope, execution, context.getNode().name, run, itemIndex, paymentData),
		paymentData: hash(scope, 'paymentData', paymentData),
		reference: referenceID === '' ? undefined : hash(scope, 'reference', referenceID),
	};
}

export function rememberCharge(charge: SentCharge): void {
	sent.set(charge, performance.now());
}

export function forgetCharge(charge: SentCharge): void {
	sent.delete(charge);
}

/** What was sent under any of the keys. With repeats allowed, only the same item is the same charge. */
export function chargesSent(
	{ item, paymentData, reference }: Keys,
	allowRepeat: boolean,
): SentCharge[] {
	for (const [oldest, at] of sent) {
		if (sent.size <= MOST && performance.now() - at < LONGEST) break;
		forgetCharge(oldest);
	}
	return [...sent.keys()].filter(({ keys }) => {
		if (keys.item === item) return true;
		const isSameReference = reference !== undefined && keys.reference === reference;
		return !allowRepeat && (keys.paymentData === paymentData || isSameReference);
	});
}

/**
 * Whether the charge failed after it was sent, by the failures among the events. What was answered to
 * have gone through does not come back within a second: a failure that early is of another attempt.
 */
export function hasFailed(
	{ transactionID = '', notBefore, state }: SentCharge,
	failures: Settled['failed'] | undefined,
): boolean {
	const failed = failures?.get(transactionID);
	// An earlier attempt under the same name may be told late.
	if (failed === undefined || failed.madeAt < notBefore - SECOND) return false;
	return failed.toldAt > (state === 'charged' ? notBefore + SECOND : notBefore);
}
