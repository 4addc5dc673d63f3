import type { Sandbox } from '../sandbox';
import type { StoredNode, StoredWorkflow } from './n8nApi';

/**
 * Workflows around this package's nodes, as n8n stores them: each operation filled in so that it
 * works against the seeded sandbox, and nodes in a row to put it in. Also n8n's names for the nodes
 * and the credential.
 */

const PACKAGE = 'n8n-nodes-payments-gateway';
export const NODE = `${PACKAGE}.paymentsGateway`;
const TRIGGER = `${PACKAGE}.paymentsGatewayTrigger`;
export const CREDENTIAL = 'paymentsGatewayApi';

/** What the panel of nodes, and a node that was chosen there, is called. */
export const NAME = 'Payments Gateway';

export type Parameters = Record<string, unknown>;

export const CARD = { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } };

/** One of each operation, in an order in which all of them go through. Needs a seeded sandbox. */
export function filledOperations(
	sandbox: Sandbox,
): Array<{ name: string; parameters: Parameters }> {
	const [ada, , third] = sandbox.customers;
	if (!ada || !third) throw new Error('These operations need a seeded sandbox');
	const pick = (value = '') => ({ __rl: true, mode: 'list', value, cachedResultName: value });
	const customerId = pick(ada.id);
	const paymentMethodId = pick(ada.paymentCards[1]?.cardID);
	const cart = (referenceID: string) =>
		sandbox.addCart({
			referenceID,
			lineItems: [
				{ productId: 'prod_coffee', amount: 1 },
				{ productId: 'prod_mug', amount: 1 },
			],
		});
	const account = {
		accountNumber: '000123456789',
		routingNumber: '110000000',
		accountType: 'CHECKING',
		accountHolderType: 'PERSONAL',
	};
	const filled: Record<string, Parameters> = {
		'customer create': {
			customerFields: { email: 'new.guest@example.com', nameOnCard: 'New Guest' },
			instrument: 'card',
			card: CARD,
		},
		'customer get': { customerId },
		'customer getAll': { limit: 5 },
		'customer update': { customerId, customerFields: { phone: '+1 555 0199' } },
		'customer upsert': { email: ada.email, customerFields: { billingCity: 'Boise' } },
		'customer delete': { customerId: pick(third.id) },
		'paymentMethod add': { customerId, instrument: 'ach', ach: { details: account } },
		'paymentMethod getAll': { customerId },
		'paymentMethod setDefault': { customerId, paymentMethodId },
		'paymentMethod delete': { customerId, paymentMethodId },
		'cart calculate': { paymentData: cart('ORDER-4001') },
		'payment charge': {
			paymentData: cart('ORDER-4002'),
			customerConsent: true,
			// A number, as workflows of earlier versions have it.
			expectedTotal: 32.5,
			card: CARD,
		},
		'payment getStatus': { referenceId: 'ORDER-4002' },
		'paylink create': { amount: 25, referenceId: 'INV-4003' },
		'event getAll': { limit: 5 },
	};
	return Object.entries(filled).map(([name, parameters]) => {
		const [resource, operation] = name.split(' ');
		return { name, parameters: { resource, operation, ...parameters } };
	});
}

/** A node of n8n's own. */
export function stock(
	type: string,
	typeVersion: number,
	name: string,
	parameters: Parameters = {},
	settings: object = {},
): StoredNode {
	const whole = `n8n-nodes-base.${type}`;
	return { name, type: whole, typeVersion, position: [0, 0], parameters, ...settings };
}

export const start = () => stock('manualTrigger', 1, 'Start');

/** This package's node, or its trigger. */
export function gateway(
	name: string,
	parameters: Parameters,
	credential: string,
	type = NODE,
): StoredNode {
	const credentials = { [CREDENTIAL]: { id: credential, name: 'Sandbox' } };
	return { name, type, typeVersion: 1, position: [0, 0], parameters, credentials };
}

/** Posts `{ text }` to an address, usually the inbox; the text is an expression. */
export function tell(url: string, text: string): StoredNode {
	return stock('httpRequest', 4.2, 'Tell', {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ { text: ${text} } }}`,
		options: {},
	});
}

/** For a workflow's connections: one that leads into a node. */
export const into = (node: string, type = 'main') => [{ node, type, index: 0 }];

/** Nodes in a row, each behind the first output of the one before. */
export function chain(name: string, row: readonly StoredNode[]): StoredWorkflow {
	const nodes = row.map((node, index) => ({ ...node, position: [240 * index, 0] }));
	const connections = Object.fromEntries(
		row.slice(1).map((node, index) => [row[index]?.name, { main: [into(node.name)] }]),
	);
	return { name, nodes, connections };
}

/** A start button and one node behind it. */
export const workflowOf = (name: string, parameters: Parameters, credential: string) =>
	chain(name, [start(), gateway(NAME, parameters, credential)]);

/** The trigger alone, as it is dropped on the canvas. */
export const triggerOf = (credential: string, parameters: Parameters) =>
	chain('Trigger', [gateway('Trigger', parameters, credential, TRIGGER)]);

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
export const eventReporter = (credential: string, url: string, parameters: Parameters = {}) =>
	chain('Event Reporter', [watch(credential, parameters), tell(url, '$json.eventID')]);
