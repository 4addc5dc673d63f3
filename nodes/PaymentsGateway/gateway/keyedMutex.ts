/**
 * A keyed mutex: tasks that share a key run one after another, in the order in which they came,
 * whichever item or execution of this process they belong to. A task with several keys queues for all
 * of them in one step, so no two tasks wait for each other.
 */

export function createKeyedMutex() {
	/** The last task in line for each key. */
	const last = new Map<string, Promise<unknown>>();
	return {
		run: async <T>(keys: readonly string[], task: () => Promise<T>): Promise<T> => {
			const before = keys.map((key) => last.get(key));
			const result = Promise.all(before).then(task);
			const done = result.catch(() => undefined);
			for (const key of keys) last.set(key, done);
			try {
				return await result;
			} finally {
				for (const key of keys) if (last.get(key) === done) last.delete(key);
			}
		},
	};
}
