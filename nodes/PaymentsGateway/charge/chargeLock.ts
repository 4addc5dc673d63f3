import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import { DAY, MINUTE } from '../wire/duration';
import type { LockStore } from './lockStore';

/**
 * A lock on a reference, for one node: all workers that run this node respect it, before and after a
 * restart.
 *
 * It has two phases. `intent` says that a charge is about to be sent. It lapses within two minutes, so
 * that a worker that dies does not block the charge. `sent` says that the charge may have been sent, and
 * lasts for 30 days. A phase has names, which are the same for all workers, and a token, which only its
 * owner has. A name ends in the number of a minute or of a period of ten days. So that a phase lasts beyond
 * the end of its period, a worker checks the names of earlier periods, too. n8n can check an entry only
 * by adding it, so the names of earlier periods are added, and renew() removes those that are not needed.
 *
 * The lock is stored in the node's row, which is read and written without a lock of its own
 * (lockStore.ts), so a write can be lost:
 *
 *     milliseconds   0               130                  200   260
 *     worker A       read, write     check: found               check: B's names, so A gives up
 *     worker B         read ............................. write
 *
 * B reads the row before A has written, and its write drops A's entries. Here both charge one
 * reference, so A finds B's names without its own token. If B charges another reference, A finds
 * its entries gone and writes them again. If B's access takes no longer than 200 ms, it ends before
 * A's last check. So each phase counts only after two checks in a row, each after a pause, have
 * found all its entries.
 *
 * Within a process, locks use a row one after another, pauses included. Otherwise a busy process would
 * never leave the row alone, and its writes would drop those of other workers.
 */

/** The slowest access, in milliseconds, with which the lock is safe (docs/limits.md). */
const SLOWEST_ACCESS = 200;
/**
 * One check can meet an older version of the row that a slow write has just restored. chargeLock.test.ts
 * has a case with accesses of up to 0.7 s in which two workers charge after one check, and one after two.
 */
const CHECKS = 2;
/** The pauses outlast that access by 30 %. With 50 %, a lock that is free would take longer than 0.6 s. */
const PAUSE = (1.3 * SLOWEST_ACCESS) / CHECKS;
/**
 * If this worker's accesses are slow, so are those of others, and the pauses must leave room for
 * them. Measured: with accesses of up to 0.2 s, up to six workers left 15 carts of 600 runs
 * uncharged without this factor, and 2 with it.
 */
const PAUSE_PER_ACCESS = 3;
/** How often release() looks for restored entries. What is restored after that stays until it lapses. */
const MAX_LOOKS = 2;
/** renew() keeps this period's name and, for workers whose clock is behind, the one before. */
const LASTING_NAMES = 2;

/**
 * A name counts until the end of its period and of `periodsBack` more: an intent for one to two minutes,
 * `sent` for 30 to 40 days. n8n stores the names for weeks: as in keys.ts, these must stay the same.
 */
const PERIODS = {
	minute: { period: MINUTE, periodsBack: 1 },
	tenDays: { period: 10 * DAY, periodsBack: 3 },
};

interface Phase {
	names: string[];
	token: string;
}

function phaseOf(lock: string, kind: keyof typeof PERIODS): Phase {
	const { period, periodsBack } = PERIODS[kind];
	const now = Math.floor(Date.now() / period);
	const names = Array.from({ length: periodsBack + 1 }, (_, ago) => `${lock}:${kind}${now - ago}`);
	return { names, token: `${lock}:${randomUUID()}` };
}

const entriesOf = (phases: readonly Phase[]) =>
	phases.flatMap(({ names, token }) => [...names, token]);

/**
 * Why a lock was not acquired. `charging`: another worker's intent was found before this one had its own.
 * `sent`: another worker's entry, of either phase, was found after that. It may have sent its charge, or
 * may still send it.
 */
export type NotAcquired = 'charging' | 'sent' | 'storeFailed';

/** It holds only a few strings, so that it can be remembered with its charge. */
export class ChargeLock {
	/** A write of renew() has failed. It may still arrive. */
	private mayWriteLate = false;

	private constructor(
		private readonly intent: Phase,
		private readonly sent: Phase,
	) {}

	/**
	 * Once a worker has a lock, the others get `charging` while its intent lasts, then `sent`. Without a store
	 * in n8n, each gets a lock.
	 */
	static async acquire(store: LockStore, name: string): Promise<ChargeLock | NotAcquired> {
		return await store.exclusively(async () => {
			// Other charges may have used the row for minutes, so the periods are computed now.
			const intent = phaseOf(name, 'minute');
			const sent = phaseOf(name, 'tenDays');
			// The intent holds for at least a minute.
			const deadline = performance.now() + MINUTE;
			try {
				if (!(await establish(store, [intent], deadline))) return 'charging';
				if (!(await establish(store, [intent, sent], deadline))) return 'sent';
				return new ChargeLock(intent, sent);
			} catch {
				return 'storeFailed';
			}
		});
	}

	/**
	 * Runs while the charge is under way: restores the lock if a very slow write has dropped it, and
	 * removes the names that nobody needs any more.
	 */
	async renew(store: LockStore): Promise<void> {
		const { intent, sent } = this;
		const lasting = { ...sent, names: sent.names.slice(0, LASTING_NAMES) };
		const restore = async () => {
			// False does not matter: this charge is on its way, whoever else has the lock.
			await establish(store, [lasting], performance.now() + MINUTE);
			await store.remove([...entriesOf([intent]), ...sent.names.slice(LASTING_NAMES)]);
		};
		await store.exclusively(restore).catch(() => {
			this.mayWriteLate = true;
		});
	}

	/**
	 * Frees the charge, which may then be sent again. If the store fails, the lock stays until it lapses.
	 * Another worker's write can restore what was removed:
	 *
	 *     this worker     read, remove           pause       look: the token is back, remove again
	 *     other worker        read ................... write
	 *
	 * If renew() failed, release() does not look: that write may still arrive and bring the token back when
	 * another worker has the lock, and release() would then remove that worker's names.
	 */
	async release(store: LockStore): Promise<void> {
		const { intent, sent } = this;
		const all = entriesOf([intent, sent]);
		const remove = async (entries: string[]) => await store.remove(entries).catch(ignore);
		await store.exclusively(async () => {
			await remove(all);
			for (let looks = 1; looks <= MAX_LOOKS && !this.mayWriteLate; looks++) {
				await sleep(CHECKS * PAUSE);
				const look = await store.add([sent.token]).catch(ignore);
				if (!look?.found.has(sent.token)) return await remove([sent.token]);
				await remove(all);
			}
		});
	}
}

/** Writes phases until the checks have found them. False if another worker has one of them. */
async function establish(
	store: LockStore,
	phases: readonly Phase[],
	deadline: number,
): Promise<boolean> {
	const entries = entriesOf(phases);
	let passed = 0;
	// The first access never counts as a check.
	let wasQuick = false;
	while (performance.now() < deadline) {
		const access = await store.add(entries);
		// Without a store, the memory of the process and the events alone protect the charge.
		if (access === undefined) return true;
		const { found, took } = access;
		const isAnothers = ({ names, token }: Phase) =>
			names.some((name) => found.has(name)) && !found.has(token);
		if (phases.some(isAnothers)) {
			// The other worker keeps its phase. Remove this worker's phases and all that this access added: a
			// newer name of the other's phase would prolong its lock.
			const own = entriesOf(phases.filter((phase) => !isAnothers(phase)));
			const added = entries.filter((entry) => !found.has(entry));
			await store.remove([...own, ...added]).catch(ignore);
			return false;
		}
		// After a slow access the next check does not count: its write may have dropped another worker's
		// lock, and that worker needs time to write it again.
		passed = wasQuick && entries.every((entry) => found.has(entry)) ? passed + 1 : 0;
		if (passed === CHECKS) return true;
		wasQuick = took <= SLOWEST_ACCESS;
		await sleep(Math.max(PAUSE, PAUSE_PER_ACCESS * took));
	}
	throw new Error('The store is too slow');
}

const ignore = () => undefined;
