import type { IExecuteFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { redactNode } from '../output/redactNode';

/**
 * The error of an item. It names the field that is wrong and, where there are several, the item.
 * Without a description it says that nothing was changed yet: once a request that changes something
 * has left, always give one.
 */

export type Context = IExecuteFunctions | IPollFunctions;

/** Says which field of which item is wrong, in the words of the form, and below it what to do. */
export type FieldError = (words: string, description?: string) => NodeOperationError;

export function fieldErrorOf(
	context: Context | ILoadOptionsFunctions,
	itemIndex: number,
): FieldError {
	// A poll has no items, nor has a picker.
	const count = 'getInputData' in context ? context.getInputData().length : 1;
	// n8n's own spelling, which counts from 0: its editor then adds no second number.
	const place = count > 1 ? ` [item ${itemIndex}]` : '';
	const forItem = count > 1 ? ' for this item' : '';
	// Parameters are checked before a request that changes anything.
	const correctIt = `Nothing was changed or charged${forItem}. Correct it in the node, or in the item if an expression fills it in.`;
	return (words, description = correctIt) =>
		new NodeOperationError(redactNode(context.getNode()), `${words}${place}`, {
			itemIndex,
			description,
		});
}

/** What was typed, short enough to be quoted in a sentence. */
export function shortened(words: string): string {
	const signs = [...words];
	return signs.length > 40 ? `${signs.slice(0, 40).join('')}…` : words;
}
