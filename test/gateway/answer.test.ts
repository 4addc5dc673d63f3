import { missingField } from '../../nodes/PaymentsGateway/gateway/answer';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';

test.each<[Endpoint, unknown, string]>([
	['addPaymentMethod', { customerID: 'cus_1' }, 'paymentCardID'],
	['addPaymentMethod', { data: { customerID: 'cus_1' } }, 'paymentCardID'],
	['addPaymentMethod', { data: null }, 'customerID'],
	['addPaymentMethod', 'OK', 'customerID'],
	// A link has a "data" of its own.
	['createCheckoutData', { data: { payLinkID: 'pl_1' } }, 'data.url'],
	['createCheckoutData', { data: { data: { payLinkID: 'pl_1' } } }, 'data.url'],
])('of %s, the answer %j lacks %s, wrapped in data or not', (endpoint, body, field) => {
	expect(missingField(endpoint, body)).toBe(field);
});
