import { isObject, jsonOf } from '../wire/json';

/**
 * Finds things in an event's payload. The document shows the records of a success and of a refund.
 * It does not show what a failure carries, so that payload, and any other one, is searched by a short
 * list of names, what stands nearest to the top first.
 */

/** An object of a payload. */
export interface Place {
	/** The letters of the field that holds it; empty at the top. */
	name: string;
	/** Its values by the letters of their names, so that customer_name and customerName are one. */
	fields: ReadonlyMap<string, unknown>;
}

/** What is sold, what the merchant has added, and the merchant: nothing below them is of the payment. */
const OF_MERCHANT: ReadonlySet<string> = new Set([
	...['lineitems', 'items', 'product', 'products', 'metadata', 'merchant'],
]);
/** How far a payload is searched. */
const DEEPEST = 6;
const MOST_PLACES = 500;

export function isOfPayment({ name }: Place): boolean {
	return !OF_MERCHANT.has(name);
}

/** A part of a payload may be JSON in text, as the payload itself is. */
export function opened(value: unknown): unknown {
	const isJson = typeof value === 'string' && /^\s*[[{]/.test(value);
	return isJson ? (jsonOf(value) ?? value) : value;
}

function lettersOf(name: string): string {
	return name.toLowerCase().replace(/[^a-z\d]/g, '');
}

/** All objects of a payload that hold something, those nearest to the top first. */
export function placesIn(payload: unknown): Place[] {
	const waiting = [{ name: '', inner: opened(payload), depth: 0 }];
	const places: Place[] = [];
	// The list grows while it is walked, which makes the search breadth-first.
	for (const { name, inner, depth } of waiting) {
		if (places.length === MOST_PLACES) break;
		if (typeof inner !== 'object' || inner === null) continue;
		const fields = new Map<string, unknown>();
		const isDeeper = depth < DEEPEST && !OF_MERCHANT.has(name);
		for (const [key, value] of Object.entries(inner)) {
			if (value === null || value === '') continue;
			// The entries of a list go by the name of the list.
			const field = isObject(inner) ? lettersOf(key) : name;
			fields.set(field, value);
			const below = isDeeper ? opened(value) : undefined;
			if (typeof below === 'object') waiting.push({ name: field, inner: below, depth: depth + 1 });
		}
		if (isObject(inner) && fields.size > 0) places.push({ name, fields });
	}
	return places;
}

/** The nearest place of this name. */
export function placeNamed(name: string, places: readonly Place[]): Place | undefined {
	return places.find((place) => place.name === name);
}

/** In the nearest place that has any of these names: what `read` makes of the first one that is there. */
export function firstIn<T>(
	places: readonly Place[],
	names: readonly string[],
	read: (value: unknown) => T | undefined,
): T | undefined {
	for (const { fields } of places) {
		for (const name of names) {
			const found = fields.has(name) ? read(fields.get(name)) : undefined;
			if (found !== undefined) return found;
		}
	}
	return undefined;
}
