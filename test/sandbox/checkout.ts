import type { CustomerForm, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { statusOf } from './paylink';
import { takePayment } from './payment';
import { ACCOUNT_NUMBER, createMethod, ROUTING_NUMBER, TEST_CARD } from './paymentMethod';
import { Refusal } from './refusal';
import type { StoredPaylink } from './state';
import { transactionPayer } from './transaction';
import type { World } from './world';

/**
 * Pays a paylink, for the pay page and for a test's `pay()`: who pays, with which payment method,
 * and whether the link can still be paid.
 */

const TEST_ACCOUNT = { accountNumber: ACCOUNT_NUMBER, routingNumber: ROUTING_NUMBER };

/** Fields of the link's form take precedence over those of its customer. */
export function prefilledPayer({ state }: World, { form }: StoredPaylink): CustomerForm {
	const { customerID, prefilledAddress: given = {} } = form;
	const stored: CustomerForm = customerID ? state.customers.detail(customerID) : {};
	return {
		nameOnCard: given.nameOnCard ?? stored.nameOnCard ?? '',
		email: given.email ?? stored.email ?? '',
		phone: given.phone ?? stored.phone ?? '',
		billingAddress: given.address ?? stored.billingAddress ?? '',
		billingCity: given.city ?? stored.billingCity ?? '',
		billingState: given.state ?? stored.billingState ?? '',
		billingZip: given.zip ?? stored.billingZip ?? '',
		billingCountry: given.country ?? stored.billingCountry ?? '',
	};
}

/** The saved method that the link names, the customer's default one, or else a test method. */
export function paymentMethodFor({ state }: World, { form }: StoredPaylink): PaymentMethod {
	const { customerID, customerPaymentID, disableCC } = form;
	const saved = customerID ? state.customers.methods(customerID) : [];
	const chosen =
		saved.find(({ cardID }) => cardID === customerPaymentID) ??
		saved.find(({ isDefault }) => isDefault);
	return chosen ?? createMethod(disableCC ? { ach: TEST_ACCOUNT } : { card: TEST_CARD });
}

export function payPaylink(
	world: World,
	paylink: StoredPaylink,
	{ typed = {}, forceDecline = false }: { typed?: CustomerForm; forceDecline?: boolean } = {},
) {
	const status = statusOf(paylink, world);
	if (status === 'paid') throw new Refusal(400, 'This link has been paid already');
	if (status === 'expired') throw new Refusal(410, 'This link has expired');
	const { form, paymentData, groupID } = paylink;
	const method = paymentMethodFor(world, paylink);
	const payer = { ...prefilledPayer(world, paylink), ...(form.disableCustomAddress ? {} : typed) };
	return takePayment(world, {
		cart: world.state.cart(paymentData),
		dynamicData: { paymentType: method.type === 'ach' ? 'ach' : 'card' },
		payer: transactionPayer(form.customerID ?? '', payer),
		method,
		groupID,
		via: 'page',
		forceDecline,
	});
}
