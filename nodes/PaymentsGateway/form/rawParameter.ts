import { valueAt } from '../wire/json';
import type { ItemOrPollContext } from './fieldError';

/**
 * Reads parameters as the saved node holds them, before n8n evaluates expressions or fills in
 * defaults. Switches that guard money are read this way, so that neither an expression nor an agent
 * can turn them on.
 */

/** The value that was typed into the node itself; for an expression, its text. */
export function rawParameter(context: Pick<ItemOrPollContext, 'getNode'>, path: string): unknown {
	return valueAt(context.getNode().parameters, path);
}

export function isByExpression(context: Pick<ItemOrPollContext, 'getNode'>, path: string): boolean {
	const raw = rawParameter(context, path);
	return typeof raw === 'string' && raw.startsWith('=');
}
