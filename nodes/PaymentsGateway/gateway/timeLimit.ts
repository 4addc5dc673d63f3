/** No answer within the time limit. The code is the one by which Node names it. */
class TimeLimitError extends Error {
	readonly code = 'ETIMEDOUT';
}

/**
 * Waits for a task no longer than its time limit, whatever becomes of the task. n8n's own limit counts
 * silence alone, so an answer that drips would never reach it. The signal that the task is given
 * aborts at the limit and when the execution is cancelled.
 */
export async function withinLimit<T>(
	milliseconds: number,
	cancelled: AbortSignal | undefined,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const limit = AbortSignal.timeout(Math.ceil(milliseconds));
	const ending = new AbortController();
	const settled = new AbortController();
	const listening = { once: true, signal: settled.signal };
	try {
		return await new Promise<T>((resolve, reject) => {
			const end = () => {
				reject(new TimeLimitError(`No answer within ${milliseconds} ms`));
				ending.abort();
			};
			limit.addEventListener('abort', end, listening);
			cancelled?.addEventListener('abort', () => ending.abort(), listening);
			task(ending.signal).then(resolve, reject);
		});
	} finally {
		settled.abort();
	}
}
