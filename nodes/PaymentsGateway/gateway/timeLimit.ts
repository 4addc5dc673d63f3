/**
 * Rejects when the time limit is over, even if the task ignores its signal. The signal aborts at the
 * limit and when the execution is cancelled. n8n's own time limit starts again with each byte that arrives.
 */
export async function withinLimit<T>(
	milliseconds: number,
	cancelled: AbortSignal | undefined,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const limit = AbortSignal.timeout(Math.ceil(milliseconds));
	const signal = AbortSignal.any(cancelled ? [limit, cancelled] : [limit]);
	return await new Promise<T>((resolve, reject) => {
		// Node's own time-outs have the same code.
		const timeOut = () =>
			reject(Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' }));
		limit.addEventListener('abort', timeOut);
		void task(signal)
			.then(resolve, reject)
			// The listener would keep the answer in memory until the limit.
			.finally(() => limit.removeEventListener('abort', timeOut));
	});
}
