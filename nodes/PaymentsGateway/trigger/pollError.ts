import { NodeApiError } from 'n8n-workflow';

import { httpStatusOf } from '../gateway/errors';

/**
 * What n8n learns about a failed poll. With durable cursors, n8n (as of 2.41) pauses a trigger for
 * 30 minutes if the failure is permanent by its HTTP status or its `failure.cause`; the cause
 * 'temporarily-unavailable' prevents that. So only a credential that is refused in two polls in a
 * row is reported as permanent.
 */

/** n8n's log and its list of workflows show the title only, so it names the fields. */
const TITLE = "The gateway refused the 'Private Token' or 'Group ID' of the credential";

/** The triggers whose last poll was refused. A restart forgets them, which postpones the pause. */
const lastRefused = new Set<string>();

export function forgetRefusal(trigger: string): void {
	lastRefused.delete(trigger);
}

export function pollError(trigger: string, error: unknown): unknown {
	if (!(error instanceof NodeApiError)) return error;
	const isRefused = ['401', '403'].includes(httpStatusOf(error));
	const isPermanent = isRefused && lastRefused.has(trigger);
	if (isRefused) lastRefused.add(trigger);
	else forgetRefusal(trigger);
	if (isRefused) error.message = `${TITLE}: ${error.message}`;
	// After 'rate-limited', n8n waits as long as the gateway asked, and does not pause the trigger.
	if (!isPermanent && error.failure?.cause !== 'rate-limited') {
		error.failure = { ...error.failure, cause: 'temporarily-unavailable' };
	}
	return error;
}
