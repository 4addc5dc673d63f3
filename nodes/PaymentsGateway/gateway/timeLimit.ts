/**
 * A time limit that holds for a whole request. n8n's own limit counts only the time in which
 * nothing arrives, so an answer that comes byte by byte would never reach it.
 */

/** No answer within the time limit. The code is the one by which Node names it. */
class TimeLimitError extends Error {
	readonly code = 'ETIMEDOUT';
}

/** What runs under one clock: told when its time is up, and when the execution is cancelled. */
interface Watch {
	milliseconds: number;
	cancelled: AbortSignal | undefined;
	started: number;
	running: Set<{ giveUp: () => void; end: () => void }>;
}

/** Tasks that begin together share a clock: making one costs more than all else that is done here. */
const TOGETHER = 100;
let latest: Watch | undefined;

function watchOf(milliseconds: number, cancelled: AbortSignal | undefined): Watch {
	const now = performance.now();
	if (
		latest?.milliseconds === milliseconds &&
		latest.cancelled === cancelled &&
		now - latest.started < Math.min(TOGETHER, milliseconds / 100)
	) {
		return latest;
	}
	const watch: Watch = { milliseconds, cancelled, started: now, running: new Set() };
	const limit = AbortSignal.timeout(Math.ceil(milliseconds));
	limit.addEventListener('abort', () => {
		if (latest === watch) latest = undefined;
		for (const { giveUp } of watch.running) giveUp();
	});
	const end = () => {
		for (const each of watch.running) each.end();
	};
	cancelled?.addEventListener('abort', end, { signal: limit });
	latest = watch;
	return watch;
}

/**
 * Waits for a task no longer than its time limit, whatever becomes of the task. The signal that the
 * task is given aborts at the limit and when the execution is cancelled.
 */
export async function withinLimit<T>(
	milliseconds: number,
	cancelled: AbortSignal | undefined,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const { running } = watchOf(milliseconds, cancelled);
	return await new Promise<T>((resolve, reject) => {
		const ending = new AbortController();
		const end = () => ending.abort();
		const giveUp = () => {
			reject(new TimeLimitError(`No answer within ${milliseconds} ms`));
			end();
		};
		const place = { giveUp, end };
		running.add(place);
		void task(ending.signal)
			.then(resolve, reject)
			.finally(() => running.delete(place));
	});
}
