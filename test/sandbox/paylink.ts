import type { CustomerForm, PaylinkForm, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { centsOrPercentage } from './cart';
import { instant } from './clock';
import { identifier } from './identifier';
import { takePayment } from './payment';
import { ACCOUNT_NUMBER, createMethod, ROUTING_NUMBER, TEST_CARD } from './paymentMethod';
import { Refusal } from './refusal';
import type { Charge, StoredPaylink } from './state';
import { transactionPayer } from './transaction';
import type { World } from './world';

/**
 * Creates paylinks with the carts behind them, and pays them, for the pay page and for a test's `pay()`:
 * who pays, with which payment method, and whether the link can still be paid.
 */

export function createPaylink(world: World, groupID: string, form: PaylinkForm): StoredPaylink {
	const { state, url } = world;
	const { pricing, customerID = '', customerPaymentID } = form;
	// Both throw a 404 if there is none.
	if (customerID) state.customers.detail(customerID);
	if (customerPaymentID) state.customers.method(customerID, customerPaymentID);
	const { paymentData, referenceID } = state.storeCart({
		referenceID: form.referenceID ?? '',
		lineItems: pricing.lineItems ?? [],
		amount: pricing.amount ?? 0,
		tax: centsOrPercentage(pricing.tax, pricing.taxType),
		shipping: pricing.shipping ?? 0,
		tip: centsOrPercentage(pricing.tip, pricing.tipType),
		discountCodes: pricing.discountCodes ?? [],
		allowEdit: form.allowEdit ?? true,
		allowExtraDiscount: form.allowExtraDiscount ?? false,
		allowTip: form.allowTip ?? false,
		onSuccessUrl: form.onSuccessURL ?? '',
		onFailureUrl: form.onFailureURL ?? '',
		customerID,
		preset: form.meta?.dynamic ?? {},
	});
	const payLinkID = identifier('pl');
	const ofLink = { payLinkID, groupID, url: `${url}/pay/${payLinkID}` };
	const paylink = { ...ofLink, paymentData, referenceID, form };
	state.paylinks.set(payLinkID, paylink);
	return paylink;
}

/** The payment of a link, wherever its cart was charged. */
export function chargeOf({ paymentData }: StoredPaylink, { state }: World): Charge | undefined {
	return state.charges.find((charge) => charge.paymentData === paymentData);
}

/** "paid" includes a pending, returned or refunded payment: the link cannot be paid again. */
export function statusOf(paylink: StoredPaylink, world: World): 'open' | 'paid' | 'expired' {
	if (chargeOf(paylink, world)) return 'paid';
	const { validUntil } = paylink.form;
	const isOver = validUntil !== undefined && instant(validUntil) <= world.clock.now().getTime();
	return isOver ? 'expired' : 'open';
}

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
