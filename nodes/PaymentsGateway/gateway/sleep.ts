import { sleep } from 'n8n-workflow';

/**
 * Waits for that many milliseconds, or until the signal aborts. It never throws. n8n-workflow's own
 * `sleep` takes a signal too, but version 1.120 (n8n 1.123) ignores it, and there a cancelled run
 * would wait for up to a minute.
 */
export async function sleepUntilAborted(
	milliseconds: number,
	signal: AbortSignal | undefined,
): Promise<void> {
	// A signal of its own: Node warns if more than ten waits listen to the same one.
	const ownSignal = AbortSignal.any(signal ? [signal] : []);
	if (ownSignal.aborted) return;
	await new Promise<void>((resolve) => {
		const wake = () => {
			ownSignal.removeEventListener('abort', wake);
			resolve();
		};
		ownSignal.addEventListener('abort', wake);
		// If n8n heeds the signal, it clears its timer, which would keep the process from ending.
		sleep(milliseconds, ownSignal).then(wake, wake);
	});
}

export interface Clock {
	now: () => number;
	sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Monotonic: unlike Date.now(), it does not jump when the system time is changed. */
export const PROCESS_CLOCK: Clock = { now: () => performance.now(), sleep: sleepUntilAborted };
