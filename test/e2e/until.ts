import { setTimeout as wait } from 'node:timers/promises';

/** A poll trigger polls once a minute; the rest is for a busy machine. */
const DEFAULT_TIMEOUT = 90_000;

/** Repeats `ask` until it returns a result. If none comes in time, the error names `what`. */
export async function until<T>(
	what: string,
	ask: () => T | undefined | false | Promise<T | undefined | false>,
	{ within = DEFAULT_TIMEOUT, every = 100 } = {},
): Promise<T> {
	for (const end = Date.now() + within; Date.now() < end; await wait(every)) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
	}
	throw new Error(`Timed out after ${within / 1000} s waiting for ${what}`);
}
