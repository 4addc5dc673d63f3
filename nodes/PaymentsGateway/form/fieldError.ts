import type { IExecuteFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { redactNode } from '../output/redactNode';

/** The error about a field of the form. It names the field and, if there are several, the item. */

export type Context = IExecuteFunctions | IPollFunctions;

/** `message` says what is wrong, in the words of the form; `description` what to do about it. */
export type FieldError = (message: string, description?: string) => NodeOperationError;

const CORRECT_IT = 'Correct it in the node, or in the item if an expression fills it in.';

/** The description of a check that comes before any request. */
export const NOTHING_SENT = `Nothing was changed or charged. ${CORRECT_IT}`;

export function fieldErrorOf(
	context: Context | ILoadOptionsFunctions,
	itemIndex: number,
): FieldError {
	// A poll has no items, nor has a picker.
	const isOneOfMany = 'getInputData' in context && context.getInputData().length > 1;
	// n8n's own spelling, which counts from 0: its editor then adds no second number.
	const place = isOneOfMany ? ` [item ${itemIndex}]` : '';
	return (message, description = CORRECT_IT) =>
		new NodeOperationError(redactNode(context.getNode()), `${message}${place}`, {
			itemIndex,
			description,
		});
}

/** What was typed, short enough to be quoted in a sentence. */
export function shortened(text: string): string {
	const characters = [...text];
	return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : text;
}
