import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { redactNode } from '../output/redactNode';

/** The error that names a field and its item. Nobody else makes one about what was typed. */

export type Context = IExecuteFunctions | IPollFunctions;

/** Says which field of which item is wrong, in the words of the form. */
export type Complain = (words: string, description?: string) => NodeOperationError;

export function complainer(context: Context, itemIndex: number): Complain {
	return (words, description) =>
		new NodeOperationError(redactNode(context.getNode()), `${words} [item ${itemIndex}]`, {
			itemIndex,
			...(description === undefined ? {} : { description }),
		});
}
