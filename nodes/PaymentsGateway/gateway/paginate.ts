import { sleep } from 'n8n-workflow';

import type { ListAnswer, PageRequest } from '../wire';

/**
 * Reads a list page by page: the first page alone, the others several at once, in order.
 *
 * Pages are cut anew for every request, so a list that moves while it is read can hide a row
 * between two pages. A pass that saw such a move is read again until one is clean.
 */
export interface Listing<Row, Out> {
	fetch: (page: PageRequest) => Promise<ListAnswer<Row>>;
	page: PageRequest & { pageSize: number };
	/** What a row is known by. */
	id: (row: Row) => string;
	/** What becomes of a row at once, so that raw rows are not kept; undefined leaves it out. */
	shape: (row: Row) => Out | undefined;
	/** How many are wanted, of what shape has left; all of them without it. */
	limit?: number | undefined;
	/** Whether shape may leave rows out, so that nobody knows how many pages a limit takes. */
	filters?: boolean;
	/** The listing is past what is wanted. */
	isPast?: (rows: readonly Row[]) => boolean;
	/** Pages under way at once. */
	parallel: number;
}

const MOST_PASSES = 5;
/**
 * Answers that come all at once hold up each other's next request, since n8n opens a connection for
 * every one of them. Requests a few milliseconds apart stay apart, and a list is read a sixth faster.
 */
const SPACING_MS = 4;

interface Pass<Out> {
	rows: Map<string, Out | undefined>;
	/** The size that the service really serves. */
	pageSize: number;
	/** It turned out smaller than asked for while reading, so pages and rows do not match. */
	resized: boolean;
	moved: boolean;
	/** It stopped where nothing more is wanted, before the end of the list. */
	cut: boolean;
	total: number | undefined;
	/** Pages named different totals. */
	recounted: boolean;
}

/**
 * What the rows of one page are known by. A row without an ID is known by all it says, or a server
 * that repeats it would never end; two of them on one page are two all the same.
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

/** A count as the service says it; some write numbers as text. */
function count(value: unknown): number | undefined {
	const said = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
	return typeof said === 'number' && Number.isSafeInteger(said) && said >= 0 ? said : undefined;
}

/** The smaller page size that an answer names, if it does. */
function saidSize(asked: number, { data, page }: ListAnswer<unknown>): number | undefined {
	const said = count(page?.pageSize);
	return said !== undefined && said > 0 && said >= data.length && said < asked ? said : undefined;
}

async function readPass<Row, Out>(listing: Listing<Row, Out>, asked: number): Promise<Pass<Out>> {
	const { fetch, id, shape, limit, isPast, parallel } = listing;
	const rows = new Map<string, Out | undefined>();
	let kept = 0;
	let pageSize = asked;
	let total: number | undefined;
	let moved = false;
	let recounted = false;
	let resized = false;
	let cut = false;
	let ended = false;
	let wasShort = false;
	let longest = 0;
	/** The page at which the list should end. */
	let lastPage = 1;

	const learnSize = (page: number, answer: ListAnswer<Row>) => {
		const here = answer.data.length;
		longest = Math.max(longest, here);
		if (here === 0 || here >= pageSize) return;
		const said = saidSize(pageSize, answer);
		if (page === 1) {
			const isMore = total !== undefined && total > here;
			if (total !== here) pageSize = said ?? (isMore ? here : asked);
		} else if (said !== undefined && page < lastPage) {
			resized = true;
			pageSize = said;
		}
	};

	const take = (page: number, answer: ListAnswer<Row>) => {
		const said = count(answer.page?.total);
		if (said !== undefined) {
			if (total !== undefined && said !== total) moved = recounted = true;
			total = said;
		}
		learnSize(page, answer);
		if (wasShort && answer.data.length > 0 && !resized) {
			// A page after a short one: pages are smaller than asked for, or rows have moved.
			moved = true;
			resized = longest < pageSize;
			pageSize = longest;
		}
		const before = rows.size;
		const keys = keysOf(answer.data, id);
		for (const [index, row] of answer.data.entries()) {
			const key = keys[index] ?? '';
			if (rows.has(key)) continue;
			const out = shape(row);
			rows.set(key, out);
			if (out !== undefined) kept += 1;
		}
		const isNew = rows.size > before;
		// Past the end of a list that is all there, some services answer a page again.
		const isRepeat = !isNew && rows.size === total;
		if (rows.size - before < answer.data.length && !isRepeat) moved = true;
		wasShort = answer.data.length < pageSize;
		if (total !== undefined) lastPage = Math.max(lastPage, Math.ceil(total / pageSize));
		cut = (limit !== undefined && kept >= limit) || (isPast?.(answer.data) ?? false);
		ended =
			cut ||
			resized ||
			!isNew ||
			(wasShort && page >= lastPage && (page > 1 || total === rows.size));
	};

	/** How far to read ahead from this page on: to where the list should end, and not further. */
	const horizon = (page: number): number => {
		// A short page is most likely the last, and the next one shows it.
		if (total === undefined && wasShort) return page;
		// A full last page does not show that the list ends there; one more does.
		const isFull = total !== undefined && total % pageSize === 0;
		const expected = total === undefined ? page + parallel - 1 : isFull ? lastPage + 1 : lastPage;
		if (limit === undefined) return expected;
		if (listing.filters) return page;
		return Math.min(expected, page - 1 + Math.ceil((limit - kept) / pageSize));
	};

	let took = 0;
	const read = async (page: number) => {
		const started = performance.now();
		const answer = await fetch({ ...listing.page, page, pageSize });
		took = performance.now() - started;
		return answer;
	};
	let turn: Promise<unknown> = Promise.resolve();
	const readInTurn = async (page: number) => {
		// Never so far apart that fewer than wanted are under way.
		if (page <= parallel + 1 || took <= parallel * SPACING_MS) return await read(page);
		const mine = turn;
		turn = turn.then(async () => await sleep(SPACING_MS));
		await mine;
		return await read(page);
	};
	take(1, await read(1));
	const ahead = new Map<number, Promise<ListAnswer<Row>>>();
	try {
		for (let page = 2; !ended; page++) {
			const end = Math.max(page, Math.min(horizon(page), page + parallel - 1));
			for (let next = page; next <= end; next++) {
				if (ahead.has(next)) continue;
				const answer = readInTurn(next);
				// Whoever awaits it hears of it; until then it must not end the process.
				answer.catch(() => undefined);
				ahead.set(next, answer);
			}
			const answer = await ahead.get(page);
			ahead.delete(page);
			if (answer) take(page, answer);
		}
	} finally {
		// Nothing is left running behind the caller's back, whatever became of it.
		await Promise.allSettled(ahead.values());
	}
	return { rows, pageSize, resized, moved, recounted, cut, total };
}

/** A pass is whole when nothing moved, and it holds as many rows as the service speaks of. */
function isWhole({ rows, moved, resized, cut, total }: Pass<unknown>): boolean {
	return !moved && !resized && (cut || total === undefined || rows.size >= total);
}

/** Both passes were told the same: what makes no sense in it is the service's way, and no move. */
function areAlike(a: Pass<unknown>, b: Pass<unknown>): boolean {
	if (a.recounted || b.recounted || a.total !== b.total || a.rows.size !== b.rows.size)
		return false;
	const others = [...b.rows.keys()];
	return [...a.rows.keys()].every((key, index) => key === others[index]);
}

export async function list<Row, Out>(listing: Listing<Row, Out>): Promise<Out[]> {
	const isPart = listing.limit !== undefined;
	let pass = await readPass(listing, listing.page.pageSize);
	for (let passes = 1; passes < MOST_PASSES; passes++) {
		// Who has got the rows that were wanted does not mind that the list moves.
		if (isPart ? !pass.resized && (pass.cut || !pass.moved) : isWhole(pass)) break;
		const again = await readPass(listing, pass.pageSize);
		const isSettled = !again.resized && areAlike(pass, again);
		// Until one is whole, a row that any of them saw was there.
		if (!isPart && !isWhole(again)) {
			for (const [key, row] of pass.rows) if (!again.rows.has(key)) again.rows.set(key, row);
		}
		pass = again;
		if (isSettled) break;
	}
	const found: Out[] = [];
	for (const row of pass.rows.values()) if (row !== undefined) found.push(row);
	return listing.limit === undefined ? found : found.slice(0, listing.limit);
}
