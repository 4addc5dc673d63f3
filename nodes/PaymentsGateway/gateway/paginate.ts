import type { ListAnswer, PageRequest } from './types';

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
	/** How many are wanted, of what shape has left. */
	limit?: number;
	/** Whether shape may leave rows out, so that nobody knows how many pages a limit takes. */
	filters?: boolean;
	/** The listing is past what is wanted. */
	isPast?: (rows: readonly Row[]) => boolean;
	/** Pages under way at once. */
	parallel: number;
}

const MOST_PASSES = 5;

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
}

function idOf<Row>(row: Row, id: (row: Row) => string): string {
	const known: unknown = id(row);
	// A row without an ID is known by all it says, or a server that repeats it would never end.
	return typeof known === 'string' && known !== '' ? known : JSON.stringify(row);
}

function count(value: unknown): number | undefined {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** What the answer shows of the size that the service serves, when more rows are to come. */
function servedSize(asked: number, answer: ListAnswer<unknown>, rest: number | undefined): number {
	const here = answer.data.length;
	if (here === 0 || here >= asked || rest === 0) return asked;
	const said = count(answer.page?.pageSize);
	if (said !== undefined && said >= here && said < asked) return said;
	return rest !== undefined && rest > 0 ? here : asked;
}

async function readPass<Row, Out>(listing: Listing<Row, Out>, asked: number): Promise<Pass<Out>> {
	const { fetch, id, shape, limit, isPast, parallel } = listing;
	const rows = new Map<string, Out | undefined>();
	let kept = 0;
	let pageSize = asked;
	let total: number | undefined;
	let moved = false;
	let resized = false;
	let cut = false;
	let ended = false;
	let wasShort = false;
	let longest = 0;
	/** The page at which the list should end. */
	let lastPage = 1;

	const learnSize = (page: number, answer: ListAnswer<Row>) => {
		const here = answer.data.length;
		// A total below what has come already is worth nothing.
		const rest =
			total !== undefined && total >= rows.size + here ? total - rows.size - here : undefined;
		longest = Math.max(longest, here);
		if (page === 1) {
			pageSize = servedSize(asked, answer, rest);
		} else if (here > 0 && (wasShort || page < lastPage)) {
			const served = wasShort ? longest : servedSize(pageSize, answer, rest);
			resized = served < pageSize;
			pageSize = served;
			// A page after a short one: rows went to the pages before it meanwhile.
			moved ||= wasShort;
		}
	};

	const take = (page: number, answer: ListAnswer<Row>) => {
		const said = count(answer.page?.total);
		if (page > 1 && said !== total) moved = true;
		total = said;
		learnSize(page, answer);
		const before = rows.size;
		for (const row of answer.data) {
			const key = idOf(row, id);
			if (rows.has(key)) {
				moved = true;
				continue;
			}
			const out = shape(row);
			rows.set(key, out);
			if (out !== undefined) kept += 1;
		}
		wasShort = answer.data.length < pageSize;
		if (total !== undefined) lastPage = Math.max(lastPage, Math.ceil(total / pageSize));
		cut = (limit !== undefined && kept >= limit) || (isPast?.(answer.data) ?? false);
		ended =
			cut ||
			resized ||
			rows.size === before ||
			(wasShort && page >= lastPage && (page > 1 || total === rows.size));
	};

	/** How far to read ahead from this page on: to where the list should end, and not further. */
	const horizon = (page: number): number => {
		// A full last page does not show that the list ends there; one more does.
		const isFull = total !== undefined && total % pageSize === 0;
		const expected = total === undefined ? page + parallel - 1 : isFull ? lastPage + 1 : lastPage;
		if (limit === undefined) return expected;
		if (listing.filters) return page;
		return Math.min(expected, page - 1 + Math.ceil((limit - kept) / pageSize));
	};

	const read = async (page: number) => await fetch({ ...listing.page, page, pageSize });
	take(1, await read(1));
	const ahead = new Map<number, Promise<ListAnswer<Row>>>();
	try {
		for (let page = 2; !ended; page++) {
			const end = Math.max(page, Math.min(horizon(page), page + parallel - 1));
			for (let next = page; next <= end; next++) {
				if (ahead.has(next)) continue;
				const answer = read(next);
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
	return { rows, pageSize, resized, moved, cut, total };
}

/** A pass is whole when nothing moved, and it holds as many rows as the service speaks of. */
function isWhole({ rows, moved, resized, cut, total }: Pass<unknown>): boolean {
	return !moved && !resized && (cut || total === undefined || rows.size >= total);
}

function same(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
	return a.size === b.size && [...a.keys()].every((key) => b.has(key));
}

export async function list<Row, Out>(listing: Listing<Row, Out>): Promise<Out[]> {
	const isPart = listing.limit !== undefined;
	let pass = await readPass(listing, listing.page.pageSize);
	for (let passes = 1; passes < MOST_PASSES; passes++) {
		// Who wants some rows of a list does not mind that it moves.
		if (isPart ? !pass.resized : isWhole(pass)) break;
		const again = await readPass(listing, pass.pageSize);
		const isSettled = !again.resized && same(pass.rows, again.rows);
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
