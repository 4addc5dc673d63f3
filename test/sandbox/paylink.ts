import type { PaylinkForm, PaylinkLineItem } from '../../nodes/PaymentsGateway/wire';
import { type CartLine, computeCart, discountOf, part } from './cart';
import { type Clock, instant } from './clock';
import { identifier } from './identifier';
import type { StoredPaylink } from './state';
import type { World } from './world';

/**
 * Creates paylinks with the carts behind them, and says where a paylink stands: open, paid,
 * refunded or expired.
 */

function cartLine({ state }: World, { productId, product, amount }: PaylinkLineItem): CartLine {
	const source = productId === undefined ? product : state.product(productId);
	return {
		amount,
		product: {
			...source,
			sku: source?.sku || identifier('SKU'),
			name: source?.name ?? '',
			description: source?.description ?? '',
			price: source?.price ?? 0,
		},
	};
}

export function createPaylink(world: World, groupID: string, form: PaylinkForm): StoredPaylink {
	const { state, url } = world;
	const { pricing, customerID = '', customerPaymentID } = form;
	if (customerID) state.customers.detail(customerID);
	if (customerPaymentID) state.customers.method(customerID, customerPaymentID);
	for (const code of pricing.discountCodes ?? []) discountOf(code);
	const lineItems = (pricing.lineItems ?? []).map((item) => cartLine(world, item));
	const cart: Parameters<typeof state.keepCart>[0] = {
		referenceID: form.referenceID ?? '',
		lineItems,
		amount: pricing.amount ?? 0,
		tax: part(pricing.tax, pricing.taxType),
		shipping: pricing.shipping ?? 0,
		fees: 0,
		discount: 0,
		tip: part(pricing.tip, pricing.tipType),
		discountCodes: pricing.discountCodes ?? [],
		surcharge: {},
		allowEdit: form.allowEdit ?? true,
		allowExtraDiscount: form.allowExtraDiscount ?? false,
		allowTip: form.allowTip ?? false,
		onSuccessUrl: form.onSuccessURL ?? '',
		onFailureUrl: form.onFailureURL ?? '',
		customerID,
		preset: form.meta?.dynamic ?? {},
	};
	// Computed once before it is kept: an unknown code or SKU is an error of this request.
	computeCart({ ...cart, paymentData: '' });
	const { paymentData } = state.keepCart(cart);
	const payLinkID = identifier('pl');
	const paylink: StoredPaylink = {
		payLinkID,
		groupID,
		url: `${url}/pay/${payLinkID}`,
		paymentData,
		referenceID: cart.referenceID,
		form,
		status: 'open',
		transactionID: '',
	};
	state.paylinks.set(payLinkID, paylink);
	return paylink;
}

interface Timed {
	clock: Pick<Clock, 'now'>;
}

export function isExpired({ form }: StoredPaylink, { clock }: Timed): boolean {
	return form.validUntil !== undefined && instant(form.validUntil) <= clock.now().getTime();
}

export type Standing = 'open' | 'expired' | 'paid' | 'partly refunded' | 'refunded';

/** Where a link stands, in the same words in the terminal and on the pages. */
export function standingOf(paylink: StoredPaylink, timed: Timed): Standing {
	if (paylink.status === 'partiallyRefunded') return 'partly refunded';
	return paylink.status === 'open' && isExpired(paylink, timed) ? 'expired' : paylink.status;
}
