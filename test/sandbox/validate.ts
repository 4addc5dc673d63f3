import { Refusal } from './refusal';

/**
 * Rules that check a request's input and refuse it with the path of what is wrong. `form.ts` builds
 * the endpoints' rules from them.
 */

/** Answers true, or throws a refusal that names the path; it never answers false. */
export type Rule<T> = (value: unknown, path: string) => value is T;

type Rules = Record<string, Rule<unknown>>;
type Held<R extends Rules> = { [K in keyof R]: R[K] extends Rule<infer T> ? T : never };

function refuse(message: string): never {
	throw new Refusal(400, message);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const string: Rule<string> = (value, path): value is string =>
	typeof value === 'string' || refuse(`${path} must be a string`);

export const boolean: Rule<boolean> = (value, path): value is boolean =>
	typeof value === 'boolean' || refuse(`${path} must be a boolean`);

export const number =
	({ min = 0 } = {}): Rule<number> =>
	(value, path): value is number =>
		(typeof value === 'number' && Number.isFinite(value) && value >= min) ||
		refuse(`${path} must be a number of ${min} or more`);

export const integer =
	({ min = 0 } = {}): Rule<number> =>
	(value, path): value is number =>
		(typeof value === 'number' && Number.isSafeInteger(value) && value >= min) ||
		refuse(`${path} must be an integer of ${min} or more`);

export const matching =
	(pattern: RegExp, shape: string): Rule<string> =>
	(value, path): value is string =>
		(string(value, path) && pattern.test(value)) || refuse(`${path} must be ${shape}`);

export const oneOf =
	<const T extends string>(...allowed: readonly T[]): Rule<T> =>
	(value, path): value is T =>
		allowed.some((each) => each === value) ||
		refuse(`${path} must be one of ${allowed.join(', ')}`);

export const array =
	<T>(element: Rule<T>): Rule<T[]> =>
	(value, path): value is T[] =>
		Array.isArray(value)
			? value.every((each, index) => element(each, `${path}[${index}]`))
			: refuse(`${path} must be an array`);

/** An object with these fields and no others. */
export const object =
	<R extends Rules, O extends Rules>(required: R, optional: O): Rule<Held<R> & Partial<Held<O>>> =>
	(value, path): value is Held<R> & Partial<Held<O>> => {
		if (!isRecord(value)) return refuse(`${path} must be an object`);
		for (const [name, rule] of Object.entries(required)) {
			if (value[name] === undefined) refuse(`${path}.${name} is missing`);
			rule(value[name], `${path}.${name}`);
		}
		for (const [name, given] of Object.entries(value)) {
			if (Object.hasOwn(required, name)) continue;
			const rule = Object.hasOwn(optional, name) ? optional[name] : undefined;
			if (!rule) return refuse(`${path}.${name} is not a known field`);
			rule(given, `${path}.${name}`);
		}
		return true;
	};

/** A rule with a condition on top that a single field cannot say. */
export const where =
	<T>(rule: Rule<T>, complaint: (value: T, path: string) => string | undefined): Rule<T> =>
	(value, path): value is T => {
		if (!rule(value, path)) return false;
		const message = complaint(value, path);
		return message === undefined || refuse(message);
	};
