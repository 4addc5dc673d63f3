import type { Sandbox } from '../sandbox';
import type { Session, StoredWorkflow } from './session';

/** What a merchant sees: a credential for the sandbox, and each operation filled in so that it works. */

export const PACKAGE = 'n8n-nodes-payments-gateway';
export const NODE = `${PACKAGE}.paymentsGateway`;
export const TRIGGER = `${PACKAGE}.paymentsGatewayTrigger`;
export const CREDENTIAL = 'paymentsGatewayApi';

export type Parameters = Record<string, unknown>;

export interface Shot {
	resource: string;
	operation: string;
	parameters: Parameters;
}

export function credentialData({ url, credentials }: Sandbox) {
	return {
		environment: 'sandbox',
		baseUrl: url,
		groupId: credentials.groupID,
		headerToken: credentials.headerToken,
		privateToken: credentials.privateToken,
	};
}

function pick(value: string, name = ''): Parameters {
	return { __rl: true, mode: 'list', value, ...(name ? { cachedResultName: name } : {}) };
}

/** One of each operation, in an order in which all of them go through. Needs a seeded sandbox. */
export function operations(sandbox: Sandbox): Shot[] {
	const [ada, , third] = sandbox.customers;
	if (!ada || !third) throw new Error('The scene needs a seeded sandbox');
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
	const shot = (resource: string, operation: string, parameters: Parameters): Shot => ({
		resource,
		operation,
		parameters,
	});
	return [
		shot('customer', 'create', {
			customerFields: { email: 'new.guest@example.com', nameOnCard: 'New Guest' },
			instrument: 'card',
			card,
		}),
		shot('customer', 'get', { customerId: pick(ada.id, ada.nameOnCard) }),
		shot('customer', 'getAll', { limit: 5 }),
		shot('customer', 'update', {
			customerId: pick(ada.id, ada.nameOnCard),
			customerFields: { phone: '+1 555 0199' },
		}),
		shot('customer', 'upsert', { email: ada.email, customerFields: { billingCity: 'Boise' } }),
		shot('customer', 'delete', { customerId: pick(third.id, third.nameOnCard) }),
		shot('paymentMethod', 'add', {
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
		shot('paymentMethod', 'getAll', { customerId: pick(ada.id, ada.nameOnCard) }),
		shot('paymentMethod', 'setDefault', {
			customerId: pick(ada.id, ada.nameOnCard),
			paymentMethodId: pick(method),
		}),
		shot('paymentMethod', 'delete', {
			customerId: pick(ada.id, ada.nameOnCard),
			paymentMethodId: pick(method),
		}),
		shot('cart', 'calculate', { paymentData: cart('ORDER-4001') }),
		shot('payment', 'commit', {
			paymentData: cart('ORDER-4002'),
			customerConsent: true,
			expectedTotal: 3250,
			card,
		}),
		shot('payment', 'getStatus', { referenceId: 'ORDER-4002' }),
		shot('paylink', 'create', { amount: 25, referenceId: 'INV-4003' }),
		shot('webhookEvent', 'getAll', { limit: 5 }),
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

export async function addCredential(session: Session, sandbox: Sandbox): Promise<string> {
	return await session.addCredential('Sandbox', CREDENTIAL, credentialData(sandbox));
}
