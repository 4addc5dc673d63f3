import type { CustomerForm, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { standingOf } from './paylink';
import { takePayment } from './payment';
import { ACCOUNT_NUMBER, CARD_TOKEN, methodOf } from './paymentMethod';
import { Refusal } from './refusal';
import type { StoredPaylink } from './state';
import { payerOf } from './transaction';
import type { World } from './world';

/**
 * Pays a paylink, for the pay page and for a test's `pay()`: who pays, with which payment method,
 * and whether the link can still be paid.
 */

const TEST_CARD = { card: { cardToken: CARD_TOKEN, expiryDate: '12/39' } };
const TEST_ACCOUNT = { ach: { accountNumber: ACCOUNT_NUMBER, routingNumber: '110000000' } };

/** Who pays, as far as the link and its customer say. */
export function payerOn({ state }: World, { form }: StoredPaylink): CustomerForm {
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
export function methodOn({ state }: World, { form }: StoredPaylink): PaymentMethod {
	const { customerID, customerPaymentID, disableCC } = form;
	const saved = customerID ? state.customers.methods(customerID) : [];
	const chosen =
		saved.find(({ cardID }) => cardID === customerPaymentID) ??
		saved.find(({ isDefault }) => isDefault);
	return chosen ?? methodOf(disableCC ? TEST_ACCOUNT : TEST_CARD);
}

export function payPaylink(
	world: World,
	paylink: StoredPaylink,
	{ typed = {}, declines = false }: { typed?: CustomerForm; declines?: boolean } = {},
) {
	const standing = standingOf(paylink, world);
	if (standing === 'paid') throw new Refusal(400, 'This link has been paid already');
	if (standing === 'expired') throw new Refusal(410, 'This link has expired');
	const { form, paymentData, groupID } = paylink;
	const method = methodOn(world, paylink);
	const payer = { ...payerOn(world, paylink), ...(form.disableCustomAddress ? {} : typed) };
	return takePayment(world, {
		cart: world.state.cart(paymentData),
		dynamicData: { paymentType: method.type === 'ach' ? 'ach' : 'card' },
		payer: payerOf(form.customerID ?? '', payer),
		...{ method, groupID, via: 'page', declines },
	});
}
