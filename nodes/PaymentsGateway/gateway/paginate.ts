import type { ListAnswer, PageRequest } from '../wire';
import type { Learned, Reading } from './pages';
import {
	contentOf,
	countsMore,
	droppedWords,
	ignoresPages,
	orRefused,
	startReading,
	turnPage,
} from './pages';

/**
 * Reads a list page by page: the first page alone, the others several at once, in order.
 *
 * Pages are cut anew for every request, so a list that moves while it is read can hide a row
 * between two pages. A pass that saw such a move is followed by another, until one saw none.
 */

interface BrokenOff<Out> {
	found: readonly Out[];
	/** No row was seen at all. */
	isEmpty: boolean;
	/** How many the service counts. */
	total: number | undefined;
}

export interface Listing<Row, Out> {
	fetch: (page: PageRequest) => Promise<ListAnswer<Row>>;
	page: PageRequest & { pageSize: number };
	/** What a row is known by. */
	id: (row: Row) => string;
	/** Applied to each row at once, so that raw rows are not kept; undefined leaves the row out. */
	shape: (row: Row) => Out | undefined;
	/** How many rows are wanted, after `shape` has left some out; without it, all of them. */
	limit?: number | undefined;
	/** Whether `shape` may leave rows out; then it is unknown how many pages a limit takes. */
	filters?: boolean;
	/**
	 * Asked after each page: about how many more are wanted, so that no others are read ahead. Nought
	 * ends the reading.
	 */
	pagesLeft?: (rows: readonly Row[]) => number;
	/** How many pages it took a moment ago: where the first one is full, the others go at once. */
	pagesBefore?: number | undefined;
	/** How many pages may be under way at once; it can change while the list is read. */
	parallel: () => number;
	/** Tells the user what was left out. */
	warn: (words: string) => void;
	/**
	 * What to throw when the service answers every page with the same rows. Without it the list
	 * ends there.
	 */
	mustPage?: () => Error;
	/**
	 * For whom a row that was not seen matters: told when the list broke off before rows that the
	 * service counts. Without it the user is warned.
	 */
	brokeOff?: (broken: BrokenOff<Out>) => Promise<void> | void;
}

const MOST_PASSES = 5;
/** So many pages are read ahead at least where a count says that there are more. */
const AHEAD = 16;
/** And later on so many for each that has been read. */
const GROWTH = 3;

/**
 * The answers to `request` for page 1, 2, 3 …, in order. `last` says before each page up to which
 * one pages may be under way at once.
 */
async function* inOrder<Answer>(
	request: (page: number) => Promise<Answer>,
	last: (page: number) => number,
	parallel: () => number,
): AsyncGenerator<Answer, void> {
	const underWay: Array<Promise<Answer>> = [];
	try {
		for (let page = 1; ; page++) {
			const end = Math.max(page, Math.min(last(page), page + parallel() - 1));
			while (page + underWay.length <= end) {
				const answer = request(page + underWay.length);
				// An error is handled where the page is awaited; until then Node must not call it unhandled.
				answer.catch(() => undefined);
				underWay.push(answer);
			}
			const answer = await underWay[0];
			underWay.shift();
			if (answer !== undefined) yield answer;
		}
	} finally {
		// When this ends, no request is under way any more, also after an error.
		await Promise.allSettled(underWay);
	}
}

/**
 * The keys by which repeated rows are recognised. For a row without an ID it is the whole row, or a
 * service that repeats its last page would never come to an end. Two such rows on one page are
 * numbered, so that both are kept.
 */
function keysOf<Row>(rows: readonly Row[], id: (row: Row) => string): string[] {
	const nameless = new Map<string, number>();
	return rows.map((row) => {
		const known: unknown = id(row);
		if (typeof known === 'string' && known !== '') return known;
		const words = JSON.stringify(row);
		const nth = (nameless.get(words) ?? 0) + 1;
		nameless.set(words, nth);
		return `${words}#${nth}`;
	});
}

/** One reading of the list, from its first page on. */
export interface Pass<Out> {
	/** What `shape` made of each row, by the row's key. */
	rows: Map<string, Out | undefined>;
	/**
	 * The keys of rows that have the ID of another and say something else. On one page they are two
	 * for certain; on two they may be the same, which was changed meanwhile.
	 */
	others: Map<string, { isCertain: boolean }>;
	reading: Reading;
	/** It stopped before the end of the list, since nothing more was wanted. */
	isCut: boolean;
	dropped: number;
	/** What the service said instead of giving out the last page. */
	refusal?: unknown;
}

function otherKey(key: string, out: unknown): string {
	return `${key}\n${JSON.stringify(out)}`;
}

export async function readOnce<Row, Out>(
	listing: Listing<Row, Out>,
	learned?: Learned,
): Promise<Pass<Out>> {
	const { fetch, id, shape, limit, pagesBefore = 0, parallel, mustPage } = listing;
	const pass: Pass<Out> = {
		rows: new Map(),
		others: new Map(),
		reading: startReading(listing.page.pageSize, learned),
		isCut: false,
		dropped: 0,
	};
	let kept = 0;
	let left = Infinity;

	const ask = async (page: number, pageSize: number) =>
		await fetch({ ...listing.page, page, pageSize }).then(contentOf, orRefused(page));
	const pages = inOrder(
		async (page) => await ask(page, pass.reading.asking),
		(page) => lastWorthAsking(pass.reading, page, parallel(), pagesLeft(), pagesBefore),
		parallel,
	);
	const pagesLeft = () => {
		if (limit === undefined) return Math.max(left, pagesBefore - pass.reading.page);
		// It is unknown how many pages they take.
		return listing.filters ? 1 : Math.ceil((limit - kept) / pass.reading.size);
	};

	let number = 0;
	for await (const answer of pages) {
		const { rows, ...content } = answer;
		if ('refusal' in answer) pass.refusal = answer.refusal;
		const keys = keysOf(rows, id);
		const before = new Set(keys.filter((key) => pass.rows.has(key)));
		const repeated = keys.filter((key) => before.has(key)).length;
		// A page that is answered again brings no others, unless the service counts them.
		const mayBeOthers =
			limit === undefined && (repeated < rows.length || pass.rows.size < (pass.reading.total ?? 0));
		for (const [index, row] of rows.entries()) {
			let key = keys[index] ?? '';
			const isCertain = !before.has(key);
			if (!isCertain && !mayBeOthers) continue;
			const out = shape(row);
			if (pass.rows.has(key)) {
				const other = otherKey(key, out);
				if (other === otherKey(key, pass.rows.get(key)) || pass.rows.has(other)) continue;
				key = other;
				pass.others.set(key, { isCertain });
			}
			pass.rows.set(key, out);
			if (out !== undefined) kept += 1;
		}
		// A page that is answered again brings no others.
		if (rows.length === 0 || repeated < rows.length) pass.dropped += content.dropped;
		pass.reading = turnPage(pass.reading, {
			...content,
			number: ++number,
			rows: rows.length,
			repeated,
		});
		left = listing.pagesLeft?.(rows) ?? Infinity;
		pass.isCut = (limit !== undefined && kept >= limit) || left === 0;
		const { isEnd, isRepeat, isResized } = pass.reading;
		if (pass.isCut || isEnd || isRepeat || isResized) break;
	}
	if (mustPage !== undefined && pass.reading.isStuck && !pass.isCut) {
		const again = async (page: number, pageSize: number) =>
			keysOf((await ask(page, pageSize)).rows, id);
		if (await ignoresPages(pass.rows.size, again)) throw mustPage();
	}
	return pass;
}

/** How far to read ahead from a page on: to where the list should end, and not further. */
function lastWorthAsking(
	{ size, total, isFull }: Reading,
	page: number,
	parallel: number,
	left: number,
	before: number,
): number {
	// The first page shows what the others are like. A short page is most likely the last.
	if (page === 1 || !isFull) return page;
	const read = page - 1;
	// Not all at once: if the count is wrong, or there is none, few are asked for in vain.
	const ahead = total === undefined ? read : Math.max(AHEAD, GROWTH * read, before - read);
	// A full last page does not show that the list ends there; one more does.
	const counted = total === undefined ? Infinity : Math.floor(total / size) + 1;
	return Math.min(counted, read + Math.min(parallel, ahead, left));
}

/** A pass is whole when nothing moved, and it has as many rows as the service counts. */
export function isWhole({ reading, isCut }: Pass<unknown>): boolean {
	return !reading.hasMoved && (isCut || !countsMore(reading));
}

/**
 * Both passes saw the same rows in the same order. A row that a move hid from one of them would be
 * seen in the other, or the row that hid it would be missing there.
 */
function areAlike(a: Pass<unknown>, b: Pass<unknown>): boolean {
	const others = [...b.rows.keys()];
	return a.rows.size === b.rows.size && [...a.rows.keys()].every((key, at) => key === others[at]);
}

function missingWords(seen: number, total: number): string {
	return `Payments Gateway: the service counts ${total} rows of the list and gave out ${seen}, so some may be missing`;
}

export async function list<Row, Out>(listing: Listing<Row, Out>): Promise<Out[]> {
	const { limit } = listing;
	// With a limit it is enough to have that many rows, even if the list moved.
	const isDone = (pass: Pass<Out>) =>
		limit === undefined
			? isWhole(pass)
			: !pass.reading.isResized &&
				(pass.isCut || !(pass.reading.hasMoved || pass.reading.isBrokenOff));
	let pass = await readOnce(listing);
	let alike = 0;
	let isSettled = false;
	for (let passes = 1; passes < MOST_PASSES && !isDone(pass); passes++) {
		const again = await readOnce(listing, pass.reading);
		alike = !again.reading.isResized && areAlike(pass, again) ? alike + 1 : 0;
		// A list whose count changed on the way can hide the same row twice, and not three times.
		const isRecounted = pass.reading.isRecounted || again.reading.isRecounted;
		isSettled = alike >= (isRecounted ? 2 : 1);
		// As long as no pass is whole, rows that only an earlier one saw are kept.
		if (limit === undefined && !isWhole(again)) {
			for (const [key, row] of pass.rows) {
				if (!again.rows.has(key) && !pass.others.has(key)) again.rows.set(key, row);
			}
		}
		pass = again;
		if (isSettled) break;
	}
	if (pass.reading.hasMoved && !isSettled) {
		for (const [key, { isCertain }] of pass.others) if (!isCertain) pass.rows.delete(key);
	}
	if (pass.dropped > 0) listing.warn(droppedWords(pass.dropped));
	const found: Out[] = [];
	for (const row of pass.rows.values()) if (row !== undefined) found.push(row);
	if (!pass.isCut && countsMore(pass.reading)) {
		const { isBrokenOff, total = 0 } = pass.reading;
		const seen = pass.rows.size + pass.dropped;
		if (pass.refusal !== undefined) throw pass.refusal;
		if (listing.brokeOff === undefined) {
			if (seen < total) listing.warn(missingWords(seen, total));
		} else if (isBrokenOff) {
			await listing.brokeOff({ found, isEmpty: seen === 0, total });
		}
	}
	return limit === undefined ? found : found.slice(0, limit);
}
