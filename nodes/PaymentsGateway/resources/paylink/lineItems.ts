import { isEmpty, withoutEmpty } from '../../form/empty';
import type { ValuesOf } from '../../form/field';
import type { FieldError } from '../../form/fieldError';
import type { PaylinkLineItem } from '../../wire';
import { isObject, textOf, valueAt, wholeOf } from '../../wire/json';
import type { fields } from './fields';
import { lineItemsJson } from './fields';

/**
 * Reads the line items of a paylink, from the form's fields or from JSON in the gateway's own
 * shape. In JSON, it checks only the fields that decide how much is paid, and how often.
 */

type LineItems = NonNullable<ValuesOf<typeof fields>['lineItems']>;
type FilledItem = NonNullable<LineItems['items']>[number];

const NEEDS_BILLED =
	"is a subscription: set how often it is billed ('Billed', in JSON 'recurringMode')";

export function lineItemsFromFields(
	items: readonly FilledItem[],
	fieldError: FieldError,
): PaylinkLineItem[] {
	return items.map((item, index) => {
		const rowError = (problem: string) =>
			fieldError(`'Line Items': number ${index + 1} ${problem}`);
		const { quantity, productId, name, sku, description, price, subscription = {} } = item;
		if (quantity === 0) throw rowError("needs a 'Quantity' above 0");
		// 'Price' is required unless the product is known by ID.
		if (price === undefined) {
			if (!productId) throw rowError("needs a 'Product ID'");
			return { productId, amount: quantity };
		}
		const isRecurring = !isEmpty(subscription);
		if (isRecurring && !subscription.recurringMode) throw rowError(NEEDS_BILLED);
		return {
			product: {
				...withoutEmpty({ sku, name, description }),
				price,
				...(isRecurring && { isRecurring, ...withoutEmpty(subscription) }),
			},
			amount: quantity,
		};
	});
}

export function lineItemsFromJson(given: unknown, fieldError: FieldError): PaylinkLineItem[] {
	const label = `'${lineItemsJson.displayName}'`;
	if (!Array.isArray(given)) throw fieldError(`${label} must be a list`);
	return given.map((item: unknown, index) => {
		const rowError = (problem: string) => fieldError(`${label}: number ${index + 1} ${problem}`);
		if (!isObject(item)) throw rowError('is not an object');
		const { amount, product, productId } = item;
		if (typeof amount !== 'number' || !(amount > 0)) {
			throw rowError("needs an 'amount', its quantity, above 0");
		}
		if (isEmpty(product) && isEmpty(productId)) {
			throw rowError("needs a 'product' or a 'productId'");
		}
		if (!isEmpty(product) && !isEmpty(productId)) {
			throw rowError("has both a 'product' and a 'productId': remove one of them");
		}
		const price = valueAt(product, 'price');
		// A price with decimals, such as 25.5, was probably typed in dollars.
		if (!isEmpty(price) && wholeOf(price) === undefined) {
			throw rowError("needs a 'price' in whole cents, such as 2550 for $25.50");
		}
		const isRecurring = valueAt(product, 'isRecurring') === true;
		const mode = textOf(valueAt(product, 'recurringMode'));
		if (isRecurring && mode === '') throw rowError(NEEDS_BILLED);
		return { ...item, amount };
	});
}

/** The sum of the items in cents; undefined if only the gateway knows a price. */
export function subtotal(items: readonly PaylinkLineItem[]): number | undefined {
	const sum = items.reduce(
		(total, { product, amount }) => total + (wholeOf(product?.price) ?? NaN) * amount,
		0,
	);
	return Number.isFinite(sum) ? Math.round(sum) : undefined;
}
