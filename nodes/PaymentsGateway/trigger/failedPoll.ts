import { NodeApiError } from 'n8n-workflow';

/**
 * What n8n is told of a poll that failed. It pauses a trigger for 30 minutes where it takes an
 * error to be lasting; so only a credential that is refused, and refused again, is called that.
 */

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
	const isLasting = isRefused && isRepeated;
	if (!isLasting && error.failure?.cause !== 'rate-limited') {
		const { retryAfterMs } = { retryAfterMs: undefined, ...error.failure };
		error.failure = {
			cause: 'temporarily-unavailable',
			...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		};
	}
	return error;
}
