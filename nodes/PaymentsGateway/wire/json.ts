/**
 * Reads JSON of unknown shape, such as an answer of the gateway or the value of a field. A missing
 * value is never an error: it is undefined, or empty text from `textOf`.
 */

/**
 * The value of JSON text; undefined if invalid. Not n8n's jsonParse: this folder imports nothing
 * from outside.
 */
export function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** An object in the sense of JSON: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Text without surrounding whitespace, or the digits of a whole number; empty for anything else.
 */
export function textOf(value: unknown): string {
	if (Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' ? value.trim() : '';
}

/** A whole number, which may come as text; undefined for all else. */
export function wholeOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** The value at a path such as `breakdown.total`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
	let inner = value;
	for (const key of path.split('.')) {
		if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined;
		inner = Reflect.get(inner, key);
	}
	return inner;
}
