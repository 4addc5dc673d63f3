import { NodeApiError } from 'n8n-workflow';

import { statusOf } from '../gateway/errors';

/**
 * What n8n is told of a poll that failed. It pauses a trigger for 30 minutes where it takes an
 * error to be lasting; so only a credential that is refused, and refused again, is called that.
 */

/** With these the service refuses who asks. Only for the first, n8n's cause is a refused credential. */
const REFUSALS: ReadonlySet<unknown> = new Set(['401', '403']);
/** Where n8n shows that a workflow is not active, and in its log, there is room for the title alone. */
const REFUSED = "The gateway refused the 'Private Token' or 'Group ID' of the credential";

/** The nodes whose last poll was refused. Lost with the process, which only postpones the pause. */
const refused = new Set<string>();

export function forgetRefusal(node: string): void {
	refused.delete(node);
}

export function failedPoll(node: string, error: unknown): unknown {
	if (!(error instanceof NodeApiError)) return error;
	const isRefused = error.failure?.cause === 'credential-invalid';
	const isRepeated = refused.has(node);
	if (isRefused) refused.add(node);
	else refused.delete(node);
	if (REFUSALS.has(statusOf(error))) error.message = `${REFUSED}: ${error.message}`;
	const isLasting = isRefused && isRepeated;
	if (!isLasting && error.failure?.cause !== 'rate-limited') {
		error.failure = { ...error.failure, cause: 'temporarily-unavailable' };
	}
	return error;
}
