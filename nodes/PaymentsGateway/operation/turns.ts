/**
 * Lets tasks that share a key, such as a customer's email or a cart's reference, act one after another
 * in the order in which they came, whichever item or execution of this process they belong to. So each
 * can rely on what the ones before it have found or made. A task with several keys takes its place
 * under all of them at once, so no two wait for each other.
 */

export function createTurns() {
	const last = new Map<string, Promise<unknown>>();
	return async <T>(keys: readonly string[], task: () => Promise<T>): Promise<T> => {
		const before = keys.map((key) => last.get(key));
		const result = Promise.all(before).then(task);
		const over = result.catch(() => undefined);
		for (const key of keys) last.set(key, over);
		try {
			return await result;
		} finally {
			for (const key of keys) if (last.get(key) === over) last.delete(key);
		}
	};
}
