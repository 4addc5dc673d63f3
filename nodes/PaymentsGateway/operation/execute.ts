import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { createClient } from '../gateway/client';
import { customersByEmail } from '../gateway/customers';
import { redactNode } from '../gateway/errors';
import type { Mask } from '../output/mask';
import { attemptsOf } from './attempts';
import type { Operation, Registry, Tools } from './operation';
import { complainer, readParameters } from './params';
import type { Complain, Located } from './params';
import { createTurns } from './turns';

const MOST_PARALLEL = 20;
const DEFAULT_PARALLEL = 5;

/** What somebody wrote into the node itself: no expression, no default. */
function written(context: IExecuteFunctions, path: string): unknown {
	return path.split('.').reduce<unknown>((inner, key) => {
		const isObject = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key);
		return isObject ? Reflect.get(inner, key) : undefined;
	}, context.getNode().parameters);
}

/** One bound for the whole run, however many items and pages it has. */
function parallelRequests(context: IExecuteFunctions): number {
	const value = written(context, 'options.parallelRequests');
	if (value === undefined) return DEFAULT_PARALLEL;
	if (
		typeof value === 'number' &&
		Number.isInteger(value) &&
		value >= 1 &&
		value <= MOST_PARALLEL
	) {
		return value;
	}
	throw new NodeOperationError(
		redactNode(context.getNode()),
		`"Parallel Requests" takes a whole number from 1 to ${MOST_PARALLEL}, and no expression`,
	);
}

/** n8n's ways of letting an agent call a node differ, and not all of them say so. */
function isAgent(context: IExecuteFunctions): boolean {
	return (
		('isToolExecution' in context && context.isToolExecution()) ||
		/Tool$/.test(context.getNode().type) ||
		context.getExecuteData().metadata?.preserveSourceOverwrite === true ||
		context.getMode() === 'internal'
	);
}

/** Two executions that sync the same customer at once make one. */
const customerTurns = createTurns<string>();

async function customerID(client: Client, complain: Complain, customer: Located): Promise<string> {
	if (customer.by === 'id') return customer.value;
	const found = await customersByEmail(client, customer.value);
	const [only, ...others] = found;
	if (only === undefined) throw complain(`No customer has the email ${customer.value}`);
	if (others.length > 0) {
		throw complain(
			`${found.length} customers have the email ${customer.value}: ${found.map(({ id }) => id).join(', ')}`,
			'Pick one of them by its ID.',
		);
	}
	return only.id;
}

/** The operation that an item asks for; undefined when the node cannot do it. */
function operationOf(
	context: IExecuteFunctions,
	registry: Registry,
	itemIndex: number,
): Operation | undefined {
	const name = (parameter: string) => {
		const value: unknown = context.getNodeParameter(parameter, itemIndex, '');
		return typeof value === 'string' ? value : '';
	};
	const resource = name('resource');
	if (!Object.hasOwn(registry, resource)) return undefined;
	const operations = registry[resource]?.operations ?? {};
	const operation = name('operation');
	return Object.hasOwn(operations, operation) ? operations[operation] : undefined;
}

/** Whatever was thrown, as n8n's own error that names the item. */
function itemError(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
	mask: Mask,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex = itemIndex;
		error.message = mask.text(error.message);
		if (typeof error.description === 'string') error.description = mask.text(error.description);
		return error;
	}
	const words = error instanceof Error ? error.message : 'The node could not read this item';
	return complainer(context, itemIndex)(mask.text(words));
}

/** The item of a failure that the flow goes on with: these keys alone lead to the error output. */
function continued({ message, description }: NodeApiError | NodeOperationError): IDataObject {
	return description ? { error: message, message: description } : { error: message };
}

/** The only loop over items: bounded, in the order of the input, with one policy for errors. */
export async function execute(
	context: IExecuteFunctions,
	registry: Registry,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const client = await createClient(context, { parallel: parallelRequests(context) });
	const cancelled = context.getExecutionCancelSignal();
	const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex) || 0;
	const agent = isAgent(context);
	const learned = new Map<string, string>();
	const results: INodeExecutionData[][] = [];
	const operations = items.map((_, itemIndex) => operationOf(context, registry, itemIndex));
	let failure: NodeApiError | NodeOperationError | undefined;

	const runItem = async (itemIndex: number): Promise<INodeExecutionData[]> => {
		let mask = client.mask;
		try {
			const complain = complainer(context, itemIndex);
			const operation = operations[itemIndex];
			if (!operation)
				throw complain('"Resource" and "Operation" name nothing that this node can do');
			const parameters = readParameters(context, operation.fields, itemIndex);
			mask = client.mask.knowing(parameters);
			const tools: Tools = {
				client,
				complain,
				customersByEmail: async (email) => await customersByEmail(client, email),
				customerID: async (customer) => await customerID(client, complain, customer),
				inTurn: async (email, task) =>
					await customerTurns(JSON.stringify([client.scope, email]), task),
				learned,
				isSwitchedOn: (path) => written(context, path) === true,
				isAgent: agent,
				// Only a charge asks for them.
				get attempts() {
					return attemptsOf(context, client.scope, itemIndex, runIndex);
				},
				cancelled,
			};
			// Each operation's fields have typed its own parameters; the registry holds them all.
			const result = await operation.run(parameters as never, tools);
			const reveal = isRevealing(parameters);
			return (Array.isArray(result) ? result : [result]).map((json: IDataObject) => ({
				json: mask.value(json, reveal),
				pairedItem: { item: itemIndex },
			}));
		} catch (error) {
			// The service's words were masked where they were read; a reference is the user's own, and
			// may hold the digits of a security code by chance.
			const isWorded = error instanceof NodeApiError || error instanceof NodeOperationError;
			throw itemError(context, error, itemIndex, isWorded ? client.mask : mask);
		}
	};

	let next = 0;
	const worker = async () => {
		while (next < items.length && failure === undefined) {
			const itemIndex = next++;
			try {
				results[itemIndex] = await runItem(itemIndex);
			} catch (error) {
				const wrong = itemError(context, error, itemIndex, client.mask);
				if (context.continueOnFail() && !cancelled?.aborted) {
					results[itemIndex] = [{ json: continued(wrong), pairedItem: { item: itemIndex } }];
				} else {
					// What is under way is waited for; what fails because of this says nothing new.
					failure ??= wrong;
					client.stop();
				}
			}
		}
	};
	const isSerial = operations.some((operation) => operation?.effect === 'charge');
	await Promise.all(Array.from({ length: isSerial ? 1 : client.parallel }, worker));

	if (failure) throw failure;
	return [results.flat()];
}

function isRevealing(parameters: Readonly<Record<string, unknown>>): boolean {
	const { options } = parameters;
	return (
		typeof options === 'object' &&
		options !== null &&
		Reflect.get(options, 'includeSensitive') === true
	);
}
