/**
 * Lets tasks with the same key, such as a customer's email or a cart's reference, act one after
 * another in the order in which they came: all items of all executions in this process.
 * Only so can an item rely on what an earlier one with the same key has found or made.
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
