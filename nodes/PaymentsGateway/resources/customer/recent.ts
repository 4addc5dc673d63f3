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
/** What each run has asked for, by key. */
const askedBy = new WeakMap<AbortSignal, Map<string, Held>>();

/** What is known under a key, for as long as this run, or another that asked, goes on. */
export function recentOf(key: string, run: AbortSignal): Recent {
	const entry = held.get(key) ?? { runs: new Set() };
	held.set(key, entry);
	entry.runs.add(run);
	entriesOf(run).set(key, entry);
	return entry;
}

function entriesOf(run: AbortSignal): Map<string, Held> {
	const known = askedBy.get(run);
	if (known !== undefined) return known;
	const entries = new Map<string, Held>();
	askedBy.set(run, entries);
	// One listener for all keys: Node warns of a leak when a signal has many.
	run.addEventListener('abort', () => {
		for (const [key, { runs }] of entries) {
			runs.delete(run);
			if (runs.size === 0) held.delete(key);
		}
	});
	return entries;
}
