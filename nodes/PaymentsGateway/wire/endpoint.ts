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

type OfCustomer = { customerID: string };
type OfMethod = { customerID: string; cardID: string };
type OfCart = { paymentData: string; dynamicData: DynamicData };
type List<Row> = { data: { page: PageRequest }; answer: ListAnswer<Row> };

interface Endpoints {
	customers: List<CustomerRow>;
	addCustomer: {
		data: { form: CustomerForm & Instrument };
		answer: { customerID: string; paymentCardID?: string };
	};
	customer: { data: OfCustomer; answer: CustomerDetail };
	updateCustomer: { data: OfCustomer & { form: CustomerForm }; answer: OfCustomer };
	deleteCustomer: { data: OfCustomer; answer: OfCustomer };
	addPaymentMethod: {
		data: OfCustomer & { form: Instrument & { setAsDefault?: boolean } };
		answer: { customerID: string; paymentCardID: string };
	};
	deletePaymentMethod: { data: OfMethod; answer: OfCustomer };
	setDefaultPaymentMethod: { data: OfMethod; answer: OfCustomer };
	webhookEvents: List<WebhookEvent>;
	computeTokenizedCheckout: { data: OfCart; answer: Cart };
	createTokenizedManualEntry: {
		data: OfCart & { customerInfo: CustomerInfo };
		answer: { transactionID: string; status: string };
	};
	createCheckoutData: { data: { form: PaylinkForm }; answer: { data: Paylink } };
}

export type Endpoint = keyof Endpoints;

export type Data<E extends Endpoint> = Endpoints[E]['data'];

export type Answer<E extends Endpoint> = Endpoints[E]['answer'];

/** A read may be repeated; a write only if it certainly was not carried out; a charge never. */
export type Effect = 'read' | 'write' | 'charge';

interface EndpointRules {
	effect: Effect;
	/** Which token it takes: in the header, or in the body beside the group ID. */
	token: 'header' | 'body';
	/** The fields that an answer must have to count as a success: path and type. */
	requiredFields: Readonly<Record<string, 'array' | 'integer' | 'string'>>;
}

const rules = (
	token: EndpointRules['token'],
	effect: Effect,
	requiredFields: EndpointRules['requiredFields'],
): EndpointRules => ({ token, effect, requiredFields });

export const endpoints: { readonly [E in Endpoint]: EndpointRules } = {
	customers: rules('header', 'read', { data: 'array' }),
	addCustomer: rules('header', 'write', { customerID: 'string' }),
	customer: rules('header', 'read', { id: 'string' }),
	updateCustomer: rules('header', 'write', { customerID: 'string' }),
	deleteCustomer: rules('header', 'write', { customerID: 'string' }),
	addPaymentMethod: rules('header', 'write', { customerID: 'string', paymentCardID: 'string' }),
	deletePaymentMethod: rules('header', 'write', { customerID: 'string' }),
	setDefaultPaymentMethod: rules('header', 'write', { customerID: 'string' }),
	webhookEvents: rules('body', 'read', { data: 'array' }),
	computeTokenizedCheckout: rules('body', 'read', { 'breakdown.total': 'integer' }),
	createTokenizedManualEntry: rules('body', 'charge', {
		transactionID: 'string',
		status: 'string',
	}),
	createCheckoutData: rules('body', 'write', { 'data.payLinkID': 'string', 'data.url': 'string' }),
};
