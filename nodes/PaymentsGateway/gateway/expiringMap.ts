/** A map that forgets each value after a while. To set a value again begins its time anew. */
export function createExpiringMap<Value>(lifetimeMs: number) {
	/** Times are by `performance.now()`. The latest comes last. */
	const entries = new Map<string, { value: Value; setAt: number }>();
	const isAlive = ({ setAt }: { setAt: number }) => performance.now() - setAt < lifetimeMs;
	return {
		get: (key: string): Value | undefined => {
			const found = entries.get(key);
			return found && isAlive(found) ? found.value : undefined;
		},
		set: (key: string, value: Value): void => {
			entries.delete(key);
			entries.set(key, { value, setAt: performance.now() });
			for (const [oldest, each] of entries) {
				if (isAlive(each)) break;
				entries.delete(oldest);
			}
		},
		delete: (key: string): boolean => entries.delete(key),
	};
}
