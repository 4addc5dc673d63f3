/**
 * The checks from which `schema.ts` builds its schemas. Each names what is wrong with a value, and its
 * path.
 */

/** Returns what is wrong, as messages of refusals. */
export type Check = (value: unknown, path: string) => string[];

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function must(what: string, fits: (value: unknown) => boolean): Check {
	return (value, path) => (fits(value) ? [] : [`${path} must be ${what}`]);
}

function isNumberFrom(least: number, value: unknown): boolean {
	return typeof value === 'number' && Number.isFinite(value) && value >= least;
}

export const string = must('a string', (value) => typeof value === 'string');
export const boolean = must('a boolean', (value) => typeof value === 'boolean');
export const nonNegative = must('a number of 0 or more', (value) => isNumberFrom(0, value));

export function integer(least: number): Check {
	const fits = (value: unknown) => Number.isSafeInteger(value) && isNumberFrom(least, value);
	return must(`an integer of ${least} or more`, fits);
}

export function text(what: string, pattern: RegExp): Check {
	return must(what, (value) => typeof value === 'string' && pattern.test(value));
}

export function oneOf(...allowed: string[]): Check {
	return must(`one of ${allowed.join(', ')}`, (value) => allowed.some((each) => each === value));
}

export function list(element: Check): Check {
	return (value, path) => {
		if (!Array.isArray(value)) return [`${path} must be an array`];
		return value.flatMap((each, index) => element(each, `${path}[${index}]`));
	};
}

export type Rule = (given: Record<string, unknown>, path: string) => string | undefined;

/**
 * The fields that an object may have, and no others. A key lists one or more names, and `?` marks
 * optional ones: `'email? phone?': string`.
 */
export function object(fields: Readonly<Record<string, Check>>, rule?: Rule): Check {
	const checks = new Map<string, Check>();
	for (const [names, check] of Object.entries(fields)) {
		for (const name of names.split(' ')) checks.set(name, check);
	}
	const needed = [...checks.keys()].filter((name) => !name.endsWith('?'));
	return (value, path) => {
		if (!isRecord(value)) return [`${path} must be an object`];
		const missing = needed.filter((name) => value[name] === undefined);
		const wrong = Object.entries(value).flatMap(([name, given]) => {
			if (missing.includes(name)) return [];
			const check = checks.get(name) ?? checks.get(`${name}?`);
			return check?.(given, `${path}.${name}`) ?? [`${path}.${name} is not a known field`];
		});
		const problem = rule?.(value, path) ?? [];
		return [...missing.map((name) => `${path}.${name} is missing`), ...wrong].concat(problem);
	};
}
