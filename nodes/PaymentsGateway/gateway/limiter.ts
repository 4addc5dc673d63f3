/** Runs at most `bound` tasks at once; the rest wait their turn, first come first served. */
export function createLimiter(bound: number): <T>(task: () => Promise<T>) => Promise<T> {
	let running = 0;
	const waiting: Array<() => void> = [];
	return async (task) => {
		if (running >= bound) {
			// Whoever finishes hands its place over, so that nobody slips in between.
			await new Promise<void>((start) => waiting.push(start));
		} else {
			running += 1;
		}
		try {
			return await task();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else running -= 1;
		}
	};
}
