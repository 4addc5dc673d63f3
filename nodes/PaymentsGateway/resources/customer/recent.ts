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

/** What is known under a key, for as long as this run, or another that asked, goes on. */
export function recentOf(key: string, run: AbortSignal): Recent {
	const entry = held.get(key) ?? { runs: new Set() };
	held.set(key, entry);
	if (!entry.runs.has(run)) {
		entry.runs.add(run);
		const leave = () => {
			entry.runs.delete(run);
			if (entry.runs.size === 0) held.delete(key);
		};
		run.addEventListener('abort', leave, { once: true });
	}
	return entry;
}
