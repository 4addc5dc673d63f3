/**
 * Lets tasks with the same key, such as a customer's email or a cart's reference, act one after
 * another in the order in which they came, whichever item or execution of this process they belong
 * to. So each can rely on what the ones before it have found or made.
 */

export function createTurns() {
	const last = new Map<string, Promise<unknown>>();
	return async <T>(key: string, task: () => Promise<T>): Promise<T> => {
		const before = last.get(key);
		const result = (async () => {
			await before;
			return await task();
		})();
		const over = result.catch(() => undefined);
		last.set(key, over);
		try {
			return await result;
		} finally {
			if (last.get(key) === over) last.delete(key);
		}
	};
}
