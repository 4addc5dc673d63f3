import type { ListAnswer } from '../wire';
import { isObject, valueAt } from '../wire/json';
import { statusOf } from './errors';

/**
 * What the pages of a list show of it: how many rows a full page has, where the list ends, and
 * whether it moved while it was read. The step is pure: what is known before a page, and the page,
 * give what is known after it. `paginate.ts` reads several pages ahead with it, the trigger one
 * after another.
 */

/** The service's default page size. One that serves fewer rows is expected to say so. */
export const DEFAULT_SIZE = 10;
/** Pages in a row without a single record, after which a list is taken to be over. */
const MOST_PAGES_WITHOUT_RECORDS = 10;

export interface Content<Row> {
	rows: Row[];
	/** How many entries are no objects (`null`, text, …). They are left out. */
	dropped: number;
	/** Rows on a full page, as the answer states it. */
	saidSize: number | undefined;
	total: number | undefined;
}

/** A count as the service says it; some write numbers as text. */
function count(value: unknown): number | undefined {
	const said = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
	return typeof said === 'number' && Number.isSafeInteger(said) && said >= 0 ? said : undefined;
}

export function contentOf<Row>({ data, page }: ListAnswer<Row>): Content<Row> {
	const rows = data.filter(isObject);
	// A real service may leave these out, or say something else than it should.
	const saidSize = count(valueAt(page, 'pageSize'));
	return {
		rows,
		dropped: data.length - rows.length,
		// More rows than the stated page size show that it is something else.
		saidSize: saidSize !== undefined && saidSize >= Math.max(1, data.length) ? saidSize : undefined,
		total: count(valueAt(page, 'total')),
	};
}

/** A page that the service refuses to give out. */
export const NO_PAGE: Content<never> = {
	rows: [],
	dropped: 0,
	saidSize: undefined,
	total: undefined,
};

const NO_SUCH_PAGE: ReadonlySet<unknown> = new Set(['400', '404', '416', '422']);

/**
 * Whether an error can mean that there is no such page: some services refuse what lies after the
 * last one. It ends the list, unless the count says that rows are there.
 */
export function isRefusedPage(page: number, error: unknown): boolean {
	return page > 1 && NO_SUCH_PAGE.has(statusOf(error));
}

/** A refused page counts as one without rows; any other error is thrown. */
export function orRefused(page: number) {
	return (refusal: unknown) => {
		if (!isRefusedPage(page, refusal)) throw refusal;
		return { ...NO_PAGE, refusal };
	};
}

/** The service counts rows that were not seen. */
export function countsMore({ total, reached }: Pick<Reading, 'total' | 'reached'>): boolean {
	return total !== undefined && reached < total;
}

export function droppedWords(dropped: number): string {
	return `Payments Gateway: ${dropped} rows of the list were left out because they are no records (null, text or the like)`;
}

/** What one page brought. */
interface PageFacts extends Omit<Content<unknown>, 'rows'> {
	number: number;
	/** Records on it. */
	rows: number;
	/** How many of them stood on an earlier page of the same run of pages. */
	repeated: number;
	/** Its rows belong before those of the last page, by their order: pages became smaller. */
	isTooHigh?: boolean;
}

export interface Reading {
	/** The page size that the caller wants. */
	readonly wanted: number;
	/** The page size to ask for: less than wanted where the service serves less. */
	readonly asking: number;
	/** Rows on a full page. */
	readonly size: number;
	/** The size is that of a short first page; the next page shows whether more come that way. */
	readonly isGuess: boolean;
	/** The page read last, 0 before the first. */
	readonly page: number;
	/** It had as many rows as a full page. */
	readonly isFull: boolean;
	/** The page that this run of neighbouring pages began with, and whether that one was full. */
	readonly start: number;
	readonly isStartFull: boolean;
	/** How many rows of the list are seen, or lie above the first page of the run. */
	readonly reached: number;
	/** The service's count of all rows, where that can be true. */
	readonly total: number | undefined;
	/** Fewer rows were counted than were seen: the count is of something else. */
	readonly isTotalWrong: boolean;
	/** Pages counted the list differently. */
	readonly isRecounted: boolean;
	/** Nothing follows the last page. */
	readonly isEnd: boolean;
	/**
	 * The list ended where none ends: after a full page, or before the first row, although the service
	 * counts more rows. A count that is merely too high hardly ever looks like that.
	 */
	readonly isBrokenOff: boolean;
	/** The last page brought nothing new. */
	readonly isRepeat: boolean;
	/** Every page so far was the same one: perhaps the service ignores the page number. */
	readonly isStuck: boolean;
	/** Pages got another size, so their numbers no longer mean the same rows: begin anew. */
	readonly isResized: boolean;
	/** How often that was so, from `UNEVEN` on because the service leaves rows out of its pages. */
	readonly resizes: number;
	/** Rows came or went between the pages of this run. */
	readonly hasMoved: boolean;
	/** Pages in a row without a record that was not seen before. */
	readonly pagesWithoutNews: number;
}

/** What an earlier reading of the same list has found out. */
export type Learned = Pick<Reading, 'asking' | 'isTotalWrong' | 'resizes'>;

/** Pages that keep changing their size are taken as they come: a short one says nothing. */
const UNEVEN = 2;

export function startReading(
	wanted: number,
	{ asking = wanted, isTotalWrong = false, resizes = 0 }: Partial<Learned> = {},
): Reading {
	return {
		wanted,
		asking,
		size: asking,
		isGuess: false,
		page: 0,
		isFull: true,
		start: 1,
		isStartFull: true,
		reached: 0,
		total: undefined,
		isTotalWrong,
		isRecounted: false,
		isEnd: false,
		isBrokenOff: false,
		isRepeat: false,
		isStuck: false,
		isResized: false,
		resizes,
		hasMoved: false,
		pagesWithoutNews: 0,
	};
}

type Sizes = Pick<Reading, 'asking' | 'size' | 'isGuess'>;

function served(size: number, isGuess = false): Sizes {
	return { asking: size, size, isGuess };
}

/** What the first page shows of the size. */
function sizeByFirst(before: Reading, { rows, dropped, saidSize, total }: PageFacts): Sizes {
	const { asking, isGuess } = before;
	const length = rows + dropped;
	const asBefore: Sizes = isGuess ? served(before.wanted) : { asking, size: asking, isGuess };
	if (length === 0) return asBefore;
	// It serves more than was asked for, and would perhaps refuse to be asked for so much.
	if (length > asking) return { asking, size: length, isGuess: false };
	if (saidSize !== undefined && saidSize < asking) return served(saidSize);
	if (length === asking) return { asking, size: asking, isGuess: false };
	// The total is larger, or a count of this page alone: the page may be a full one.
	const isAll = total === length && (saidSize !== undefined || length < DEFAULT_SIZE);
	return isAll ? asBefore : served(length, true);
}

/** What a later page shows of the size. */
function sizeByLater(before: Reading, turned: PageFacts, isNext: boolean): Sizes {
	const { asking, size, isGuess } = before;
	const { rows, dropped, repeated, saidSize } = turned;
	const length = rows + dropped;
	if (length === 0) return isGuess ? served(before.wanted) : { asking, size, isGuess };
	// Smaller pages begin further up in the list, so the first such page holds rows seen before. A
	// service that merely says how many rows the page has repeats none.
	const fell = saidSize !== undefined && saidSize < size && (!isNext || repeated > 0);
	if (fell) return served(saidSize);
	return { asking, size, isGuess: isGuess && repeated === rows };
}

/** What is known of the list once one more page was read. */
export function turnPage(before: Reading, turned: PageFacts): Reading {
	const { number, rows, dropped, repeated, saidSize } = turned;
	const length = rows + dropped;
	const isNext = number === before.page + 1;
	const isUneven = before.resizes >= UNEVEN;
	const sizes = isUneven
		? served(before.wanted)
		: number === 1
			? sizeByFirst(before, turned)
			: sizeByLater(before, turned, isNext);
	const { size, isGuess } = sizes;
	const hasNews = rows > repeated || length === 0;
	const pagesWithoutNews = hasNews ? 0 : isNext ? before.pagesWithoutNews + 1 : 1;
	// One repeated page is a repeat. Where entries were left out, its few records may just have moved
	// down by one page, so it takes two.
	const enough = rows === 0 ? MOST_PAGES_WITHOUT_RECORDS + 1 : dropped === 0 ? 1 : 2;
	const isRepeat = isNext && pagesWithoutNews >= enough;
	const isFull = length >= size;

	// Entries that were left out cannot be compared. Beside repeated rows they may be repeats as well.
	const added = repeated === 0 ? length : rows - repeated;
	const reached = isNext ? before.reached + added : (number - 1) * size + length;
	const known = turned.total ?? before.total;
	const isTotalWrong =
		before.isTotalWrong || (length > 0 && known !== undefined && known < reached);
	// On a full first page, a total that equals its rows may be a count of that page alone.
	const isOfPage = number === 1 && isFull && known === length && length > 0;
	const total = isTotalWrong || isOfPage ? undefined : known;
	const isAll = total === reached;
	// Where rows have moved, the page's place tells more than how many different rows were seen.
	const isLastPlace =
		isAll || (repeated === 0 && before.isFull && total === (number - 1) * size + length);

	// If the service served no more than that, the next page would have other rows. So it leaves rows
	// out, or has no other page: asking for pages as large as wanted will tell.
	const isWrongSize =
		number === 2 &&
		before.asking < before.wanted &&
		repeated === rows &&
		(rows > 0 ? total !== reached : length === 0 && countsMore({ total, reached }));
	const isResized =
		isWrongSize ||
		(number > 1 && !before.isGuess && size !== before.size) ||
		(isNext && !isUneven && turned.isTooHigh === true);
	const resizes = before.resizes + (isWrongSize ? UNEVEN : isResized ? 1 : 0);
	const start = isNext ? before.start : number;
	const isStartFull = isNext ? before.isStartFull : number === 1 || isFull;
	const isOver =
		!isFull && !isGuess && !isResized && isLastPlace && isStartFull && length !== saidSize;
	const isRecountedHere =
		total !== undefined && before.total !== undefined && total !== before.total;
	// Rows that were seen twice have a place all the same.
	const passed = length === 0 ? (number - 1) * size : reached;
	const isCounted = countsMore({ total, reached: passed });
	const isBehindFull = before.isFull && !before.isGuess && (isNext || number === 1);
	const followsShort = !before.isFull && length > 0;
	return {
		...(isResized && resizes >= UNEVEN ? served(before.wanted) : sizes),
		wanted: before.wanted,
		page: number,
		isFull,
		start,
		isStartFull,
		reached,
		total,
		isTotalWrong,
		isRecounted: before.isRecounted || isRecountedHere,
		isEnd: length === 0 || isOver,
		isBrokenOff: (length === 0 || isRepeat) && isBehindFull && isCounted,
		isRepeat,
		isStuck: isRepeat && number === start + pagesWithoutNews && (isFull || isUneven),
		isResized,
		resizes,
		hasMoved:
			isResized ||
			(isNext &&
				(before.hasMoved ||
					isRecountedHere ||
					(!(isRepeat && isAll) && (repeated > 0 || followsShort)))),
		pagesWithoutNews,
	};
}

/**
 * Whether page 2 is the same as page 1 although pages are so small that it cannot be. A list whose
 * last page is answered again looks like one whose page numbers are ignored, until this is asked.
 * Page 2 comes first, so that rows which arrive meanwhile do not make the two alike.
 */
export async function ignoresPages<Key>(
	rows: number,
	keysOfPage: (page: number, pageSize: number) => Promise<readonly Key[]>,
): Promise<boolean> {
	if (rows < 2) return false;
	const half = Math.ceil(rows / 2);
	const [second] = await keysOfPage(2, half);
	const [first] = await keysOfPage(1, half);
	return first !== undefined && first === second;
}
