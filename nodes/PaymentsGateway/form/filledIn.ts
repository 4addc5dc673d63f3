/** What counts as left empty in a form. */

type Filled<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** An empty value that is sent would clear what the service holds, so only others are sent. */
export function filledIn<T extends object>(fields: T): Filled<T> {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
	) as Filled<T>;
}

export function isNothing(value: unknown): value is undefined | null | '' {
	return value === undefined || value === null || value === '';
}

export function isEmpty(fields: object): boolean {
	return Object.keys(fields).length === 0;
}
