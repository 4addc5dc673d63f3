import type {
	FixedOrPercent,
	Cart,
	DynamicData,
	LineItem,
	PaymentType,
	Product,
} from '../../nodes/PaymentsGateway/wire';
import { Refusal } from './refusal';

/**
 * Computes what a cart costs: subtotal, discount, tax, shipping, fees and tip, with the adjustments
 * of one payment. The endpoints and the pay page share it, so that both ask for the same total.
 */

/** A percentage is one of the subtotal. */
export type CentsOrPercentage = number | { percentage: number };

export interface CartLine {
	product: Product & LineItem['product'];
	amount: number;
}

/** A cart as it is stored behind its encrypted payment data. */
export class StoredCart {
	paymentData = '';
	referenceID = '';
	lineItems: CartLine[] = [];
	/** The subtotal of a cart without line items. */
	amount = 2500;
	tax: CentsOrPercentage = 0;
	shipping = 0;
	tip: CentsOrPercentage = 0;
	discountCodes: string[] = [];
	/** A fee that is added once the payment type is known. */
	surcharge: Partial<Record<PaymentType, CentsOrPercentage>> = {};
	allowEdit = true;
	allowExtraDiscount = true;
	allowTip = true;
	onSuccessUrl = '';
	onFailureUrl = '';
	customerID = '';
	/** Adjustments that the merchant made. */
	preset: DynamicData = {};
}

const knownDiscounts = new Map<string, CentsOrPercentage>([
	['SAVE10', { percentage: 10 }],
	['FIVER', 500],
]);

/** "$1,234.50". The sandbox shares no code for money with the package. */
export function dollars(cents: number): string {
	return (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
}

export function centsOrPercentage(amount = 0, type?: FixedOrPercent['type']): CentsOrPercentage {
	return type === 'percentage' ? { percentage: amount } : amount;
}

const sum = (amounts: readonly number[]): number =>
	amounts.reduce((total, amount) => total + amount, 0);

/** Rounded half up. `toFixed` first: in binary, 1.005 % of 10,000 is just below 100.5. */
function inCents(value: CentsOrPercentage, subtotal: number): number {
	if (typeof value === 'number') return value;
	return Math.round(Number(((subtotal * value.percentage) / 100).toFixed(6)));
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

/** Every code counts once, and all together take off no more than the subtotal. */
function discountsOf(codes: readonly string[], subtotal: number) {
	let left = subtotal;
	const discounts = [...new Set(codes)].map((code) => {
		const known = knownDiscounts.get(code);
		if (known === undefined) throw new Refusal(400, `Unknown discount code "${code}"`);
		const amount = Math.min(inCents(known, subtotal), left);
		left -= amount;
		return { code, amount };
	});
	return discounts.filter(({ amount }) => amount > 0);
}

export function computeCart(cart: StoredCart, dynamic: DynamicData = {}): Cart {
	const { shipping, allowEdit, allowExtraDiscount, allowTip } = cart;
	const { referenceID, onSuccessUrl, onFailureUrl } = cart;
	const adjustments = [cart.preset, dynamic];
	const { tip: addedTip, paymentType }: DynamicData = { ...cart.preset, ...dynamic };
	const quantities = adjustments.flatMap(({ quantityAmounts = [] }) => quantityAmounts);
	const lineItems = lineItemsOf(cart, quantities);
	const subtotal = lineItems.length ? sum(lineItems.map(({ total }) => total)) : cart.amount;
	const addedCodes = adjustments.flatMap(({ discountCodes = [] }) => discountCodes);
	const discountBreakdown = discountsOf([...cart.discountCodes, ...addedCodes], subtotal);
	const discount = sum(discountBreakdown.map(({ amount }) => amount));
	const tip = addedTip ? centsOrPercentage(addedTip.amount, addedTip.type) : cart.tip;
	const surcharge = (paymentType && cart.surcharge[paymentType]) ?? 0;
	const fees = inCents(surcharge, subtotal);
	const tax = inCents(cart.tax, subtotal);
	const costs = { subtotal, discount, tax, shipping, fees, tip: inCents(tip, subtotal) };
	const total = subtotal + tax + shipping + fees + costs.tip - discount;
	return {
		breakdown: { ...costs, total },
		lineItems,
		discountBreakdown,
		allowEdit,
		allowExtraDiscount,
		allowTip,
		referenceID,
		onSuccessUrl,
		onFailureUrl,
	};
}
