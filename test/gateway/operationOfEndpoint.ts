import type { INodeParameters } from 'n8n-workflow';

import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { by } from '../resources/locator';
import { parametersOf } from '../resources/payment/charges';

/** Each endpoint except the charge's, with an operation that calls it. Operations on a customer use `cus_1`. */

export const get = { resource: 'customer', operation: 'get', customerId: by('id', 'cus_1') };
export const create = {
	resource: 'customer',
	operation: 'create',
	customerFields: { email: 'ada@example.com' },
};
export const paylink = { resource: 'paylink', operation: 'create', amount: 25 };
export const events = { resource: 'event', operation: 'getAll' };

/** A charge without its cart. */
export const chargeWithoutCart = parametersOf({});

const method = {
	resource: 'paymentMethod',
	customerId: by('id', 'cus_1'),
	paymentMethodId: by('id', 'pm_1'),
	card: { details: { cardToken: 'tok_visa_4242' } },
};

export const operationOfEndpoint: Array<[Endpoint, INodeParameters]> = [
	['customers', { resource: 'customer', operation: 'getAll' }],
	['customer', get],
	['addCustomer', create],
	['updateCustomer', { ...create, operation: 'update', customerId: by('id', 'cus_1') }],
	['deleteCustomer', { ...get, operation: 'delete' }],
	['addPaymentMethod', { ...method, operation: 'add' }],
	['deletePaymentMethod', { ...method, operation: 'delete' }],
	['setDefaultPaymentMethod', { ...method, operation: 'setDefault' }],
	['webhookEvents', events],
	['computeTokenizedCheckout', { resource: 'cart', operation: 'calculate', paymentData: 'x' }],
	['createCheckoutData', paylink],
];
