/**
 * The customers that the runs under way in this process have made, by merchant and email. The
 * service's list may not show them yet, and no item of these runs may make them again.
 */
export interface Recent {
	/** The customer's ID; `unsure` when the answer was lost and nobody knows whether it was made. */
	made?: { id: string } | 'unsure';
}

interface Held extends Recent {
	runs: Set<AbortSignal>;
}

const held = new Map<string, Held>();
/** The keys that each run has asked for. */
const keysOf = new WeakMap<AbortSignal, Set<string>>();

/** What is known under a key, for as long as this run, or another that asked, goes on. */
export function recentOf(key: string, run: AbortSignal): Recent {
	const entry = held.get(key) ?? { runs: new Set() };
	held.set(key, entry);
	entry.runs.add(run);
	keysAskedBy(run).add(key);
	return entry;
}

function keysAskedBy(run: AbortSignal): Set<string> {
	const known = keysOf.get(run);
	if (known !== undefined) return known;
	const keys = new Set<string>();
	keysOf.set(run, keys);
	// One listener for all keys: Node warns of a leak when a signal has many.
	const leave = () => {
		for (const key of keys) {
			const entry = held.get(key);
			entry?.runs.delete(run);
			if (entry?.runs.size === 0) held.delete(key);
		}
	};
	run.addEventListener('abort', leave, { once: true });
	return keys;
}
