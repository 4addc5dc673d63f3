import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { fieldErrorOf } from '../form/fieldError';
import { readParameters } from '../form/read';
import { MAX_WINDOW } from '../gateway/limiter';
import { clientsOf } from '../gateway/clients';
import { createMask } from '../output/mask';
import type { NodeError } from '../output/maskError';
import { textOf } from '../wire/json';
import { addContinueHint, itemErrorOf, outputOfError } from './itemError';
import { operationsOf } from './operation';
import type { Operation, Registry } from './operation';

/**
 * Runs the action node, the only loop over items: several items at a time, results in the order of
 * the input. Outputs are masked and errors handled here, once for all operations.
 */
export async function execute(
	context: IExecuteFunctions,
	registry: Registry,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const clients = clientsOf(context);
	const cancelled = context.getExecutionCancelSignal();
	const known = operationsOf(registry);
	const operations = items.map((_, itemIndex) => {
		const valueOf = (name: string) => textOf(context.getNodeParameter(name, itemIndex, ''));
		return known.get(`${valueOf('resource')}.${valueOf('operation')}`);
	});
	const isSerial = operations.some((operation) => operation?.serial === true);
	// Serial operations move money: after a failure, the user should look before going on.
	const isWorthContinuing = items.length > 1 && !isSerial;
	const results: INodeExecutionData[][] = [];
	// Shared by all workers: each takes the next item.
	const itemIndexes = items.keys();
	let failure: NodeError | undefined;
	const worker = async () => {
		for (const itemIndex of itemIndexes) {
			if (failure !== undefined) return;
			const result = await runItem(context, clients, operations[itemIndex], itemIndex);
			if (Array.isArray(result)) {
				results[itemIndex] = result;
			} else if (context.continueOnFail() && !cancelled?.aborted) {
				results[itemIndex] = [outputOfError(result, itemIndex)];
			} else {
				// Requests under way are waited for. A pause before a retry is cut short, and the failure of
				// its item is not reported.
				if (failure === undefined && isWorthContinuing) addContinueHint(result);
				failure ??= result;
				clients.stop();
			}
		}
	};
	// As many workers as requests may ever be under way; the limiter decides how many are.
	await Promise.all(Array.from({ length: isSerial ? 1 : MAX_WINDOW }, worker));
	clients.stop();
	if (failure) throw failure;
	return [results.flat()];
}

async function runItem(
	context: IExecuteFunctions,
	clients: ReturnType<typeof clientsOf>,
	operation: Operation | undefined,
	itemIndex: number,
): Promise<INodeExecutionData[] | NodeError> {
	const fieldError = fieldErrorOf(context, itemIndex);
	let parameters: object = {};
	let mask = createMask([]);
	try {
		if (operation === undefined) {
			throw fieldError("This 'Resource' does not have this 'Operation'");
		}
		// First, so that no error about a field shows a token.
		const client = await clients.clientFor(itemIndex);
		({ mask } = client);
		parameters = readParameters(context, operation.fields, itemIndex, mask);
		const ctx = { client, fieldError, context, itemIndex };
		// The registry holds operations of many types. These parameters were read by this one's fields.
		const result = await operation.run(parameters as never, ctx);
		const rows: IDataObject[] = Array.isArray(result) ? result : [result];
		return context.helpers.constructExecutionMetaData(
			rows.map((row) => ({ json: mask.value(row) })),
			{ itemData: { item: itemIndex } },
		);
	} catch (error) {
		return itemErrorOf(error, { node: context.getNode(), itemIndex, mask, parameters });
	}
}
