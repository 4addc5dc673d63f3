import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { redactNode } from '../output/redactNode';

/** The error that names a field and its item. Nobody else makes one about what was typed. */

export type Context = IExecuteFunctions | IPollFunctions;

/** Says which field of which item is wrong, in the words of the form, and below it what to do. */
export type Complain = (words: string, description?: string) => NodeOperationError;

/** True of every error about what was typed: they all come before anything is changed. */
const CORRECT_IT =
	'Nothing was changed or charged. Correct it in the node; if an expression fills it in, look at what that gives.';

export function complainer(context: Context, itemIndex: number): Complain {
	const isOneOfMany = 'getInputData' in context && context.getInputData().length > 1;
	const place = isOneOfMany ? ` [item ${itemIndex}]` : '';
	return (words, description = CORRECT_IT) =>
		new NodeOperationError(redactNode(context.getNode()), `${words}${place}`, {
			itemIndex,
			description,
		});
}
