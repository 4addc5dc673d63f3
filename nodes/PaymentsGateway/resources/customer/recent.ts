/**
 * The customers that this process has just made, by merchant and email. The service's list may not
 * show them yet, and nothing may make them again: no item of the runs under way, and no later run of
 * the same execution (a batch of a loop, n8n's Retry On Fail).
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
/** The same by what n8n keeps for an execution, with which it goes. */
const heldIn = new WeakMap<object, Map<string, Held>>();

/** What is known under a key, for as long as this run, or another that asked, goes on. */
export function recentOf(
	key: string,
	run: AbortSignal,
	executions: readonly object[] = [],
): Recent {
	const before = executions.map((execution) => heldIn.get(execution)?.get(key));
	const entry = held.get(key) ?? before.find((each) => each) ?? { runs: new Set() };
	// A run that is over makes nobody, and would never leave.
	if (run.aborted) return entry;
	held.set(key, entry);
	entry.runs.add(run);
	entriesOf(run).set(key, entry);
	for (const execution of executions) {
		heldIn.set(execution, (heldIn.get(execution) ?? new Map<string, Held>()).set(key, entry));
	}
	return entry;
}

function entriesOf(run: AbortSignal): Map<string, Held> {
	const known = askedBy.get(run);
	if (known !== undefined) return known;
	const entries = new Map<string, Held>();
	askedBy.set(run, entries);
	// One listener for all keys: Node warns of a leak when a signal has many.
	run.addEventListener('abort', () => {
		for (const [key, entry] of entries) {
			entry.runs.delete(run);
			if (entry.runs.size > 0) continue;
			held.delete(key);
			// A later run looks it up anew: to refuse it would also refuse what was never made.
			if (entry.made === 'unsure') delete entry.made;
		}
	});
	return entries;
}
