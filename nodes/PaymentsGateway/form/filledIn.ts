/**
 * What counts as left empty in a form: a value that is nothing, and a list or a group of fields with
 * nothing in it.
 */

export function isNothing(value: unknown): value is undefined | null | '' {
	return value === undefined || value === null || value === '';
}

export function isEmpty(listOrFields: object): boolean {
	return Object.keys(listOrFields).length === 0;
}

type Filled<T> = { [K in keyof T]?: Exclude<T[K], undefined | ''> };

/** An empty value that is sent would clear what the gateway holds, so only others are sent. */
export function filledIn<T extends object>(fields: T): Filled<T> {
	const isFilled = (value: unknown) =>
		!isNothing(value) && !(typeof value === 'object' && isEmpty(value));
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => isFilled(value)),
	) as Filled<T>;
}
