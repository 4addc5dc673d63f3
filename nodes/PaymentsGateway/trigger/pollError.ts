import { NodeApiError } from 'n8n-workflow';

import { httpStatusOf } from '../gateway/errors';

/**
 * What n8n learns of a failed poll. It pauses a trigger for 30 minutes if it takes the failure for
 * permanent. So only a credential that is refused in two polls in a row is reported as permanent.
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
	if (isRefused) {
		lastRefused.add(trigger);
		error.message = `${TITLE}: ${error.message}`;
	} else {
		lastRefused.delete(trigger);
	}
	if (!isPermanent && error.failure?.cause !== 'rate-limited') {
		error.failure = { ...error.failure, cause: 'temporarily-unavailable' };
	}
	return error;
}
