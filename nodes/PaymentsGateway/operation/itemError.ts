import type { INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { redactNode } from '../output/redactNode';

/**
 * The error that ends an item, as n8n shows it, logs it and stores it. Nothing in it is secret: its
 * texts, its causes and the node's parameters are masked here, whoever made it.
 */

export type ItemError = NodeApiError | NodeOperationError;

export interface ItemContext {
	node: INode;
	itemIndex: number;
	mask: Mask;
	/** What the form of this item holds. */
	parameters: object;
}

export function itemErrorOf(error: unknown, ctx: ItemContext): ItemError {
	const { itemIndex, mask } = ctx;
	const isExpected = error instanceof NodeApiError || error instanceof NodeOperationError;
	if (!isExpected) return unexpectedError(error, ctx);
	error.context.itemIndex = itemIndex;
	// Without `hidingValuesOf(parameters)`: the client has masked its own request's values. Doing it
	// here could also hide digits of the user's own reference that equal a security code.
	const { message, stack, cause } = maskedCopy(error, mask);
	return Object.assign(error, {
		...{ message, stack, cause, description: mask.value(error.description) },
		// The messages that n8n has replaced by its own.
		messages: mask.value(error.messages),
		node: redactNode(error.node, mask),
	});
}

/** The item that takes the failed one's place if the flow goes on. */
export function outputOfError(failure: ItemError, itemIndex: number): INodeExecutionData {
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
export function addContinueHint(error: ItemError): void {
	const isAboutItem =
		error instanceof NodeApiError
			? ABOUT_THE_ITEM.has(error.httpCode)
			: !(error instanceof UnexpectedError);
	if (isAboutItem) error.description = `${error.description ?? ''} ${CONTINUE_HINT}`.trim();
}

const REPORT_IT =
	'This is a fault of the node. Check whether the item was carried out before you run it again, and please report it with its details: https://github.com/n8n-nodes-payments-gateway/n8n-nodes-payments-gateway/issues';

class UnexpectedError extends NodeOperationError {
	// n8n compares the names of errors.
	override name = NodeOperationError.name;
}

/** Keeps the stack and the causes, which n8n logs: without them nobody can find the fault. */
function unexpectedError(
	error: unknown,
	{ node, itemIndex, mask, parameters }: ItemContext,
): UnexpectedError {
	const cause = maskedCopy(error, mask.hidingValuesOf(parameters));
	const wrapped = new UnexpectedError(redactNode(node, mask), cause, {
		itemIndex,
		description: REPORT_IT,
	});
	if (cause.stack !== undefined) wrapped.stack = cause.stack;
	return wrapped;
}

function maskedCopy(error: unknown, mask: Mask): Error {
	if (!(error instanceof Error)) return new Error('The node could not carry out this item');
	const copy = new Error(mask.text(error.message));
	copy.name = error.name;
	if (error.stack !== undefined) copy.stack = mask.text(error.stack);
	if (error.cause !== undefined) copy.cause = maskedCopy(error.cause, mask);
	return copy;
}
