import { createHash, randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { OperationContext } from '../operation/operation';

/**
 * The keys by which a charge is found again. They are hashes: the name of a lock, which n8n stores, must
 * not show the reference.
 *
 * n8n stores that name for weeks. The values that are hashed into it, and their order, must stay the
 * same: an update that changed them would forget every lock. keys.test.ts has fixed examples.
 */

export interface ChargeKeys {
	/** One item of one run, which n8n may run again. */
	readonly item: string;
	/**
	 * Hashes of the payment data (the encrypted text of the cart) and of the reference, if there is one.
	 * Charges with one in common are the same.
	 */
	readonly identities: readonly string[];
	/** The node, which has a row of its own in n8n's store. */
	readonly node: string;
	/** The name of the charge's lock: a hash of the merchant, the node and the reference. */
	readonly lock: string;
}

function hash(...values: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

/** The ID of a node is unique within its workflow only. */
export function nodeKeyOf(context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflow'>): string {
	return hash(context.getWorkflow().id, context.getNode().id);
}

/** The payment data may be empty if only the reference is known, and the other way round. */
export function keysOf(
	{ client, context, itemIndex }: OperationContext,
	{ paymentData, referenceID }: { paymentData: string; referenceID: string },
): ChargeKeys {
	const { scope } = client;
	const node = nodeKeyOf(context);
	// Outside of an execution nothing is run again, so no two calls are the same.
	const execution = context.getExecutionId() || randomUUID();
	const run: unknown = context.getWorkflowDataProxy(itemIndex).$runIndex;
	const identities = [hash(scope, 'paymentData', paymentData)];
	if (referenceID !== '') identities.push(hash(scope, 'reference', referenceID));
	return {
		// With the payment data, since an agent can charge several carts for one item.
		item: hash(scope, execution, context.getNode().name, run, itemIndex, paymentData),
		identities,
		node,
		lock: hash(scope, node, referenceID),
	};
}
