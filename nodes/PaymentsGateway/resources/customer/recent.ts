import type { Client } from '../../gateway/client';
import { sameEmail } from '../../wire/email';
import { memoriesOf } from '../../operation/memories';
import type { Work } from '../../operation/operation';
import { createTurns } from '../../operation/turns';
import type { Answer, Data } from '../../wire';

/**
 * The customers that this process has just made, or given another email, by merchant and email. The
 * service's list may not show them yet, and nothing may make them again: no item of the runs under
 * way, no run of the next ten minutes, and no later run of the same execution (a batch of a loop,
 * n8n's Retry On Fail). Whoever makes customers with one email does so one after another.
 */
export interface Recent {
	/** More than one where Create, which does not look, made twins. */
	made: readonly Made[];
	/** The answer was lost, and nobody knows whether one was made. */
	isUnsure?: boolean;
}

interface Made {
	id: string;
	at: number;
	/** Nobody else had the email: it was looked up before. */
	isOnly: boolean;
}

interface Held extends Recent {
	runs: Set<AbortSignal>;
	/** When the last of its runs ended. */
	endedAt: number;
}

const KEPT = 600_000;
const MOST = 10_000;
/** Of one email: two are enough to know that there are twins. */
const MOST_TWINS = 10;

/** Those whose runs have ended in the order in which they did. */
const held = new Map<string, Held>();
/** What each run has asked for, by key. */
const askedBy = new WeakMap<AbortSignal, Map<string, Held>>();
/** The same by what n8n keeps for an execution, with which it goes. */
const heldIn = new WeakMap<object, Map<string, Held>>();

/** Across all executions in this process: two that sync the same customer at once make one. */
const turns = createTurns();

/** Does what makes somebody with this email, or gives it to somebody, in its turn. */
export async function inTurn<T>(
	{ client, context }: Work,
	email: string,
	task: (recent: Recent) => Promise<T>,
): Promise<T> {
	const key = JSON.stringify([client.customers, sameEmail(email)]);
	const recent = recentOf(key, client.ended, memoriesOf(context));
	return await turns(key, async () => await task(recent));
}

/** Makes a customer. `isOnly`: it was looked up that nobody has the email. */
export async function make(
	client: Client,
	recent: Recent,
	data: Data<'addCustomer'>,
	{ isOnly = false } = {},
): Promise<Answer<'addCustomer'>> {
	const sent = await client.attempt('addCustomer', data);
	if ('error' in sent) {
		if (!sent.refused) recent.isUnsure = true;
		throw sent.error;
	}
	const { answer } = sent.reply;
	remember(recent, answer.customerID, isOnly);
	return answer;
}

/** That the customer with an ID has the email now, or may have it. */
export function remember(recent: Recent, id: string, isOnly = false): void {
	const others = recent.made.filter((each) => each.id !== id);
	recent.made = [...others, { id, at: performance.now(), isOnly }].slice(-MOST_TWINS);
}

/** By merchant and ID, whom this process has deleted: when nobody finds them, that is no lag. */
const deleted = new Set<string>();

export function noteDeleted({ customers }: Client, id: string): void {
	for (const oldest of deleted) {
		if (deleted.size < MOST) break;
		deleted.delete(oldest);
	}
	deleted.add(JSON.stringify([customers, id]));
}

/** So long after it was made, a customer whom the service does not know may just not show yet. */
const SETTLED = 60_000;

/** Whether a customer whom the service does not know by ID is gone, and not just too new. */
export function isGone({ customers }: Client, { id, at }: Made): boolean {
	return performance.now() - at >= SETTLED || deleted.has(JSON.stringify([customers, id]));
}

function isKept({ runs, endedAt }: Held): boolean {
	return runs.size > 0 || performance.now() - endedAt < KEPT;
}

/** What is known under a key, for as long as this run, or another that asked, goes on, and after. */
export function recentOf(
	key: string,
	run: AbortSignal,
	executions: readonly object[] = [],
): Recent {
	const before = executions.map((execution) => heldIn.get(execution)?.get(key));
	const entry = [held.get(key)].find((each) => each && isKept(each)) ??
		before.find((each) => each) ?? { made: [], runs: new Set(), endedAt: 0 };
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
			delete entry.isUnsure;
			if (entry.made.length === 0) continue;
			entry.endedAt = performance.now();
			held.set(key, entry);
		}
		for (const [key, entry] of held) {
			if (entry.runs.size > 0) continue;
			if (held.size <= MOST && isKept(entry)) break;
			held.delete(key);
		}
	});
	return entries;
}
