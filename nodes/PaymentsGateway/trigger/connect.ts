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
	const status: unknown = error instanceof Error ? Reflect.get(error, 'httpCode') : undefined;
	return list.pace.requestsLeft === 0 || status === '429';
}

export async function connect(
	cursor: Cursor,
	ledger: Ledger,
	list: EventList,
	maxEvents: number,
): Promise<{ walk: Walk; span: number | undefined } | { place: Place }> {
	const { pace } = list;
	const pagesOf = (rows: number) => Math.ceil(rows / list.size);
	const most = () => pagesOf(Math.min(maxEvents, MOST_ROWS));
	/** How many pages of new rows one walk takes on. */
	const span = () =>
		Math.max(1, Math.floor(Math.min(most(), cursor.span ?? Infinity, pace.requestsLeft / 2)));
	/** About how many rows lie above the handled ones, by the service's count or the last poll. */
	let expected = cursor.ahead;
	/** The page from which so many pages lead down to where the handled rows should begin. */
	const aim = () => Math.max(1, pagesOf(expected) - span() + 1);
	/** The deepest page known to end in new rows, and one that is known to lie below the place. */
	let low = cursor.atMost === undefined ? 0 : Math.floor(cursor.ahead / list.size);
	let high = pagesOf(cursor.atMost ?? Infinity);
	/** The oldest date on that deepest page. */
	let bottom = Infinity;
	const between = () => {
		if (high === Infinity) return Math.max(low + span(), 2 * low);
		return high - low <= span() ? Math.max(1, high - span()) : Math.floor((low + high) / 2);
	};
	let nextSpan = cursor.span;
	let failure: unknown;

	for (let tries = 0; tries < MOST_TRIES && pace.requestsLeft > 0; tries++) {
		const target = aim();
		const isAimed = low < target && target < high;
		const start = isAimed ? target : between();
		const isFull = isAimed || high - start <= span();
		const walk = new Walk(list, cursor, ledger, start);
		const isFarther = () => walk.pages === 1 && aim() > start + 1 && aim() < high;
		const isShallow = () => walk.isNear || walk.pages < (isFull ? span() + 2 : 1);
		const read = async () => {
			do {
				await walk.step();
				if (walk.expected > 0) expected = walk.expected;
			} while (!walk.isJoined && isShallow() && !isFarther() && pace.requestsLeft > 0);
		};
		await read().catch((error: unknown) => {
			if (!isOutOfRequests(error, list)) throw error;
			failure = error;
		});
		if (walk.isJoined && (walk.fresh.size > 0 || start === 1)) {
			const wider = (cursor.span ?? most()) * GROWTH;
			return { walk, span: wider < most() ? wider : undefined };
		}
		// Some services answer a page beyond the last with one of those before it.
		if (walk.isJoined || (start > low && walk.newest >= bottom)) {
			high = start;
			// A late event below the handled rows has passed for the end of the new ones.
			if (low >= high) [low, bottom] = [0, Infinity];
		} else if (walk.pages > 0) {
			low = start + walk.pages - 1;
			if (low >= high) high = Infinity;
			bottom = walk.oldest;
		}
		if (failure !== undefined || pace.requestsLeft === 0) {
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
	if (failure !== undefined && !isLearned) throw failure;
	return { place };
}
