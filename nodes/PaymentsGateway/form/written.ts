import type { IExecuteFunctions } from 'n8n-workflow';

import { valueAt } from '../wire/json';
import type { Context } from './complain';

/**
 * Reads parameters as they stand in the saved node, before n8n works out expressions or fills in
 * defaults. Switches that guard money are read this way, so that neither an expression nor an agent
 * can turn them on.
 */

/** What was typed into the node itself; an expression comes as its own text. */
export function written(context: Pick<Context, 'getNode'>, path: string): unknown {
	return valueAt(context.getNode().parameters, path);
}

export function isByExpression(context: Pick<Context, 'getNode'>, path: string): boolean {
	const value = written(context, path);
	return typeof value === 'string' && value.startsWith('=');
}

/** By run and parameter: the value that all items share; undefined where it has an expression. */
const fixed = new WeakMap<IExecuteFunctions, Map<string, { value: unknown } | undefined>>();

/** A parameter as n8n reads it for an item; only once where it has no expression, as this is slow. */
export function parameterOf(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
	otherwise: unknown,
): unknown {
	const known = fixed.get(context) ?? new Map<string, { value: unknown } | undefined>();
	fixed.set(context, known);
	const before = known.get(name);
	if (before) return before.value;
	const value: unknown = context.getNodeParameter(name, itemIndex, otherwise);
	if (!known.has(name)) {
		const words = JSON.stringify(written(context, name)) ?? '"=';
		known.set(name, words.includes('"=') ? undefined : { value });
	}
	return value;
}
