import type { IExecuteFunctions } from 'n8n-workflow';

import type { FieldError } from '../form/fieldError';
import type { Field, ValuesOf } from '../form/field';
import type { Client } from '../gateway/client';

/**
 * What an operation is: its labels, its fields, and one function that takes the values of the fields.
 * Everything else (the form, the loop over items, errors, masks) is written once for all operations.
 */

/** An operation's surroundings: all it needs besides its parameters. */
export interface OperationContext {
	client: Client;
	/** Makes the error that names the item. */
	fieldError: FieldError;
	/** For the few operations that need n8n itself: its store, the saved node, or the execution. */
	context: IExecuteFunctions;
	itemIndex: number;
}

interface Definition<Fields extends readonly Field[]> {
	/** As the list of operations shows it. */
	name: string;
	/** As the node panel shows it. Of these three texts, an agent sees only this one. */
	action: string;
	description: string;
	/** Its items run one after another. */
	serial?: true;
	fields: Fields;
	/** Returns one result, or a list: each element becomes an item. */
	run: (parameters: ValuesOf<Fields>, ctx: OperationContext) => Promise<object>;
}

/** An operation in the registry, where the types of its parameters are no longer known. */
export interface Operation extends Omit<Definition<readonly Field[]>, 'run'> {
	run: (parameters: never, ctx: OperationContext) => Promise<object>;
}

/** Types the parameters of `run` by the fields. */
export function operation<const Fields extends readonly Field[]>(
	definition: Definition<Fields>,
): Definition<Fields> {
	return definition;
}

export interface Resource {
	name: string;
	description: string;
	/** The operation that a new node shows. */
	defaultOperation: string;
	operations: Readonly<Record<string, Operation>>;
}

export type Registry = Readonly<Record<string, Resource>>;

/** All operations, by names such as "paylink.create". */
export function operationsOf(registry: Registry): ReadonlyMap<string, Operation> {
	return new Map(
		Object.entries(registry).flatMap(([resource, { operations }]) =>
			Object.entries(operations).map(([name, each]) => [`${resource}.${name}`, each] as const),
		),
	);
}
