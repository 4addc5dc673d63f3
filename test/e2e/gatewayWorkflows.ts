import type { Sandbox } from '../sandbox';
import { nodeCredentials } from '../sandbox';
import type { N8nApi, StoredWorkflow } from './n8nApi';

/**
 * Workflows around this package's nodes, as n8n stores them: each operation filled in so that it
 * works against the seeded sandbox, a start button with one node behind it, the trigger alone.
 * Also n8n's names for the nodes and the credential, and the credential for the sandbox.
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
	const filled = (
		resource: string,
		operation: string,
		parameters: Parameters,
	): FilledOperation => ({
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
		filled('customer', 'get', { customerId: pick(ada.id, ada.nameOnCard) }),
		filled('customer', 'getAll', { limit: 5 }),
		filled('customer', 'update', {
			customerId: pick(ada.id, ada.nameOnCard),
			customerFields: { phone: '+1 555 0199' },
		}),
		filled('customer', 'upsert', { email: ada.email, customerFields: { billingCity: 'Boise' } }),
		filled('customer', 'delete', { customerId: pick(third.id, third.nameOnCard) }),
		filled('paymentMethod', 'add', {
			customerId: pick(ada.id, ada.nameOnCard),
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
		filled('paymentMethod', 'getAll', { customerId: pick(ada.id, ada.nameOnCard) }),
		filled('paymentMethod', 'setDefault', {
			customerId: pick(ada.id, ada.nameOnCard),
			paymentMethodId: pick(method),
		}),
		filled('paymentMethod', 'delete', {
			customerId: pick(ada.id, ada.nameOnCard),
			paymentMethodId: pick(method),
		}),
		filled('cart', 'calculate', { paymentData: cart('ORDER-4001') }),
		filled('payment', 'commit', {
			paymentData: cart('ORDER-4002'),
			customerConsent: true,
			expectedTotal: '32.50',
			card,
		}),
		filled('payment', 'getStatus', { referenceId: 'ORDER-4002' }),
		filled('paylink', 'create', { amount: 25, referenceId: 'INV-4003' }),
		filled('webhookEvent', 'getAll', { limit: 5 }),
	];
}

/** A start button and one node behind it. */
export function workflowOf(
	name: string,
	parameters: Parameters,
	credentialId: string,
	settings: Record<string, unknown> = {},
): StoredWorkflow {
	return {
		name,
		nodes: [
			{
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				name: 'Payments Gateway',
				type: NODE,
				typeVersion: 1,
				position: [240, 0],
				parameters,
				credentials: { [CREDENTIAL]: { id: credentialId, name: 'Sandbox' } },
				...settings,
			},
		],
		connections: { Start: { main: [[{ node: 'Payments Gateway', type: 'main', index: 0 }]] } },
	};
}

/** The trigger alone, as it is dropped on the canvas. */
export function triggerOf(credentialId: string): StoredWorkflow {
	return {
		name: 'Trigger',
		nodes: [
			{
				name: 'Trigger',
				type: TRIGGER,
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
				credentials: { [CREDENTIAL]: { id: credentialId, name: 'Sandbox' } },
			},
		],
		connections: {},
	};
}

export async function addCredential(api: N8nApi, sandbox: Sandbox): Promise<string> {
	return await api.addCredential('Sandbox', CREDENTIAL, nodeCredentials(sandbox));
}
