import { valueAt } from '../wire/json';
import type { Context } from './fieldError';

/**
 * Reads parameters as they stand in the saved node, before n8n works out expressions or fills in
 * defaults. Switches that guard money are read this way, so that neither an expression nor an agent
 * can turn them on.
 */

/** What was typed into the node itself; an expression comes as its own text. */
export function rawParameter(context: Pick<Context, 'getNode'>, path: string): unknown {
	return valueAt(context.getNode().parameters, path);
}

export function isByExpression(context: Pick<Context, 'getNode'>, path: string): boolean {
	const raw = rawParameter(context, path);
	return typeof raw === 'string' && raw.startsWith('=');
}
