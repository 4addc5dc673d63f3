import type { PaylinkForm } from '../../nodes/PaymentsGateway/wire';
import { centsOrPercentage } from './cart';
import { instant } from './clock';
import { identifier } from './identifier';
import type { Charge, StoredPaylink } from './state';
import type { World } from './world';

/** Creates paylinks with the carts behind them, and finds whether one is open, paid or expired. */

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
	const paylink: StoredPaylink = {
		payLinkID,
		groupID,
		url: `${url}/pay/${payLinkID}`,
		paymentData,
		referenceID,
		form,
	};
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
