import type { IExecuteFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createMask } from '../output/mask';
import { redactNode } from '../output/redactNode';

/** The error about a field of the form. It names the field and, if there are several, the item. */

export type ItemOrPollContext = IExecuteFunctions | IPollFunctions;

/** `message` is a sentence that names the field by its label; `description` says what to do. */
export type FieldError = (message: string, description?: string) => NodeOperationError;

/** For the copy of the node in the error. The caller masks the credential's tokens. */
const MASK_BY_NAME = createMask([]);

const CORRECT_IT = 'Correct it in the node, or in the item if an expression fills it in.';

/** The description of a check that comes before any request of its item. */
export const NOTHING_SENT = `Nothing was changed or charged for this item. ${CORRECT_IT}`;

export function fieldErrorOf(
	context: ItemOrPollContext | ILoadOptionsFunctions,
	itemIndex: number,
): FieldError {
	// A poll has no items, nor has a picker.
	const isOneOfMany = 'getInputData' in context && context.getInputData().length > 1;
	// n8n's own spelling, which counts from 0: its editor then adds no second number.
	const place = isOneOfMany ? ` [item ${itemIndex}]` : '';
	return (message, description = CORRECT_IT) =>
		new NodeOperationError(redactNode(context.getNode(), MASK_BY_NAME), `${message}${place}`, {
			itemIndex,
			description,
		});
}
