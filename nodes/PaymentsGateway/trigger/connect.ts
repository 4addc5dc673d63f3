import { statusOf } from '../gateway/errors';
import type { Cursor } from './cursor';
import type { EventList } from './eventList';
import type { Ledger } from './ledger';
import { Walk } from './walk';

/**
 * Finds where the handled rows begin, and reads from a little above it down to it. What a walk has
 * found can be delivered only when it has reached a handled row: then nothing older is left out.
 */

/** Rows that one walk takes on, whatever the user allows: memory does not grow with the backlog. */
const MOST_ROWS = 5_000;
/** A poll that ran out of requests is followed by one that takes on half of it, and then more. */
const GROWTH = 1.25;
/** A search by halves needs about 20; more means that the list makes no sense. */
const MOST_TRIES = 30;
/** No list is searched deeper: where one seems to have no end, the search begins anew at its top. */
const DEEPEST = 1_000_000;

/** What a poll knows of the place when it could not read that far. */
type Place = Pick<Cursor, 'ahead' | 'atMost' | 'span'>;

/** The service takes no more requests for now, or the poll's time is over. */
export function isOutOfRequests(error: unknown, list: EventList): boolean {
	return list.pace.requestsLeft === 0 || statusOf(error) === '429';
}

export async function connect(
	cursor: Cursor,
	ledger: Ledger,
	list: EventList,
	maxEvents: number,
): Promise<{ walk: Walk; span: number | undefined } | { place: Place }> {
	const { pace } = list;
	const most = () => Math.ceil(Math.min(maxEvents, MOST_ROWS) / list.size);
	/** How many pages of new rows one walk takes on. */
	const span = () =>
		Math.max(
			1,
			Math.min(most(), Math.floor(cursor.span ?? Infinity), Math.floor(pace.requestsLeft / 2)),
		);
	/** About how many rows lie above the handled ones, by the service's count or the last poll. */
	let expected = cursor.ahead;
	/** The page from which so many pages lead down to where the handled rows should begin. */
	const aim = () => Math.max(1, Math.ceil(expected / list.size) - span() + 1);
	/** The deepest page known to end in new rows, and one that is known to lie below the place. */
	let low = cursor.atMost === undefined ? 0 : Math.floor(cursor.ahead / list.size);
	let high = cursor.atMost === undefined ? Infinity : Math.ceil(cursor.atMost / list.size);
	/** The oldest date on that deepest page. */
	let bottom = Infinity;
	const between = () => {
		if (high === Infinity) return Math.max(low + span(), 2 * low);
		return high - low <= span() ? Math.max(1, high - span()) : Math.floor((low + high) / 2);
	};
	let nextSpan = cursor.span;
	let read = 0;
	let failure: unknown;

	for (let tries = 0; tries < MOST_TRIES && pace.requestsLeft > 0; tries++) {
		const target = aim();
		const isAimed = low < target && target < high;
		const start = isAimed ? target : between();
		const walk = new Walk(list, cursor, ledger, start);
		const isFull = isAimed || high - start <= span();
		const isShallow = () => walk.pages < (isFull ? span() + 2 : 1);
		let isFarther = false;
		do {
			failure = await walk.step().then(
				() => undefined,
				(error: unknown) => error,
			);
			if (failure !== undefined) break;
			read++;
			if (walk.expected > 0) expected = walk.expected;
			isFarther = walk.pages === 1 && aim() > start + 1 && aim() < high;
		} while (!walk.isJoined && !isFarther && (isShallow() || walk.isNear) && pace.requestsLeft > 0);
		if (walk.isJoined && (walk.fresh.size > 0 || start === 1)) {
			const hadTime = pace.requestsLeft >= walk.pages;
			const wider = (cursor.span ?? most()) * (hadTime ? GROWTH : 1);
			return { walk, span: wider < most() ? wider : undefined };
		}
		// Some services answer a page beyond the last with one of those before it.
		if (walk.isJoined || (start > low && walk.newest >= bottom)) {
			high = start;
			// A late event below the handled rows has passed for the end of the new ones.
			if (low >= high) [low, bottom] = [0, Infinity];
		} else if (walk.pages > 0) {
			low = Math.max(low, walk.lastPage);
			if (low >= high) high = Infinity;
			bottom = walk.oldest;
		}
		if (failure !== undefined || pace.requestsLeft === 0) {
			if (failure !== undefined && !isOutOfRequests(failure, list)) throw failure;
			if (isFull && walk.pages > 0) nextSpan = Math.max(1, Math.floor(walk.pages / 2));
			break;
		}
	}
	if (low * list.size > DEEPEST) [low, high, expected] = [1, Infinity, 0];
	const known = low * list.size;
	const place: Place = {
		ahead: high < Infinity ? known : expected >= known ? expected : 2 * known,
		atMost: high < Infinity ? high * list.size : undefined,
		span: nextSpan,
	};
	const isLearned =
		place.ahead !== cursor.ahead || place.atMost !== cursor.atMost || nextSpan !== cursor.span;
	if (failure !== undefined && (read === 0 || !isLearned)) throw failure;
	return { place };
}
