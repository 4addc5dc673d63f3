/**
 * Waits for a task no longer than its time limit, whatever becomes of the task. The signal that the
 * task is given aborts at the limit, and when the execution is cancelled. n8n's own limit counts only
 * the time in which nothing arrives, so an answer that comes byte by byte would never reach it.
 */
export async function withinLimit<T>(
	milliseconds: number,
	cancelled: AbortSignal | undefined,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const limit = AbortSignal.timeout(Math.ceil(milliseconds));
	const signal = AbortSignal.any(cancelled ? [limit, cancelled] : [limit]);
	return await new Promise<T>((resolve, reject) => {
		// The code is the one by which Node names it.
		const giveUp = () =>
			reject(Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' }));
		limit.addEventListener('abort', giveUp);
		void task(signal)
			.then(resolve, reject)
			// What the listener holds on to, the answer too, would stay in memory until the limit.
			.finally(() => limit.removeEventListener('abort', giveUp));
	});
}
