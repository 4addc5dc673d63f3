import { create } from './create';

/**
 * The resource Paylink. A paylink leads to a payment page of the service, so that no card number
 * passes through n8n.
 */

export const paylink = {
	name: 'Paylink',
	description: 'A link to a payment page that you send to a customer',
	operations: { create },
};
