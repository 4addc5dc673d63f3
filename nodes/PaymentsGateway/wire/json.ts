/**
 * Reads JSON of unknown shape, such as an answer of the gateway or the value of a field. What is
 * not there is answered with undefined, not with an error.
 */

/** What JSON in text says; undefined where it is none. */
export function jsonOf(words: string): unknown {
	try {
		return JSON.parse(words);
	} catch {
		return undefined;
	}
}

/** An object in the sense of JSON: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text without blanks around it; one of digits alone may come as a number. Empty for all else. */
export function textOf(value: unknown): string {
	if (Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' ? value.trim() : '';
}

/** A whole number, which may come as text; undefined for all else. */
export function wholeOf(value: unknown): number | undefined {
	const said = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
	return typeof said === 'number' && Number.isSafeInteger(said) ? said : undefined;
}

/** What stands at a path such as `breakdown.total`; undefined where nothing does. */
export function valueAt(value: unknown, path: string): unknown {
	let inner = value;
	for (const key of path.split('.')) {
		if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined;
		inner = Reflect.get(inner, key);
	}
	return inner;
}
