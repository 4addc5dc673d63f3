import { ceilingOf, decide, isAuditDue, KEPT, startAt } from './cursor';
import type { Cursor, Decision, Found, Limits } from './cursor';
import type { EventList } from './eventList';
import { Ledger } from './ledger';
import { Walk, withOneSize } from './walk';

/** Rows that one step takes on, whatever the user allows: memory does not grow with the backlog. */
const MOST_ROWS = 5_000;
const MOST_PLACES = 10;
const MOST_LOOKS = 8;
/** Rows in random order show a given one in three looks out of four at the least. */
const MOST_LOOKS_SHUFFLED = 10;
const MOST_FRUITLESS = 4;

/** Records what is there without firing it: everything that appears later is new. */
export async function takeBaseline(
	list: EventList,
	scope: string,
	limits: Pick<Limits, 'lookBackMs'>,
): Promise<Cursor> {
	return await withOneSize(async () => await baselineOf(list, scope, limits));
}

async function baselineOf(
	list: EventList,
	scope: string,
	{ lookBackMs }: Pick<Limits, 'lookBackMs'>,
): Promise<Cursor> {
	for (let look = 1; ; look++) {
		const nothing = { v: 1, scope, floor: 0, known: {}, ahead: 0, deep: false } as const;
		const audited = { service: 0, local: 0 };
		const walk = new Walk(list, { ...nothing, audited }, new Ledger({}), 1);
		let newest: number | undefined;
		let oldest = Infinity;
		do {
			await walk.step();
			const ceiling = ceilingOf(walk.clock);
			for (const { at } of walk.fresh.values()) {
				if (at === undefined || at > ceiling) continue;
				if (newest === undefined || at > newest) newest = at;
				if (at < oldest) oldest = at;
			}
		} while (
			!walk.isGrounded &&
			walk.fresh.size < KEPT &&
			(newest === undefined || oldest >= newest - lookBackMs) &&
			list.pace.room > 0
		);
		const isOdd = walk.fresh.size === 0 && walk.total !== undefined && walk.total > 0;
		if ((walk.isDoubtful || isOdd) && look < MOST_LOOKS && list.pace.room > 0) continue;

		const cursor = startAt(scope, 0, walk.clock);
		// Counted and not listed: should they turn up, they are from before.
		if (isOdd) cursor.floor = walk.clock.service;
		const ledger = new Ledger({});
		for (const row of walk.fresh.values()) ledger.add(row);
		if (newest !== undefined) {
			// The moment at the edge may go on below it, and a doubtful one may hide a row: closed.
			if (!walk.isGrounded) cursor.floor = oldest + 1;
			if (walk.isDoubtful) cursor.floor = Math.max(cursor.floor, walk.newestRepeated + 1);
			cursor.floor = Math.max(cursor.floor, Math.min(newest, walk.clock.service) - lookBackMs);
		}
		ledger.settle(cursor.floor);
		cursor.known = ledger.toJSON();
		if (walk.total !== undefined) cursor.total = walk.total;
		if (list.served !== undefined) cursor.pageSize = list.served;
		return cursor;
	}
}

/** On to the oldest events that fire; past those that do not, as far as time allows. */
export async function catchUp(cursor: Cursor, list: EventList, limits: Limits): Promise<Decision> {
	const warnings: string[] = [];
	for (let stand = cursor; ;) {
		const from = stand;
		const decision = await withOneSize(async () => await advance(from, list, limits));
		warnings.push(...decision.warnings);
		stand = decision.cursor;
		const isPassing = decision.events.length === 0 && decision.handled > 0 && stand.ahead > 0;
		if (!isPassing || list.pace.room === 0) return { ...decision, warnings };
	}
}

/** Connects to the handled rows, reconciles with the service's count, and takes the oldest. */
async function advance(cursor: Cursor, list: EventList, limits: Limits): Promise<Decision> {
	const ledger = new Ledger(cursor.known);
	const place = await connect(cursor, ledger, list, limits.maxEvents);
	if ('deepest' in place) {
		// Not far enough in this poll's time: the next one goes on from there.
		const ahead = place.deepest * list.size;
		return {
			cursor: { ...cursor, ahead },
			events: [],
			handled: 0,
			warnings: ['The backlog could not be read in the time of one poll; the next one goes on'],
		};
	}
	const { walk } = place;
	const look = await reconcile(walk, cursor, ledger, list);
	const { missing, isComplete, failure } = look;
	// What is read is joined to the handled rows without a gap, so it can be delivered all the same.
	if (failure !== undefined && walk.fresh.size === 0) throw failure;
	const pageSize = list.served;
	const found: Found = {
		fresh: [...walk.fresh.values()],
		outdated: walk.outdated,
		above: walk.above,
		total: walk.total,
		missing: isComplete ? 0 : Math.max(0, missing),
		isComplete,
		clock: walk.clock,
		...(pageSize === undefined ? {} : { pageSize }),
	};
	const decision = decide(cursor, found, limits);
	if (failure !== undefined) {
		const words = failure instanceof Error ? failure.message : String(failure);
		decision.warnings.push(`The look for late events did not get through: ${words}`);
	}
	if (isComplete && missing > 0) {
		decision.warnings.push(
			`${missing} events that the service counts do not fire: they appeared later than the look-back allows, or repeat an ID`,
		);
	}
	return decision;
}

/** Finds where the handled rows begin, and reads from a little above it down to it. */
async function connect(
	cursor: Cursor,
	ledger: Ledger,
	list: EventList,
	maxEvents: number,
): Promise<{ walk: Walk } | { deepest: number }> {
	/** How many pages above the handled rows one poll takes on. */
	const span = () =>
		Math.max(
			1,
			Math.min(
				Math.ceil(Math.min(maxEvents, MOST_ROWS) / list.size),
				Math.floor(list.pace.room / 2),
			),
		);
	let pages = span();
	/** The page from which to read, when so many rows lie above the handled ones. */
	const above = (rows: number) => {
		pages = span();
		return Math.max(1, Math.ceil(rows / list.size) - pages + 1);
	};

	let start = above(cursor.ahead);
	let climb = 0;
	let deepest = 0;
	for (let place = 0; place < MOST_PLACES && list.pace.room > 0; place++) {
		const size = list.size;
		const walk = new Walk(list, cursor, ledger, start);
		await walk.step();
		if (start > 1 && list.size !== size) {
			// Pages are smaller than they were, so this is another place than was meant.
			start = above(cursor.ahead);
			continue;
		}
		const expected =
			start > 1
				? cursor.ahead
				: walk.total !== undefined && cursor.total !== undefined
					? walk.total - cursor.total
					: 0;
		const isFar = above(expected) > start + 1;
		if (!walk.isJoined && isFar && place === 0) {
			start = above(expected);
			continue;
		}
		while (!walk.isJoined && walk.pages <= pages + 1 && list.pace.room > 0) await walk.step();
		if (walk.isJoined && (walk.fresh.size > 0 || start === 1)) return { walk };
		if (walk.isJoined) {
			// Everything here is handled: what is new begins further up.
			climb = Math.max(pages, climb * 2);
			start = Math.max(1, start - climb);
			continue;
		}
		deepest = walk.nextPage - 1;
		const bottom = await findBottom(deepest);
		deepest = bottom.deepest;
		if (bottom.page === undefined) break;
		pages = span();
		start = Math.max(1, bottom.page - pages);
	}
	return { deepest };

	/** By halves: the page on which the handled rows begin. */
	async function findBottom(from: number): Promise<{ deepest: number; page?: number }> {
		let low = from;
		let high = Infinity;
		let stride = span();
		while (high - low > Math.max(1, span() / 2)) {
			if (list.pace.room <= 1) return { deepest: low };
			const page = high === Infinity ? low + stride : Math.floor((low + high) / 2);
			const probe = new Walk(list, cursor, ledger, page);
			await probe.step();
			if (probe.isJoined) high = page;
			else low = page;
			stride *= 2;
		}
		return { deepest: low, page: high };
	}
}

interface Look {
	/** Rows that the service counts beyond those found. */
	missing: number;
	isComplete: boolean;
	/** What went wrong after the walk had joined. */
	failure?: unknown;
}

/** Looks down to the floor when an event may hide there, again while that brings more to light. */
async function reconcile(
	walk: Walk,
	cursor: Cursor,
	ledger: Ledger,
	list: EventList,
): Promise<Look> {
	/** Rows that the service counts beyond those found; undefined where its count says nothing. */
	const uncounted = () =>
		walk.start === 1 && walk.total !== undefined && cursor.total !== undefined
			? walk.total - cursor.total - walk.fresh.size
			: undefined;
	const missing = () => uncounted() ?? 0;
	const isCrowded = ledger.size + walk.fresh.size > 2 * KEPT;
	const isDue = isAuditDue(cursor, walk.clock);
	const mayHide = walk.isDoubtful || walk.above >= KEPT || isDue || isCrowded;
	const isFull = missing() > 0 || (!cursor.deep && mayHide);
	const isDone = (look: Walk) => (isFull ? look.isGrounded : look.isJoined);

	const look = async (): Promise<boolean> => {
		while (!isDone(walk) && list.pace.room > 0) await walk.step();
		let isSettled = isDone(walk);
		let { isDoubtful, isShuffled } = walk;
		let fruitless = 0;
		const most = () => (isShuffled ? MOST_LOOKS_SHUFFLED : MOST_LOOKS);
		for (let looks = 1; looks < most() && isSettled; looks++) {
			if (!isDoubtful && missing() <= 0) return true;
			const again = new Walk(list, cursor, ledger, walk.start);
			while (!isDone(again) && list.pace.room > 0) await again.step();
			const before = walk.fresh.size;
			for (const [hash, row] of again.fresh) {
				if (!walk.fresh.has(hash)) walk.fresh.set(hash, row);
			}
			if (again.total !== undefined) walk.total = again.total;
			isSettled = isDone(again);
			isShuffled ||= again.isShuffled;
			isDoubtful = again.isDoubtful || (isShuffled && uncounted() === undefined);
			fruitless = walk.fresh.size === before ? fruitless + 1 : 0;
			// Found nothing more: what is missing is not there to be found.
			if (fruitless >= (isShuffled ? MOST_FRUITLESS : 1)) return isSettled;
		}
		return isSettled && !isDoubtful && missing() <= 0;
	};
	const result = await look().then(
		(isSettled) => ({ isSettled }),
		(failure: unknown) => ({ isSettled: false, failure }),
	);
	return {
		missing: missing(),
		isComplete: result.isSettled && (walk.isGrounded || cursor.deep),
		...('failure' in result ? { failure: result.failure } : {}),
	};
}
