import { connect, isOutOfRequests } from './connect';
import { decide, isAuditDue, KEPT, MOST_STRAYS } from './cursor';
import type { Cursor, Decision, Limits, Look } from './cursor';
import type { EventList } from './eventList';
import { Ledger } from './ledger';
import { Walk, withOneSize } from './walk';

/**
 * What a poll does: look whether there is anything new, read it down to the handled rows, look
 * further down when something may hide there, and take the oldest events.
 */

export interface Lists {
	list: EventList;
	/** The same list by ten rows a page, for a poll that most likely finds nothing new. */
	glance?: EventList;
}

/** Reads until some events fire. Events that were not chosen are passed over, while there is time. */
export async function catchUp(cursor: Cursor, lists: Lists, limits: Limits): Promise<Decision> {
	const { list } = lists;
	let decision = await withOneSize(async () => await advance(cursor, lists, limits));
	const warnings = [...decision.warnings];
	const isPassing = () =>
		decision.events.length === 0 && decision.handled > 0 && decision.cursor.ahead > 0;
	while (isPassing() && list.pace.requestsLeft > 0) {
		const from = decision.cursor;
		const next = await withOneSize(async () => await advance(from, { list }, limits)).catch(
			(error: unknown) => {
				if (isOutOfRequests(error, list)) return undefined;
				throw error;
			},
		);
		if (next === undefined) break;
		decision = next;
		warnings.push(...decision.warnings);
	}
	return { ...decision, cursor: { ...decision.cursor, pageSize: list.served }, warnings };
}

async function advance(cursor: Cursor, { list, glance }: Lists, limits: Limits): Promise<Decision> {
	const ledger = new Ledger(cursor.known);
	const idle = await glanceAt(cursor, ledger, glance);
	if (idle !== undefined) {
		return decide(cursor, idle, idle.reachedFloor ? 'complete' : 'none', limits);
	}
	const place = await connect(cursor, ledger, list, limits.maxEvents);
	if ('place' in place) {
		return {
			cursor: { ...cursor, ...place.place },
			events: [],
			handled: 0,
			warnings: ['The backlog could not be read in the time of one poll; the next one goes on'],
		};
	}
	const { walk, span } = place;
	const { look, failure } = await reconcile(walk, cursor, ledger, list);
	// What is read is joined to the handled rows without a gap, so it can be delivered all the same.
	if (failure !== undefined && walk.fresh.size === 0) throw failure;
	const decision = decide(cursor, walk, look, limits);
	if (failure !== undefined) {
		const words = failure instanceof Error ? failure.message : String(failure);
		decision.warnings.push(`The look for late events did not get through: ${words}`);
	}
	if (look === 'complete' && walk.reachedFloor && walk.missing > 0) {
		decision.warnings.push(
			`${walk.missing} events that the service counts do not fire: they appeared later than the look-back allows, or repeat an ID`,
		);
	}
	decision.cursor.span = span;
	return decision;
}

/** Ten rows that show nothing new, where the service's count says the same of all others. */
async function glanceAt(
	cursor: Cursor,
	ledger: Ledger,
	glance?: EventList,
): Promise<Walk | undefined> {
	const isLooking = cursor.ahead > 0 || cursor.atMost !== undefined || cursor.audited === 0;
	if (glance === undefined || isLooking || cursor.total === undefined) return undefined;
	const walk = new Walk(glance, cursor, ledger, 1);
	await walk.step();
	const isCounted = walk.total !== undefined && walk.missing === 0;
	return isCounted && walk.isJoined && !mayHide(walk, cursor, ledger) ? walk : undefined;
}

/** Whether a look down to the floor is due. */
function mayHide(walk: Walk, cursor: Cursor, ledger: Ledger): boolean {
	const strays = ledger.strays(ledger.believedUntil(walk.clock)).length;
	return (
		walk.isDoubtful ||
		walk.above >= KEPT ||
		ledger.size + walk.fresh.size > 2 * KEPT ||
		strays + walk.fresh.size > MOST_STRAYS ||
		isAuditDue(cursor, walk.clock)
	);
}

/**
 * Looks down to the floor when an event may hide there, and once more when it found no reason for
 * what the service counts, or saw the list move. What is in doubt after that is the next poll's.
 */
async function reconcile(
	walk: Walk,
	cursor: Cursor,
	ledger: Ledger,
	list: EventList,
): Promise<{ look: Look; failure?: unknown }> {
	const isWanted = walk.missing > 0 || (!cursor.deep && mayHide(walk, cursor, ledger));
	const isDone = (look: Walk) => (isWanted ? look.reachedFloor : look.isJoined);
	const walkOn = async (look: Walk) => {
		while (!isDone(look) && list.pace.requestsLeft > 0) await look.step();
		return isDone(look);
	};
	const isSettled = async () => {
		if (!(await walkOn(walk))) return false;
		if (!walk.isDoubtful && walk.missing === 0) return true;
		const again = new Walk(list, cursor, ledger, walk.start);
		const isWhole = await walkOn(again);
		const before = walk.fresh.size;
		for (const [hash, row] of again.fresh) {
			if (!walk.fresh.has(hash)) walk.fresh.set(hash, row);
		}
		for (const [hash, at] of again.seen) walk.seen.set(hash, at);
		walk.total = again.total ?? walk.total;
		const isExplained = walk.missing === 0 || walk.fresh.size === before;
		return isWhole && !again.isDoubtful && isExplained;
	};
	const result = await isSettled().then(
		(settled) => ({ settled }),
		(failure: unknown) => ({ settled: false, failure }),
	);
	const isComplete = result.settled && (walk.reachedFloor || cursor.deep);
	const look = isComplete ? 'complete' : isWanted ? 'doubtful' : 'none';
	return 'failure' in result ? { look, failure: result.failure } : { look };
}
