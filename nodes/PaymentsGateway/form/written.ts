import type { IExecuteFunctions } from 'n8n-workflow';

import { valueAt } from '../wire/json';

/** What somebody wrote into the node itself: neither an expression's result nor a default. */
export function written(context: IExecuteFunctions, path: string): unknown {
	return valueAt(context.getNode().parameters, path);
}

export function isByExpression(context: IExecuteFunctions, path: string): boolean {
	const value = written(context, path);
	return typeof value === 'string' && value.startsWith('=');
}
