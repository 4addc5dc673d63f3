import type { PaylinkLineItem, Product } from '../../wire';
import { amountOf, toMinor } from '../../form/amount';
import type { AmountUnit } from '../../form/amount';
import { filledIn, isEmpty } from '../../form/filledIn';
import { shortened } from '../../form/complain';
import type { Complain } from '../../form/complain';
import type { Parameters } from '../../form/field';
import type { lineItems } from './fields';
import { isObject } from '../../wire/json';

/**
 * Reads the line items of a paylink, from the form's fields or from JSON. All of it is checked
 * before it is sent, because a price that is misread would be charged.
 */

type FilledItem = NonNullable<
	NonNullable<Parameters<[typeof lineItems]>['lineItems']>['items']
>[number];

const TOO_LITTLE = 'has neither a product nor a Product ID';
const NO_MODE =
	'is a subscription without a mode: set how often it is billed, because it is not known how often the service would charge otherwise';
const EMPTY = '"Line Items" are empty: add at least one';

export function lineItemsFromFields(
	items: readonly FilledItem[],
	unit: AmountUnit,
	complain: Complain,
): PaylinkLineItem[] {
	if (items.length === 0) throw complain(EMPTY);
	return items.map((item, index) => {
		const say = (words: string) => complain(`"Line Items": number ${index + 1} ${words}`);
		const { quantity, productId, subscription = {} } = item;
		if (item.productSource === 'id') {
			if (!productId) throw say(TOO_LITTLE);
			return { productId, amount: quantity };
		}
		if (!item.name && !item.sku) throw say(TOO_LITTLE);
		const money = (label: string, typed: string) =>
			amountOf(`${label} (${unit === 'major' ? 'Dollars' : 'Cents'})`, typed, complain, {
				unit,
				advice: 'Set "Amount Unit" to Major Units to enter dollars',
			});
		const { recurringSetupFee: fee, ...recurring } = filledIn(subscription);
		const isRecurring = !isEmpty(subscription);
		if (isRecurring && recurring.recurringMode === undefined) throw say(NO_MODE);
		return {
			product: {
				...filledIn({ sku: item.sku, name: item.name, description: item.description }),
				price: money('Price', item.price ?? ''),
				...(isRecurring ? { isRecurring, ...recurring } : {}),
				...(fee === undefined ? {} : { recurringSetupFee: money('Setup Fee', fee) }),
			},
			amount: quantity,
		};
	});
}

const PRODUCT: Readonly<Record<keyof Product, 'string' | 'boolean' | 'count' | 'cents'>> = {
	sku: 'string',
	name: 'string',
	description: 'string',
	price: 'cents',
	isRecurring: 'boolean',
	recurringMode: 'string',
	recurringInterval: 'count',
	recurringFrequency: 'count',
	recurringTotalCycles: 'count',
	recurringTrialDays: 'count',
	recurringSetupFee: 'cents',
	recurringRefundable: 'boolean',
};

type Say = (words: string) => Error;

function isProductField(name: string): name is keyof Product {
	return Object.hasOwn(PRODUCT, name);
}

function checkField(name: keyof Product, value: unknown, say: Say): void {
	const kind = PRODUCT[name];
	if (kind === 'string' || kind === 'boolean') {
		if (typeof value !== kind) throw say(`has a ${name} that is not a ${kind}`);
		return;
	}
	if (typeof value !== 'number') throw say(`has a ${name} that is not a number`);
	if (kind === 'cents') {
		const read = toMinor(value, 'minor', 0);
		if ('wrong' in read) {
			throw say(`has a ${name}: ${read.wrong}. JSON is in minor units whatever "Amount Unit" says`);
		}
	} else if (!Number.isSafeInteger(value) || value < 0) {
		throw say(`has a ${name} that is not a whole number`);
	}
}

function productFrom(given: unknown, say: Say): Product {
	if (!isObject(given)) throw say('has a product that is not an object');
	for (const [name, value] of Object.entries(given)) {
		if (!isProductField(name))
			throw say(`has a product with the unknown field "${shortened(name)}"`);
		checkField(name, value, say);
	}
	const product: Product = { ...given };
	if (!product.name && !product.sku) throw say(TOO_LITTLE);
	if (product.price === undefined) throw say('has a product without a price');
	if (product.isRecurring === true && !product.recurringMode?.trim()) throw say(NO_MODE);
	return product;
}

export function lineItemsFromJson(given: unknown, complain: Complain): PaylinkLineItem[] {
	const label = '"Line Items (JSON, Minor Units)"';
	if (!Array.isArray(given)) throw complain(`${label} must be a list`);
	if (given.length === 0) throw complain(EMPTY);
	return given.map((item: unknown, index) => {
		const say = (words: string) => complain(`${label}: number ${index + 1} ${words}`);
		if (!isObject(item)) throw say('is not an object');
		const unknown = Object.keys(item).find(
			(name) => !['productId', 'product', 'amount'].includes(name),
		);
		if (unknown !== undefined) throw say(`has the unknown field "${shortened(unknown)}"`);
		const { productId, product, amount = 1 } = item;
		if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1) {
			throw say('has an amount (the quantity) that is not a whole number from 1 on');
		}
		const hasId = productId !== undefined && productId !== null && productId !== '';
		const hasProduct = product !== undefined && product !== null;
		if (hasId && hasProduct) throw say('has both a product and a Product ID');
		if (hasProduct) return { product: productFrom(product, say), amount };
		if (!hasId) throw say(TOO_LITTLE);
		if (typeof productId !== 'string') throw say('has a Product ID that is not text');
		return { productId, amount };
	});
}

/** What the items cost by themselves, when all of it is known here. */
export function subtotal(items: readonly PaylinkLineItem[]): number | undefined {
	let sum = 0;
	for (const { product, amount } of items) {
		if (product?.price === undefined || product.isRecurring === true) return undefined;
		sum += product.price * amount;
	}
	return Number.isSafeInteger(sum) ? sum : undefined;
}
