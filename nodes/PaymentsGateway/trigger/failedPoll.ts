import { NodeApiError } from 'n8n-workflow';

import { httpStatusOf } from '../gateway/errors';

/**
 * What n8n is told of a poll that failed. It pauses a trigger for 30 minutes where it takes an
 * error to be lasting; so only a credential that is refused, and refused again, is called that.
 */

/** Where n8n shows that a workflow is not active, and in its log, there is room for the title alone. */
const TITLE = "The gateway refused the 'Private Token' or 'Group ID' of the credential";

/** The nodes whose last poll was refused. Lost with the process, which only postpones the pause. */
const refusedLast = new Set<string>();

export function forgetRefusal(node: string): void {
	refusedLast.delete(node);
}

export function failedPoll(node: string, error: unknown): unknown {
	if (!(error instanceof NodeApiError)) return error;
	const isRefused = ['401', '403'].includes(httpStatusOf(error));
	const isLasting = isRefused && refusedLast.has(node);
	if (isRefused) {
		refusedLast.add(node);
		error.message = `${TITLE}: ${error.message}`;
	} else forgetRefusal(node);
	if (!isLasting && error.failure?.cause !== 'rate-limited') {
		error.failure = { ...error.failure, cause: 'temporarily-unavailable' };
	}
	return error;
}
