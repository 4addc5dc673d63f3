import type {
	AmountType,
	Cart,
	DynamicData,
	LineItem,
	PaymentType,
	Product,
} from '../../nodes/PaymentsGateway/wire';
import { Refusal } from './refusal';

/**
 * Computes what a cart costs: subtotal, discount, tax, shipping, fees and tip, with the adjustments
 * of one payment. The endpoints and the payment page share it, so that both ask for the same total.
 */

/** Minor units, or a percentage of the subtotal. */
export type Part = number | { percentage: number };

export interface CartLine {
	product: Product & LineItem['product'];
	amount: number;
}

/** A cart as it is stored behind its encrypted payment data; as it stands here, it allows all. */
export class StoredCart {
	paymentData = '';
	referenceID = '';
	lineItems: CartLine[] = [];
	/** The subtotal of a cart without line items. */
	amount = 2500;
	tax: Part = 0;
	shipping = 0;
	tip: Part = 0;
	discountCodes: string[] = [];
	/** A fee that is added once the payment type is known. */
	surcharge: Partial<Record<PaymentType, Part>> = {};
	allowEdit = true;
	allowExtraDiscount = true;
	allowTip = true;
	onSuccessUrl = '';
	onFailureUrl = '';
	customerID = '';
	/** Adjustments that the merchant made, so no permission is needed for them. */
	preset: DynamicData = {};
}

export const discountCodes: Readonly<Record<string, Part>> = {
	SAVE10: { percentage: 10 },
	FIVER: 500,
};

export function part(amount = 0, type?: AmountType): Part {
	return type === 'percentage' ? { percentage: amount } : amount;
}

/** Rounded half up. By way of text, or binary rounding could make 8.5 % of 1,700 come out short. */
function worth(value: Part, subtotal: number): number {
	if (typeof value === 'number') return value;
	return Math.round(Number(((subtotal * value.percentage) / 100).toFixed(6)));
}

function refuseForbidden(cart: StoredCart, dynamic: DynamicData): void {
	if (dynamic.tip && dynamic.tip.amount > 0 && !cart.allowTip) {
		throw new Refusal(400, 'This cart takes no tip (allowTip is false)');
	}
	if (dynamic.discountCodes?.length && !cart.allowExtraDiscount) {
		const message = 'This cart takes no discount codes (allowExtraDiscount is false)';
		throw new Refusal(400, message);
	}
	if (dynamic.quantityAmounts?.length && !cart.allowEdit) {
		throw new Refusal(400, 'The quantities of this cart are fixed (allowEdit is false)');
	}
}

function lineItemsOf(
	cart: StoredCart,
	quantityAmounts: NonNullable<DynamicData['quantityAmounts']>,
): LineItem[] {
	const quantities = new Map(quantityAmounts.map(({ id, quantity }) => [id, quantity]));
	for (const sku of quantities.keys()) {
		if (cart.lineItems.some(({ product }) => product.sku === sku)) continue;
		throw new Refusal(400, `This cart has no product with the SKU "${sku}"`);
	}
	return cart.lineItems.map(({ product: { sku, name, description, price }, amount: stored }) => {
		const amount = quantities.get(sku) ?? stored;
		return { product: { sku, name, description, price }, amount, total: price * amount };
	});
}

/** What each code takes off: every code once, and all together no more than the subtotal. */
function discountsOf(codes: readonly string[], subtotal: number) {
	let left = subtotal;
	const discounts = [...new Set(codes)].map((code) => {
		const known = Object.hasOwn(discountCodes, code) ? discountCodes[code] : undefined;
		if (known === undefined) {
			throw new Refusal(400, `Unknown discount code "${code}"`, 'discountCode');
		}
		const amount = Math.min(worth(known, subtotal), left);
		left -= amount;
		return { code, amount };
	});
	return discounts.filter(({ amount }) => amount > 0);
}

/** A set-up fee falls due with the first payment, once per line whatever the quantity. */
function setupFees(cart: StoredCart): number {
	return cart.lineItems.reduce(
		(sum, { product }) => sum + (product.isRecurring ? (product.recurringSetupFee ?? 0) : 0),
		0,
	);
}

export function computeCart(cart: StoredCart, dynamic: DynamicData = {}): Cart {
	refuseForbidden(cart, dynamic);
	const { preset, shipping, allowEdit, allowExtraDiscount, allowTip } = cart;
	const quantities = [...(preset.quantityAmounts ?? []), ...(dynamic.quantityAmounts ?? [])];
	const lineItems = lineItemsOf(cart, quantities);
	const subtotal = lineItems.length
		? lineItems.reduce((sum, { total }) => sum + total, 0)
		: cart.amount;
	const discountBreakdown = discountsOf(
		[...cart.discountCodes, ...(preset.discountCodes ?? []), ...(dynamic.discountCodes ?? [])],
		subtotal,
	);
	const discount = discountBreakdown.reduce((sum, { amount }) => sum + amount, 0);
	const { tip: given, paymentType } = { ...preset, ...dynamic };
	const tip = worth(given ? part(given.amount, given.type) : cart.tip, subtotal);
	const surcharge = (paymentType && cart.surcharge[paymentType]) ?? 0;
	const fees = worth(surcharge, subtotal) + setupFees(cart);
	const tax = worth(cart.tax, subtotal);
	const total = subtotal + tax + shipping + fees + tip - discount;
	return {
		breakdown: { subtotal, discount, tax, shipping, fees, tip, total },
		...{ lineItems, discountBreakdown, allowEdit, allowExtraDiscount, allowTip },
		referenceID: cart.referenceID,
		onSuccessUrl: cart.onSuccessUrl,
		onFailureUrl: cart.onFailureUrl,
	};
}
