import { isObject, jsonOf, textOf } from '../wire/json';

/**
 * Searches the payload of an event. The gateway's document shows the record of a success and of a
 * refund, but not that of a failure. So a payload is flattened into its objects, the outermost first,
 * and a fact is looked up in them by a short list of names.
 */

export interface PayloadObject {
	/** The plain name of the field that holds the object. Empty for the payload itself. */
	readonly name: string;
	/** The values that are not empty, by their plain names. */
	readonly fields: ReadonlyMap<string, unknown>;
}

/**
 * Objects about what is sold, or about the merchant. Facts of the payment are not taken from them,
 * but references are, and the cart's customer ID.
 */
const NOT_ABOUT_PAYMENT = ['lineitems', 'items', 'product', 'products', 'metadata', 'merchant'];
/** These bounds keep a hostile payload from stopping n8n. Documented records are one level deep. */
const MAX_DEPTH = 6;
const MAX_OBJECTS = 500;

export function isAboutPayment({ name }: PayloadObject): boolean {
	return !NOT_ABOUT_PAYMENT.includes(name);
}

/** `customer_name` and `customerName` are one name: `customername`. */
function plainName(name: string): string {
	return name.toLowerCase().replace(/[^a-z\d]/g, '');
}

/** Part of a payload can be JSON written as text, just as the payload itself is. */
export function parsedIfJson(value: unknown): unknown {
	const looksLikeJson = typeof value === 'string' && /^\s*[[{]/.test(value);
	return looksLikeJson ? (jsonOf(value) ?? value) : value;
}

/**
 * The objects of a payload that are not empty, the outermost first, within the bounds above. Objects inside
 * one that is not about the payment are left out: a `customer` inside `metadata` would pass for the payer.
 */
export function objectsIn(payload: unknown): PayloadObject[] {
	const queue = [{ name: '', value: parsedIfJson(payload), depth: 0 }];
	const objects: PayloadObject[] = [];
	// The search is breadth-first: the queue grows while this loop goes through it.
	for (const { name, value, depth } of queue) {
		if (objects.length === MAX_OBJECTS) break;
		const fields = fieldsOf(value, name);
		if (isObject(value) && fields.length > 0) objects.push({ name, fields: new Map(fields) });
		if (depth === MAX_DEPTH || NOT_ABOUT_PAYMENT.includes(name)) continue;
		for (const [field, inner] of fields) {
			const child = parsedIfJson(inner);
			if (typeof child === 'object') queue.push({ name: field, value: child, depth: depth + 1 });
		}
	}
	return objects;
}

/** What is not empty in an object or list. The entries of a list have the name of the list. */
function fieldsOf(value: unknown, name: string): ReadonlyArray<readonly [string, unknown]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value)
		.filter(([, inner]) => inner !== null && inner !== '')
		.map(([key, inner]) => [isObject(value) ? plainName(key) : name, inner]);
}

/** The outermost object of each of these names, in this order. */
export function outermost(objects: readonly PayloadObject[], ...names: string[]): PayloadObject[] {
	return names.flatMap((name) => objects.find((object) => object.name === name) ?? []);
}

/** The first value that `read` accepts: objects are tried in turn and, within each, names. */
export function findValue<T>(
	objects: readonly PayloadObject[],
	names: readonly string[],
	read: (value: unknown) => T | undefined,
): T | undefined {
	for (const { fields } of objects) {
		for (const name of names) {
			const found = fields.has(name) ? read(fields.get(name)) : undefined;
			if (found !== undefined) return found;
		}
	}
	return undefined;
}

export function findText(objects: readonly PayloadObject[], ...names: string[]) {
	return findValue(objects, names, (value) => textOf(value) || undefined);
}

/** Within one object, fields that can hold nothing but a reason come first. */
const SURE = ['failurereason', 'failuremessage', 'declinereason', 'returnreason', 'errormessage'];
const REASONS = [...SURE, 'reason', 'message', 'error', 'errors', 'failure'];
/** A code is the reason only if no text is given. */
const REASON_CODES = ['result', 'failurecode', 'declinecode', 'errorcode'];

/** Why the payment failed, or what else the gateway says about it. */
export function findReason(objects: readonly PayloadObject[]): string | undefined {
	// Errors can come as a list of texts. If they come as objects, those are among `objects` already.
	const firstText = (value: unknown) => [value].flat().map(textOf).find(Boolean);
	return findValue(objects, REASONS, firstText) ?? findValue(objects, REASON_CODES, firstText);
}
