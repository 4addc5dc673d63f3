import type { INodeProperties } from 'n8n-workflow';

import type { FixedOrPercent } from '../wire';

/**
 * A field of a form as n8n describes it, and the types of the values that are read from it. An
 * operation's parameters are inferred from its fields, so that a wrong name is a compile error.
 */

/**
 * A field of a form: n8n's own shape, deeply readonly, so that literals keep their types. Six
 * `typeOptions` are our own, which n8n ignores:
 * - `shape`: text of one of the shapes in `shapes.ts`, or read as one of `Shaped`.
 * - `requiredPerItem`: like `required`, but for one item: n8n's `required` stops the whole workflow.
 * - `requiredIfExpression`: an expression must give a value. For conditions: without one of them, other
 *   rows would be returned. A value that is typed empty is the user's choice.
 * - `valueIfEmpty`: what an empty number counts as; without it, an empty number is refused.
 * - `skipsUndefined`: in this collection, a value that an expression does not find is left out.
 * - `endsDay`: a date without a time is the last moment of that day.
 */
export type Field = DeepReadonly<INodeProperties>;

type DeepReadonly<T> = T extends (infer E)[]
	? ReadonlyArray<DeepReadonly<E>>
	: T extends object
		? { readonly [K in keyof T]: DeepReadonly<T[K]> }
		: T;

/** The value of a locator: an ID, or an email that has to be looked up. */
export interface Located {
	by: 'id' | 'email';
	value: string;
}

/**
 * n8n stores a value that is dragged onto a picker as By ID, even if it is an email. Without a mode (an
 * expression for the whole field), the value is an ID.
 */
export function parseLocator(mode: unknown, value: string): Located {
	const isEmail = mode === 'email' || (mode === 'id' && value.includes('@'));
	return { by: isEmail ? 'email' : 'id', value };
}

type Choices<F> = F extends { readonly allowArbitraryValues: true }
	? string
	: F extends { readonly options: ReadonlyArray<{ readonly value: infer V }> }
		? V
		: never;
type Children<F> = F extends { readonly options: infer O extends readonly Field[] }
	? Partial<ValuesOf<O>>
	: never;
type Groups<F> = F extends {
	readonly options: ReadonlyArray<infer G extends { name: string; values: readonly Field[] }>;
}
	? F extends { readonly typeOptions: { readonly multipleValues: true } }
		? { [E in G as E['name']]: Array<ValuesOf<E['values']>> }
		: { [E in G as E['name']]: ValuesOf<E['values']> }
	: never;

/** Text that is read as something else. */
interface Shaped {
	/** Separated by commas; an expression may give a list instead. */
	list: string[];
	/** Cents; undefined if the field is empty. */
	dollars: number | undefined;
	dollarsOrPercent: FixedOrPercent | undefined;
}

type Text<F> = F extends { readonly typeOptions: { readonly shape: infer S extends keyof Shaped } }
	? Shaped[S]
	: string;

interface Kinds<F> {
	boolean: boolean;
	number: number;
	string: Text<F>;
	dateTime: string;
	json: unknown;
	options: Choices<F>;
	multiOptions: Array<Choices<F>>;
	collection: Children<F>;
	fixedCollection: F extends { readonly typeOptions: { readonly requiredPerItem: true } }
		? Groups<F>
		: Partial<Groups<F>>;
	resourceLocator: Located;
}

type Value<F extends Field> = F['type'] extends keyof Kinds<F> ? Kinds<F>[F['type']] : never;

/** A date and a picker may be empty, which is undefined; see `VALUE_IF_EMPTY` in `read.ts`. */
type MayBeEmpty<F> = F extends { readonly required: true }
	? never
	: F extends { readonly type: 'dateTime' | 'resourceLocator' }
		? undefined
		: never;

/** Fields that the form hides for some values of others; a hidden field is not read. */
type MayBeHidden<F> = F extends { readonly displayOptions: object } ? undefined : never;

/**
 * The parameters of a form, by name; a notice has none. A required date is `string`, one that may be
 * empty or hidden `string | undefined`, a collection an object of what was added to it.
 */
export type ValuesOf<Fields extends readonly Field[]> = {
	[F in Fields[number] as F['type'] extends 'notice' ? never : F['name']]:
		Value<F> | MayBeEmpty<F> | MayBeHidden<F>;
};
