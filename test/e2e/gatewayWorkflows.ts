import type { Sandbox } from '../sandbox';
import type { StoredNode, StoredWorkflow } from './n8nApi';

/**
 * Workflows around this package's nodes, as n8n stores them, and the parameters with which each
 * operation works against the seeded sandbox. Also n8n's names for the nodes and the credential.
 */

const PACKAGE = 'n8n-nodes-payments-gateway';
const NODE = `${PACKAGE}.paymentsGateway`;
const TRIGGER = `${PACKAGE}.paymentsGatewayTrigger`;
export const CREDENTIAL = 'paymentsGatewayApi';

/** The node's display name; n8n gives it to a node added from the panel. */
export const NAME = 'Payments Gateway';

export type NodeParameters = Record<string, unknown>;

const CARD = { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } };

/** A charge with a card, by a customer who has agreed. */
export const chargeParameters = (
	paymentData: string,
	expectedTotal: string | number,
	options: NodeParameters = {},
): NodeParameters => ({
	resource: 'payment',
	operation: 'charge',
	paymentData,
	customerConsent: true,
	expectedTotal,
	card: CARD,
	options,
});

/** Each operation once, in an order in which all of them succeed. Needs a seeded sandbox. */
export function filledOperations(
	sandbox: Sandbox,
): Array<{ name: string; parameters: NodeParameters }> {
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
	const filled: Record<string, NodeParameters> = {
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
		// A number, as in workflows of earlier versions.
		'payment charge': chargeParameters(cart('ORDER-4002'), 32.5),
		'payment getStatus': { referenceId: 'ORDER-4002' },
		'paylink create': { amount: 25, referenceId: 'INV-4003' },
		'event getAll': { limit: 5 },
	};
	return Object.entries(filled).map(([name, parameters]) => {
		const [resource, operation] = name.split(' ');
		return { name, parameters: { resource, operation, ...parameters } };
	});
}

/** One of n8n's own nodes. */
export function coreNode(
	type: string,
	typeVersion: number,
	name: string,
	parameters: NodeParameters = {},
	settings: object = {},
): StoredNode {
	return {
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion,
		position: [0, 0],
		parameters,
		...settings,
	};
}

export const start = () => coreNode('manualTrigger', 1, 'Start');

/** This package's node or trigger. */
export function gatewayNode(
	name: string,
	parameters: NodeParameters,
	credentialId: string,
	type = NODE,
): StoredNode {
	const credentials = { [CREDENTIAL]: { id: credentialId, name: 'Sandbox' } };
	return { name, type, typeVersion: 1, position: [0, 0], parameters, credentials };
}

/** A connection into a node, for a workflow's `connections`. */
export const into = (node: string, type = 'main') => [{ node, type, index: 0 }];

/** A workflow of nodes in a row, each connected to the first output of the one before. */
export function chain(name: string, row: readonly StoredNode[]): StoredWorkflow {
	const nodes = row.map((node, index) => ({ ...node, position: [240 * index, 0] }));
	const connections = Object.fromEntries(
		row.slice(1).map((node, index) => [row[index]?.name, { main: [into(node.name)] }]),
	);
	return { name, nodes, connections };
}

export const workflowWithNode = (name: string, parameters: NodeParameters, credentialId: string) =>
	chain(name, [start(), gatewayNode(NAME, parameters, credentialId)]);

export const workflowWithTrigger = (credentialId: string, parameters: NodeParameters) =>
	chain('Trigger', [gatewayNode('Trigger', parameters, credentialId, TRIGGER)]);

/** One entry polls at most once a minute, so twelve entries make for shorter tests. */
const EVERY_FIVE_SECONDS = Array.from({ length: 12 }, (_, index) => ({
	mode: 'custom',
	cronExpression: `${index * 5} * * * * *`,
}));

/**
 * A trigger for all events, polling every five seconds. Posts the ID of each event that fires to a
 * URL, so that a test sees missing and doubled ones.
 */
export function eventReporter(
	credentialId: string,
	url: string,
	parameters: NodeParameters,
): StoredWorkflow {
	const polling = { pollTimes: { item: EVERY_FIVE_SECONDS }, events: ['*'], ...parameters };
	const report = coreNode('httpRequest', 4.2, 'Report', {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ { text: $json.eventID } }}',
		options: {},
	});
	return chain('Event Reporter', [gatewayNode('Payments', polling, credentialId, TRIGGER), report]);
}
