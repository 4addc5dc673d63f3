/** The right to act for a key, such as a customer's email or a cart's reference. */
export interface Turn<Word> {
	/** For whoever waits behind: what was done, and may not be in the service's lists yet. */
	word?: Word;
}

/**
 * Lets tasks with the same key act one after another, in the order in which they came: all items of
 * all executions in this process.
 */
export function createTurns<Word = never>() {
	const last = new Map<string, Turn<Word> & { over: Promise<unknown> }>();
	return async <T>(key: string, task: (turn: Turn<Word>) => Promise<T>): Promise<T> => {
		const before = last.get(key);
		const turn: Turn<Word> = {};
		const result = (async () => {
			await before?.over;
			if (before?.word !== undefined) turn.word = before.word;
			return await task(turn);
		})();
		const place = Object.assign(turn, { over: result.catch(() => undefined) });
		last.set(key, place);
		try {
			return await result;
		} finally {
			if (last.get(key) === place) last.delete(key);
		}
	};
}
