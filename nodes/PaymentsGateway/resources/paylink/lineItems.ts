import type { PaylinkLineItem, Product } from '../../wire';
import { amountOf } from '../../form/amount';
import { filledIn, isEmpty, isNothing } from '../../form/filledIn';
import type { FieldError } from '../../form/fieldError';
import type { Parameters } from '../../form/field';
import { isObject } from '../../wire/json';
import type { lineItems } from './fields';
import { lineItemsJson, MONEY } from './fields';

/**
 * Reads the line items of a paylink, from the form's fields or from JSON in the gateway's own shape.
 * What would be charged (prices, quantities, how often) is checked; the rest is the gateway's.
 */

type FilledItem = NonNullable<
	NonNullable<Parameters<[typeof lineItems]>['lineItems']>['items']
>[number];

const NEITHER = "has neither a product nor a 'productId'";
const NO_MODE = "is a subscription: say how often it is billed ('Billed', in JSON 'recurringMode')";

export function lineItemsFromFields(
	items: readonly FilledItem[],
	fieldError: FieldError,
): PaylinkLineItem[] {
	return items.map((item, index) => {
		const say = (words: string) => fieldError(`'Line Items': number ${index + 1} ${words}`);
		const { quantity, productId, subscription = {} } = item;
		if (quantity === 0) throw say("needs a 'Quantity' above 0");
		if (item.productSource === 'id') {
			if (!productId) throw say("needs a 'Product ID'");
			return { productId, amount: quantity };
		}
		if (!item.name && !item.sku) throw say("needs a 'Product Name' or an 'SKU'");
		const { recurringSetupFee: fee, ...recurring } = filledIn(subscription);
		const isRecurring = !isEmpty(subscription);
		if (isRecurring && recurring.recurringMode === undefined) throw say(NO_MODE);
		return {
			product: {
				...filledIn({ sku: item.sku, name: item.name, description: item.description }),
				price: amountOf(MONEY.price, item.price ?? '', fieldError),
				...(isRecurring ? { isRecurring, ...recurring } : {}),
				...(fee && { recurringSetupFee: amountOf(MONEY.setupFee, fee, fieldError) }),
			},
			amount: quantity,
		};
	});
}

type Say = (words: string) => Error;

/** Price times a hundred in an expression gives 1998.9999999999998; that is 1999. */
function centsOf(name: string, value: unknown, say: Say): number {
	const cents = typeof value === 'number' ? Math.round(value) : NaN;
	if (Number.isSafeInteger(cents) && cents >= 0 && Math.abs(cents - Number(value)) < 1e-6) {
		return cents;
	}
	throw say(`has a ${name} that is not in whole cents, such as 1999 for $19.99`);
}

function productFrom(given: unknown, say: Say): Product {
	if (!isObject(given)) throw say('has a product that is not an object');
	const { name, sku, price, isRecurring, recurringMode, recurringSetupFee: fee } = given;
	if (isNothing(name) && isNothing(sku)) throw say("has a product without 'name' or 'sku'");
	if (!isNothing(isRecurring) && typeof isRecurring !== 'boolean') {
		throw say('has an isRecurring that is neither true nor false');
	}
	const hasMode = typeof recurringMode === 'string' && recurringMode.trim() !== '';
	if (isRecurring === true && !hasMode) throw say(NO_MODE);
	return {
		...given,
		price: centsOf('price', price, say),
		...(isNothing(fee) ? {} : { recurringSetupFee: centsOf('recurringSetupFee', fee, say) }),
	};
}

export function lineItemsFromJson(given: unknown, fieldError: FieldError): PaylinkLineItem[] {
	const label = `'${lineItemsJson.displayName}'`;
	if (!Array.isArray(given)) throw fieldError(`${label} must be a list`);
	return given.map((item: unknown, index) => {
		const say = (words: string) => fieldError(`${label}: number ${index + 1} ${words}`);
		if (!isObject(item)) throw say('is not an object');
		// What the node does not know goes out as it came.
		const { productId, product, amount, ...more } = item;
		if (typeof amount !== 'number' || !Number.isFinite(amount) || amount <= 0) {
			throw say("needs an 'amount', its quantity, above 0");
		}
		if (isNothing(productId) === isNothing(product)) {
			throw say(isNothing(product) ? NEITHER : "has both a product and a 'productId'");
		}
		if (isNothing(product)) {
			if (typeof productId !== 'string') throw say("has a 'productId' that is not text");
			return { ...more, productId, amount };
		}
		return { ...more, product: productFrom(product, say), amount };
	});
}

/** What the items cost by themselves, in cents; undefined where a price is the gateway's. */
export function subtotal(items: readonly PaylinkLineItem[]): number | undefined {
	const sum = items.reduce(
		(total, { product, amount }) => total + (product?.price ?? NaN) * amount,
		0,
	);
	return Number.isFinite(sum) ? Math.round(sum) : undefined;
}
