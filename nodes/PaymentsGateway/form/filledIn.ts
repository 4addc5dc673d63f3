/** What of a form has a value: what is empty is not sent to the service. */

type Filled<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value. */
export function filledIn<T extends object>(fields: T): Filled<T> {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
	) as Filled<T>;
}

export function isEmpty(fields: object): boolean {
	return Object.keys(fields).length === 0;
}
