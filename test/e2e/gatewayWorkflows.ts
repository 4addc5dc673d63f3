import type { Sandbox } from '../sandbox';
import type { StoredNode, StoredWorkflow } from './n8nApi';

/**
 * Workflows around this package's nodes, as n8n stores them: each operation filled in so that it
 * works against the seeded sandbox, and nodes in a row to put it in. Also n8n's names for the nodes
 * and the credential.
 */

export const PACKAGE = 'n8n-nodes-payments-gateway';
export const NODE = `${PACKAGE}.paymentsGateway`;
export const TRIGGER = `${PACKAGE}.paymentsGatewayTrigger`;
export const CREDENTIAL = 'paymentsGatewayApi';

export type Parameters = Record<string, unknown>;

interface FilledOperation {
	resource: string;
	operation: string;
	parameters: Parameters;
}

function pick(value: string, name = ''): Parameters {
	return { __rl: true, mode: 'list', value, ...(name ? { cachedResultName: name } : {}) };
}

/** One of each operation, in an order in which all of them go through. Needs a seeded sandbox. */
export function filledOperations(sandbox: Sandbox): FilledOperation[] {
	const [ada, , third] = sandbox.customers;
	if (!ada || !third) throw new Error('These operations need a seeded sandbox');
	const customerId = pick(ada.id, ada.nameOnCard);
	const method = ada.paymentCards[1]?.cardID ?? '';
	const cart = (referenceID: string) =>
		sandbox.addCart({
			referenceID,
			lineItems: [
				{ productId: 'prod_coffee', amount: 1 },
				{ productId: 'prod_mug', amount: 1 },
			],
		});
	const card = { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } };
	const filled = (resource: string, operation: string, parameters: Parameters) => ({
		resource,
		operation,
		parameters,
	});
	return [
		filled('customer', 'create', {
			customerFields: { email: 'new.guest@example.com', nameOnCard: 'New Guest' },
			instrument: 'card',
			card,
		}),
		filled('customer', 'get', { customerId }),
		filled('customer', 'getAll', { limit: 5 }),
		filled('customer', 'update', {
			customerId,
			customerFields: { phone: '+1 555 0199' },
		}),
		filled('customer', 'upsert', { email: ada.email, customerFields: { billingCity: 'Boise' } }),
		filled('customer', 'delete', { customerId: pick(third.id, third.nameOnCard) }),
		filled('paymentMethod', 'add', {
			customerId,
			instrument: 'ach',
			ach: {
				details: {
					accountNumber: '000123456789',
					routingNumber: '110000000',
					accountType: 'CHECKING',
					accountHolderType: 'PERSONAL',
				},
			},
		}),
		filled('paymentMethod', 'getAll', { customerId }),
		filled('paymentMethod', 'setDefault', {
			customerId,
			paymentMethodId: pick(method),
		}),
		filled('paymentMethod', 'delete', {
			customerId,
			paymentMethodId: pick(method),
		}),
		filled('cart', 'calculate', { paymentData: cart('ORDER-4001') }),
		filled('payment', 'commit', {
			paymentData: cart('ORDER-4002'),
			customerConsent: true,
			// A number, as workflows of earlier versions have it.
			expectedTotal: 32.5,
			card,
		}),
		filled('payment', 'getStatus', { referenceId: 'ORDER-4002' }),
		filled('paylink', 'create', { amount: 25, referenceId: 'INV-4003' }),
		filled('webhookEvent', 'getAll', { limit: 5 }),
	];
}

/** A node of n8n's own. */
export function stock(
	type: string,
	typeVersion: number,
	name: string,
	parameters: Parameters = {},
	settings: object = {},
): StoredNode {
	const position: StoredNode['position'] = [0, 0];
	return { name, type: `n8n-nodes-base.${type}`, typeVersion, position, parameters, ...settings };
}

export function start(): StoredNode {
	return stock('manualTrigger', 1, 'Start');
}

/** This package's node, or its trigger. */
export function gateway(
	name: string,
	parameters: Parameters,
	credential: string,
	type = NODE,
): StoredNode {
	return {
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { [CREDENTIAL]: { id: credential, name: 'Sandbox' } },
	};
}

/** Posts `{ text }` to an address, usually the inbox; the text is an expression. */
export function tell(url: string, text: string, name = 'Tell'): StoredNode {
	return stock('httpRequest', 4.2, name, {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ { text: ${text} } }}`,
		options: {},
	});
}

/** Nodes in a row, each behind the first output of the one before. */
export function chain(name: string, row: readonly StoredNode[]): StoredWorkflow {
	const nodes = row.map((node, index) => ({
		...node,
		position: [240 * index, 0] as StoredNode['position'],
	}));
	const connections = Object.fromEntries(
		row.slice(1).map(({ name: node }, index) => {
			const before = row[index]?.name ?? '';
			return [before, { main: [[{ node, type: 'main', index: 0 }]] }];
		}),
	);
	return { name, nodes, connections };
}

/** A start button and one node behind it. */
export function workflowOf(
	name: string,
	parameters: Parameters,
	credential: string,
): StoredWorkflow {
	return chain(name, [start(), gateway('Payments Gateway', parameters, credential)]);
}

/** The trigger alone, as it is dropped on the canvas. */
export function triggerOf(credential: string, parameters: Parameters = {}): StoredWorkflow {
	return chain('Trigger', [gateway('Trigger', parameters, credential, TRIGGER)]);
}

/** One entry polls once a minute at most, so there are twelve: tests do not have to wait. */
const EVERY_FIVE_SECONDS = Array.from({ length: 12 }, (_, index) => ({
	mode: 'custom',
	cronExpression: `${index * 5} * * * * *`,
}));

/** The trigger for all events, which polls more often than people let it. */
export function watch(credential: string, parameters: Parameters = {}): StoredNode {
	const watching = { pollTimes: { item: EVERY_FIVE_SECONDS }, events: ['*'], ...parameters };
	return gateway('Payments', watching, credential, TRIGGER);
}

/** Reports each event that the trigger fires for: a test sees what came, is missing or came twice. */
export function eventReporter(
	credential: string,
	url: string,
	parameters: Parameters = {},
): StoredWorkflow {
	return chain('Event Reporter', [watch(credential, parameters), tell(url, '$json.eventID')]);
}
