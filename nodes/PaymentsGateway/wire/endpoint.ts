import type { CustomerDetail, CustomerForm, CustomerRow, Instrument } from './customer';
import type { WebhookEvent } from './event';
import type { ListAnswer, PageRequest } from './page';
import type { Paylink, PaylinkForm } from './paylink';
import type { Cart, CustomerInfo, DynamicData } from './payment';

/**
 * The twelve endpoints of the gateway: what each takes and answers, which token it needs, and
 * whether it may be repeated. All other code looks these facts up here; docs/service.md has them in
 * words.
 */

interface Endpoints {
	customers: { data: { page: PageRequest }; answer: ListAnswer<CustomerRow> };
	addCustomer: {
		data: { form: CustomerForm & Instrument };
		answer: { customerID: string; paymentCardID?: string };
	};
	customer: { data: { customerID: string }; answer: CustomerDetail };
	updateCustomer: {
		data: { customerID: string; form: CustomerForm };
		answer: { customerID: string };
	};
	deleteCustomer: { data: { customerID: string }; answer: { customerID: string } };
	addPaymentMethod: {
		data: { customerID: string; form: Instrument & { setAsDefault?: boolean } };
		answer: { customerID: string; paymentCardID: string };
	};
	deletePaymentMethod: {
		data: { customerID: string; cardID: string };
		answer: { customerID: string };
	};
	setDefaultPaymentMethod: {
		data: { customerID: string; cardID: string };
		answer: { customerID: string };
	};
	webhookEvents: { data: { page: PageRequest }; answer: ListAnswer<WebhookEvent> };
	computeTokenizedCheckout: {
		data: { paymentData: string; dynamicData: DynamicData };
		answer: Cart;
	};
	createTokenizedManualEntry: {
		data: { paymentData: string; dynamicData: DynamicData; customerInfo: CustomerInfo };
		answer: { transactionID: string; status: string };
	};
	createCheckoutData: {
		data: { form: PaylinkForm };
		answer: { data: Paylink };
	};
}

export type Endpoint = keyof Endpoints;

export type Data<E extends Endpoint> = Endpoints[E]['data'];

export type Answer<E extends Endpoint> = Endpoints[E]['answer'];

/** A read may be repeated; a write where it was not carried out; a charge never. */
export type Effect = 'read' | 'write' | 'charge';

interface EndpointRules {
	effect: Effect;
	/** Which credential it takes: the header token, or the group ID and the private token. */
	token: 'header' | 'body';
	/** What an answer must hold to count as a success: a path, and what stands there. */
	answers: Readonly<Record<string, 'array' | 'integer' | 'string'>>;
}

export const endpoints: { readonly [E in Endpoint]: EndpointRules } = {
	customers: { effect: 'read', token: 'header', answers: { data: 'array' } },
	addCustomer: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	customer: { effect: 'read', token: 'header', answers: { id: 'string' } },
	updateCustomer: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	deleteCustomer: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	addPaymentMethod: {
		effect: 'write',
		token: 'header',
		answers: { customerID: 'string', paymentCardID: 'string' },
	},
	deletePaymentMethod: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	setDefaultPaymentMethod: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	webhookEvents: { effect: 'read', token: 'body', answers: { data: 'array' } },
	computeTokenizedCheckout: {
		effect: 'read',
		token: 'body',
		answers: { 'breakdown.total': 'integer' },
	},
	createTokenizedManualEntry: {
		effect: 'charge',
		token: 'body',
		answers: { transactionID: 'string', status: 'string' },
	},
	createCheckoutData: {
		effect: 'write',
		token: 'body',
		answers: { 'data.payLinkID': 'string', 'data.url': 'string' },
	},
};
