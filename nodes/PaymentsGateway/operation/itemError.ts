import type { INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { isNodeError, maskedCopy, maskNodeError } from '../output/maskError';
import type { NodeError } from '../output/maskError';
import { redactNode } from '../output/redactNode';

/**
 * The error that ends an item, as n8n shows it, logs it and stores it. Nothing in it is secret: its
 * texts, its causes and the node's parameters are masked here, whoever made it.
 */

interface ItemContext {
	node: INode;
	itemIndex: number;
	mask: Mask;
	/** What the form of this item holds. */
	parameters: object;
}

/** The description of an error that nobody expected. */
const REPORT_IT =
	'This is a bug in the node. Check whether the item was carried out before you run it again, and please report it with its details: https://github.com/n8n-nodes-payments-gateway/n8n-nodes-payments-gateway/issues';

export function itemErrorOf(
	error: unknown,
	{ node, itemIndex, mask, parameters }: ItemContext,
): NodeError {
	if (isNodeError(error)) {
		error.context.itemIndex = itemIndex;
		// Without `hidingValuesOf(parameters)`: the client has masked its own request's values. Doing it
		// here could also hide digits of the user's own reference that equal a security code.
		return maskNodeError(error, mask);
	}
	const cause = maskedCopy(error, mask.hidingValuesOf(parameters));
	const options = { itemIndex, description: REPORT_IT };
	const unexpected = new NodeOperationError(redactNode(node, mask), cause, options);
	// n8n logs the stack and the causes: without them nobody can find the fault.
	return Object.assign(unexpected, { stack: cause.stack });
}

/** The item that takes the failed one's place if the flow goes on. */
export function outputOfError(failure: NodeError, itemIndex: number): INodeExecutionData {
	const { message, description } = failure;
	// n8n's keys: error is the message, message the description. With any other key, n8n would not
	// take the item for a failed one.
	const json = description ? { error: message, message: description } : { error: message };
	return { json, pairedItem: { item: itemIndex } };
}

/** With these statuses, the gateway refuses what one item has sent; the next item may be fine. */
const ABOUT_THE_ITEM: ReadonlySet<unknown> = new Set(['400', '404', '409', '422']);

const CONTINUE_HINT =
	"To let the other items through, set 'On Error' to Continue in the node's settings.";

/** Adds to the description how the other items can go on, if the error is about this one alone. */
export function addContinueHint(error: NodeError): void {
	const isAboutItem =
		error instanceof NodeApiError
			? ABOUT_THE_ITEM.has(error.httpCode)
			: error.description !== REPORT_IT;
	if (isAboutItem) error.description = `${error.description ?? ''} ${CONTINUE_HINT}`.trim();
}
