/** What counts as left empty in a form, and how that is left out of a request. */

/** Nothing, or a list or a group of fields with nothing in it. */
export function isEmpty(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
	return value === undefined || value === null || value === '';
}

type WithoutEmpty<T> = { [K in keyof T]?: Exclude<T[K], undefined | ''> };

/** An empty value that is sent would clear what the gateway holds, so only others are sent. */
export function withoutEmpty<T extends object>(fields: T): WithoutEmpty<T> {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => !isEmpty(value)),
	) as WithoutEmpty<T>;
}
