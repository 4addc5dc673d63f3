/**
 * The customers that this process has just made, by merchant and email. The service's list may not
 * show them yet, so they are remembered here, and nobody makes them a second time: neither another
 * item of the runs under way, nor a later run of the same execution (loops, Retry On Fail).
 */

export interface Recent {
	/** The customer's ID; `unsure` when the answer was lost and nobody knows whether it was made. */
	made?: { id: string } | 'unsure';
}

interface Held extends Recent {
	/** The runs under way that have asked for it, by the signal that ends each. */
	runs: Set<AbortSignal>;
}

const held = new Map<string, Held>();
/** For each run, the entries that it has asked for, by key. */
const askedBy = new WeakMap<AbortSignal, Map<string, Held>>();
/** The same for each execution, by an object that n8n keeps for as long as the execution lasts. */
const heldIn = new WeakMap<object, Map<string, Held>>();

/** The entry of a key, kept until this run and all others that have asked for it have ended. */
export function recentOf(
	key: string,
	run: AbortSignal,
	executions: readonly object[] = [],
): Recent {
	const before = executions.map((execution) => heldIn.get(execution)?.get(key));
	const entry = held.get(key) ?? before.find((each) => each) ?? { runs: new Set() };
	// A run that has ended makes no customer, and nothing would ever remove its entry.
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
			// A later run looks the customer up anew, since nobody knows whether it was made.
			if (entry.made === 'unsure') delete entry.made;
		}
	});
	return entries;
}
