import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { fieldErrorOf } from '../form/fieldError';
import { readParameters } from '../form/read';
import { MAX_WINDOW } from '../gateway/limiter';
import { merchantsOf } from '../gateway/merchants';
import { createMask } from '../output/mask';
import { textOf } from '../wire/json';
import type { ItemError } from './itemError';
import { itemErrorOf, withWayOn } from './itemError';
import type { Operation, Registry } from './operation';

/**
 * Runs the action node: finds each item's operation, reads its parameters, runs it, and returns the
 * results in the order of the items. The masking of outputs and the handling of errors stand here once
 * for all operations.
 */

/** The operation that an item asks for; undefined when the node cannot do it. */
function operationOf(
	context: IExecuteFunctions,
	registry: Registry,
	itemIndex: number,
): Operation | undefined {
	const typed = (parameter: string) => textOf(context.getNodeParameter(parameter, itemIndex, ''));
	// Maps, because every object has something under a name such as "constructor".
	const resource = new Map(Object.entries(registry)).get(typed('resource'));
	return new Map(Object.entries(resource?.operations ?? {})).get(typed('operation'));
}

/** The only loop over items: several at once, as the limiter lets them, results in the input's order. */
export async function execute(
	context: IExecuteFunctions,
	registry: Registry,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const merchants = merchantsOf(context);
	const cancelled = context.getExecutionCancelSignal();
	const results: INodeExecutionData[][] = [];
	const operations = items.map((_, itemIndex) => operationOf(context, registry, itemIndex));
	let failure: ItemError | undefined;

	const runItem = async (itemIndex: number): Promise<INodeExecutionData[] | ItemError> => {
		const operation = operations[itemIndex];
		const fieldError = fieldErrorOf(context, itemIndex);
		let parameters: object = {};
		let mask = createMask([]);
		try {
			if (operation === undefined) {
				throw fieldError("'Resource' and 'Operation' name nothing that this node can do");
			}
			parameters = readParameters(context, operation.fields, itemIndex);
			const client = await merchants.clientFor(itemIndex);
			({ mask } = client);
			const work = { client, fieldError, context, itemIndex };
			// The registry holds operations of many types. These parameters were read by this one's fields.
			const result = await operation.run(parameters as never, work);
			return (Array.isArray(result) ? result : [result]).map((json: IDataObject) => ({
				json: mask.value(json),
				pairedItem: { item: itemIndex },
			}));
		} catch (error) {
			return itemErrorOf(error, { node: context.getNode(), itemIndex, mask, parameters });
		}
	};

	const isSerial = operations.some((operation) => operation?.serial === true);
	let next = 0;
	const worker = async () => {
		while (next < items.length && failure === undefined) {
			const itemIndex = next++;
			const done = await runItem(itemIndex);
			if (Array.isArray(done)) {
				results[itemIndex] = done;
			} else if (context.continueOnFail() && !cancelled?.aborted) {
				const { message: error, description: message } = done;
				// With other keys n8n would see a success.
				const json = message ? { error, message } : { error };
				results[itemIndex] = [{ json, pairedItem: { item: itemIndex } }];
			} else {
				// Items under way are waited for. If they fail because of this stop, that is not reported.
				failure ??= isSerial || items.length === 1 ? done : withWayOn(done);
				merchants.stop();
			}
		}
	};
	// As many as may ever be under way; how many are is up to the limiter.
	await Promise.all(Array.from({ length: isSerial ? 1 : MAX_WINDOW }, worker));
	merchants.stop();

	if (failure) throw failure;
	return [results.flat()];
}
