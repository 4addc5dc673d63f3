/** Recognises empty values in a form, and leaves them out of requests. */

/** Nothing, or a list or a group of fields with nothing in it. */
export function isEmpty(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
	return value === undefined || value === null || value === '';
}

function isFilled<V>(value: V): value is Exclude<V, undefined | ''> {
	return !isEmpty(value);
}

type WithoutEmpty<T> = { [K in keyof T]?: Exclude<T[K], undefined | ''> };

/** An empty value in a request could clear the one that the gateway has. */
export function withoutEmpty<T extends object>(fields: T): WithoutEmpty<T> {
	const filled: WithoutEmpty<T> = {};
	for (const name in fields) {
		const value = fields[name];
		if (isFilled(value)) filled[name] = value;
	}
	return filled;
}
