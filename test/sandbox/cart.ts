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

/** A cart as it is stored behind its encrypted payment data. */
export interface StoredCart {
	paymentData: string;
	referenceID: string;
	lineItems: CartLine[];
	/** The subtotal of a cart without line items. */
	amount: number;
	tax: Part;
	shipping: Part;
	fees: Part;
	discount: Part;
	tip: Part;
	discountCodes: string[];
	/** Added to the fees once the payment type is known. */
	surcharge: Partial<Record<PaymentType, Part>>;
	allowEdit: boolean;
	allowExtraDiscount: boolean;
	allowTip: boolean;
	onSuccessUrl: string;
	onFailureUrl: string;
	customerID: string;
	/** Adjustments that the merchant made, so no permission is needed for them. */
	preset: DynamicData;
}

export const discountCodes: Readonly<Record<string, Part>> = {
	SAVE10: { percentage: 10 },
	FIVER: 500,
};

export function part(amount: number | undefined, type: AmountType | undefined): Part {
	return type === 'percentage' ? { percentage: amount ?? 0 } : (amount ?? 0);
}

/** Rounded half up. By way of text, or binary rounding could make 8.5 % of 1,700 come out short. */
function worth(value: Part, subtotal: number): number {
	if (typeof value === 'number') return value;
	return Math.round(Number(((subtotal * value.percentage) / 100).toFixed(6)));
}

export function discountOf(code: string): Part {
	const known = Object.hasOwn(discountCodes, code) ? discountCodes[code] : undefined;
	if (known === undefined) throw new Refusal(400, `Unknown discount code "${code}"`);
	return known;
}

function refuseForbidden(cart: StoredCart, dynamic: DynamicData): void {
	if (dynamic.tip && dynamic.tip.amount > 0 && !cart.allowTip) {
		throw new Refusal(400, 'This cart takes no tip (allowTip is false)');
	}
	if (dynamic.discountCodes?.length && !cart.allowExtraDiscount) {
		throw new Refusal(400, 'This cart takes no discount codes (allowExtraDiscount is false)');
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
	const lines = cart.lineItems.map(({ product, amount: stored }) => {
		const { sku, name, description, price } = product;
		const amount = quantities.get(sku) ?? stored;
		return { product: { sku, name, description, price }, amount, total: price * amount };
	});
	for (const sku of quantities.keys()) {
		if (lines.some(({ product }) => product.sku === sku)) continue;
		throw new Refusal(400, `This cart has no product with the SKU "${sku}"`);
	}
	return lines;
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
	const { preset } = cart;
	const lineItems = lineItemsOf(cart, [
		...(preset.quantityAmounts ?? []),
		...(dynamic.quantityAmounts ?? []),
	]);
	const subtotal = cart.lineItems.length
		? lineItems.reduce((sum, { total }) => sum + total, 0)
		: cart.amount;

	const discountBreakdown: Array<{ code: string; amount: number }> = [];
	let undiscounted = subtotal;
	const discountBy = (code: string, value: Part): void => {
		const amount = Math.min(worth(value, subtotal), undiscounted);
		if (amount === 0) return;
		undiscounted -= amount;
		discountBreakdown.push({ code, amount });
	};
	discountBy('', cart.discount);
	const codes = [
		...cart.discountCodes,
		...(preset.discountCodes ?? []),
		...(dynamic.discountCodes ?? []),
	];
	for (const code of new Set(codes)) discountBy(code, discountOf(code));

	const tipGiven = dynamic.tip ?? preset.tip;
	const paymentType = dynamic.paymentType ?? preset.paymentType;
	const surcharge = (paymentType && cart.surcharge[paymentType]) ?? 0;
	const discount = subtotal - undiscounted;
	const tax = worth(cart.tax, subtotal);
	const shipping = worth(cart.shipping, subtotal);
	const fees = worth(cart.fees, subtotal) + worth(surcharge, subtotal) + setupFees(cart);
	const tip = worth(tipGiven ? part(tipGiven.amount, tipGiven.type) : cart.tip, subtotal);
	return {
		breakdown: {
			subtotal,
			discount,
			tax,
			shipping,
			fees,
			tip,
			total: subtotal + tax + shipping + fees + tip - discount,
		},
		lineItems,
		discountBreakdown,
		allowEdit: cart.allowEdit,
		allowExtraDiscount: cart.allowExtraDiscount,
		allowTip: cart.allowTip,
		referenceID: cart.referenceID,
		onSuccessUrl: cart.onSuccessUrl,
		onFailureUrl: cart.onFailureUrl,
	};
}
