/**
 * A time limit that holds for a whole request. n8n's own limit counts only the time in which
 * nothing arrives, so an answer that comes byte by byte would never reach it.
 */

/** No answer within the time limit. The code is the one by which Node names it. */
class TimeLimitError extends Error {
	readonly code = 'ETIMEDOUT';
}

/**
 * Waits for a task no longer than its time limit, whatever becomes of the task. The signal that the
 * task is given aborts at the limit, and when the execution is cancelled.
 */
export async function withinLimit<T>(
	milliseconds: number,
	cancelled: AbortSignal | undefined,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const ending = new AbortController();
		const end = () => ending.abort();
		const giveUp = () => {
			reject(new TimeLimitError(`No answer within ${milliseconds} ms`));
			end();
		};
		const limit = AbortSignal.timeout(Math.ceil(milliseconds));
		limit.addEventListener('abort', giveUp);
		cancelled?.addEventListener('abort', end);
		void task(ending.signal)
			.then(resolve, reject)
			.finally(() => {
				limit.removeEventListener('abort', giveUp);
				cancelled?.removeEventListener('abort', end);
			});
	});
}
