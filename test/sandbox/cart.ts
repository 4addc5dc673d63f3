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

const sum = (amounts: readonly number[]): number =>
	amounts.reduce((total, amount) => total + amount, 0);

function joined<T>(...lists: Array<T[] | undefined>): T[] {
	return lists.flatMap((list) => list ?? []);
}

/** Rounded half up. By way of text, or binary rounding could make 8.5 % of 1,700 come out short. */
function worth(value: Part, subtotal: number): number {
	if (typeof value === 'number') return value;
	return Math.round(Number(((subtotal * value.percentage) / 100).toFixed(6)));
}

function refuseForbidden(cart: StoredCart, dynamic: DynamicData): void {
	const { tip, discountCodes: codes, quantityAmounts: quantities } = dynamic;
	if (tip?.amount && !cart.allowTip) {
		throw new Refusal(400, 'This cart takes no tip (allowTip is false)');
	}
	if (codes?.length && !cart.allowExtraDiscount) {
		const message = 'This cart takes no discount codes (allowExtraDiscount is false)';
		throw new Refusal(400, message);
	}
	if (quantities?.length && !cart.allowEdit) {
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
		if (known === undefined) throw new Refusal(400, `Unknown discount code "${code}"`);
		const amount = Math.min(worth(known, subtotal), left);
		left -= amount;
		return { code, amount };
	});
	return discounts.filter(({ amount }) => amount > 0);
}

/** A set-up fee falls due with the first payment, once per line whatever the quantity. */
function setupFees({ lineItems }: StoredCart): number {
	const recurring = lineItems.filter(({ product }) => product.isRecurring);
	return sum(recurring.map(({ product }) => product.recurringSetupFee ?? 0));
}

export function computeCart(cart: StoredCart, dynamic: DynamicData = {}): Cart {
	refuseForbidden(cart, dynamic);
	const { preset, shipping, allowEdit, allowExtraDiscount, allowTip } = cart;
	const both = { ...preset, ...dynamic };
	const lineItems = lineItemsOf(cart, joined(preset.quantityAmounts, dynamic.quantityAmounts));
	const subtotal = lineItems.length ? sum(lineItems.map(({ total }) => total)) : cart.amount;
	const codes = joined(cart.discountCodes, preset.discountCodes, dynamic.discountCodes);
	const discountBreakdown = discountsOf(codes, subtotal);
	const discount = sum(discountBreakdown.map(({ amount }) => amount));
	const tip = worth(both.tip ? part(both.tip.amount, both.tip.type) : cart.tip, subtotal);
	const surcharge = (both.paymentType && cart.surcharge[both.paymentType]) ?? 0;
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
