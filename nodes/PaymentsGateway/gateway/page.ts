import type { ListAnswer } from '../wire';
import { isObject, textOf, valueAt, wholeOf } from '../wire/json';
import { httpStatusOf } from './errors';

/** Reads the pages of a list, even if the gateway refuses the size or the number of one. */

export interface Page<Row> {
	rows: Row[];
	/** How many entries were left out because they are not objects (null, text, …). */
	dropped: number;
	/** How many rows the whole list has, if the gateway counts them. */
	total: number | undefined;
}

/** `pageSize`: the size that the gateway has accepted. */
export type PageRead<Row> = Page<Row> & { pageSize: number };

export function pageOf<Row>({ data, page }: ListAnswer<Row>): Page<Row> {
	const rows = data.filter(isObject).map(withTextId);
	const total = wholeOf(valueAt(page, 'total'));
	const isCount = total !== undefined && total >= data.length;
	return { rows, dropped: data.length - rows.length, total: isCount ? total : undefined };
}

/** An ID may be a number. */
function withTextId<Row>(row: Row): Row {
	return isObject(row) && typeof row.id === 'number' ? { ...row, id: textOf(row.id) } : row;
}

export function droppedRowsWarning(dropped: number): string {
	return `Payments Gateway: ${dropped} rows of the list were left out because they are not records (null, text or similar)`;
}

/** Sizes to try if the gateway refuses more rows. Ten is its own default, which it should accept. */
const SMALLER_SIZES = [50, 10];
const SIZE_REFUSED: ReadonlySet<string> = new Set(['400', '413', '422']);
const NUMBER_REFUSED: ReadonlySet<string> = new Set(['400', '404', '416', '422']);

/**
 * `ask` gets the page size to ask for. If the gateway refuses the size of page 1, smaller ones are
 * tried. A later page that is refused is past the end, and reads as empty.
 */
export async function readPage<Row>(
	number: number,
	pageSize: number,
	ask: (pageSize: number) => Promise<ListAnswer<Row>>,
): Promise<PageRead<Row>> {
	const smaller = number === 1 ? SMALLER_SIZES.filter((size) => size < pageSize) : [];
	let firstRefusal: unknown;
	for (const size of [pageSize, ...smaller]) {
		const page = await ask(size).then(pageOf, (error: unknown) => {
			const status = httpStatusOf(error);
			if (number > 1 && NUMBER_REFUSED.has(status)) return pageOf<Row>({ data: [] });
			if (!SIZE_REFUSED.has(status)) throw error;
			firstRefusal ??= error;
			return undefined;
		});
		if (page !== undefined) return { ...page, pageSize: size };
	}
	// If every size is refused, the size was not the reason. The first error says it best.
	throw firstRefusal;
}

interface PageSource<P> {
	ask: (number: number) => Promise<P>;
	/** The last page to request ahead. It changes with what was read. */
	lastToAsk: () => number;
	/** Whether the gateway may have built this page before the previous one. It is then read once more. */
	isStale: (page: P) => boolean;
}

/**
 * Reads the pages of a list in order. After page 1, several are requested ahead of the reader. Ends only
 * when the reader stops. By then, no request is in flight, even after an error.
 */
export async function* readPages<P>(source: PageSource<P>): AsyncGenerator<P, never> {
	const { ask, lastToAsk, isStale } = source;
	/** Pages requested ahead, in order: the first is the one the reader takes next. */
	const inFlight: Array<Promise<P>> = [];
	const read = async (number: number): Promise<P> => {
		for (let ahead = number + inFlight.length; ahead <= lastToAsk(); ahead++) {
			const page = ask(ahead);
			// The error is handled when the reader comes to this page. Node must not report it before.
			page.catch(() => undefined);
			inFlight.push(page);
		}
		return await (inFlight.shift() ?? ask(number));
	};
	try {
		for (let number = 1; ; number++) {
			let page = await read(number);
			if (isStale(page)) {
				// The pages that were requested with it may be as old.
				await Promise.allSettled(inFlight.splice(0));
				page = await read(number);
			}
			yield page;
		}
	} finally {
		await Promise.allSettled(inFlight);
	}
}
