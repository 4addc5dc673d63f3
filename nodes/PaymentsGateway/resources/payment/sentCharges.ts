import { createHash, randomUUID } from 'crypto';

import type { OperationContext } from '../../operation/operation';
import type { Claim } from './claims';
import type { PaymentEvent } from './paymentEvent';

/**
 * Remembers every charge that this process has sent, in whatever execution, workflow or node. It covers
 * Retry On Fail, and the time until the gateway's events show a charge. After a restart of n8n the
 * claims in its deduplication store do; see claims.ts.
 */

/** Hashes by which a charge is found again, each with its merchant. */
export interface Keys {
	/** The item of the run that it was sent for, which n8n may run again. */
	readonly item: string;
	/** Its payment data and, where it has one, its reference: other items may have them too. */
	readonly shared: readonly string[];
	/** Its node, in whose row of n8n's store it is claimed. */
	readonly node: string;
}

export interface SentCharge {
	/** In cents. */
	readonly total: number;
	/** Empty for a cart without one. */
	readonly referenceID: string;
	readonly keys: Keys;
	/** None where repeats are allowed. */
	claim?: Claim;
	/** It was sent after this, by the gateway's clock, in epoch milliseconds. */
	notBefore: number;
	/** `sent` as long as no answer has said what came of it. */
	state: 'sent' | 'pending' | 'charged';
	transactionID?: string;
	status?: string;
}

/** What is to be charged. */
export type Due = Pick<SentCharge, 'total' | 'referenceID'>;

const MOST = 10_000;
const LONGEST = 30 * 24 * 60 * 60 * 1000;

/** The oldest first, each with the time when it was sent. */
const sent = new Map<SentCharge, number>();

export function hash(...words: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

export function keysOf(work: OperationContext, paymentData: string, referenceID: string): Keys {
	const { client, context, itemIndex } = work;
	// Nothing is run again outside of an execution, so no two calls there are the same.
	const execution = context.getExecutionId() || randomUUID();
	const run: unknown = context.getWorkflowDataProxy(itemIndex).$runIndex;
	const { scope } = client;
	const node = hash(context.getWorkflow().id, context.getNode().id);
	const shared = [hash(scope, 'paymentData', paymentData)];
	if (referenceID !== '') shared.push(hash(scope, 'reference', referenceID));
	// With the payment data: an agent can charge several carts for one item.
	const item = hash(scope, execution, context.getNode().name, run, itemIndex, paymentData);
	return { item, shared, node };
}

export function rememberCharge(charge: SentCharge): void {
	sent.set(charge, performance.now());
}

export function forgetCharge(charge: SentCharge): void {
	sent.delete(charge);
}

/** What was sent under any of the keys. With repeats allowed, only the same item is the same charge. */
export function chargesSent({ item, shared }: Keys, allowRepeat: boolean): SentCharge[] {
	for (const [oldest, at] of sent) {
		if (sent.size <= MOST && performance.now() - at < LONGEST) break;
		forgetCharge(oldest);
	}
	return [...sent.keys()].filter(
		({ keys }) =>
			keys.item === item || (!allowRepeat && keys.shared.some((key) => shared.includes(key))),
	);
}

/** Whether the events show that its transaction failed after it was sent. */
export function hasFailed(
	{ transactionID = '', notBefore }: SentCharge,
	failures: readonly PaymentEvent[] = [],
): boolean {
	return failures.some(({ id, at }) => id !== '' && id === transactionID && at > notBefore);
}
