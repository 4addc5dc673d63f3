import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Mask } from './mask';
import { redactNode } from './redactNode';

/** Masks errors: n8n logs them, with their stacks and causes, and stores them with the execution. */

export type NodeError = NodeApiError | NodeOperationError;

export function isNodeError(error: unknown): error is NodeError {
	return error instanceof NodeApiError || error instanceof NodeOperationError;
}

/** Only the name, the texts and the causes: other properties can hold a request with its tokens. */
export function maskedCopy(error: unknown, mask: Mask): Error {
	if (!(error instanceof Error)) return new Error('What was thrown is not an error');
	const { name, message, stack, cause } = error;
	const copy = Object.assign(new Error(mask.text(message)), { name, stack: mask.value(stack) });
	return cause === undefined ? copy : Object.assign(copy, { cause: maskedCopy(cause, mask) });
}

/** The error to throw instead of one that may hold a secret. */
export function maskedError(error: unknown, mask: Mask): Error {
	return isNodeError(error) ? maskNodeError(error, mask) : maskedCopy(error, mask);
}

/** The same error, masked wherever it can hold a secret. */
export function maskNodeError(error: NodeError, mask: Mask): NodeError {
	const { message, stack, cause } = maskedCopy(error, mask);
	return Object.assign(error, {
		message,
		stack,
		cause,
		description: mask.value(error.description),
		// The messages that n8n has replaced by its own.
		messages: mask.value(error.messages),
		node: redactNode(error.node, mask),
	});
}
