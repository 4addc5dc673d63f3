import type { ListAnswer } from '../wire';
import { isObject, textOf, valueAt, wholeOf } from '../wire/json';
import { httpStatusOf } from './errors';

/** Reads one page of a list, even if the gateway refuses its size or its number. */

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
const isSizeRefused = (error: unknown) => SIZE_REFUSED.has(httpStatusOf(error));
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
	const retrySmaller = async (refusal: unknown): Promise<PageRead<Row>> => {
		const smaller = SMALLER_SIZES.find((size) => size < pageSize);
		if (smaller === undefined || !isSizeRefused(refusal)) throw refusal;
		return await readPage(1, smaller, ask).catch((error: unknown) =>
			// If every size is refused, the size was not the reason. The first error says it best.
			Promise.reject(isSizeRefused(error) ? refusal : error),
		);
	};
	const endOfList = (refusal: unknown): PageRead<Row> => {
		if (!NUMBER_REFUSED.has(httpStatusOf(refusal))) throw refusal;
		return { rows: [], dropped: 0, total: undefined, pageSize };
	};
	return await ask(pageSize)
		.then((answer) => ({ ...pageOf(answer), pageSize }))
		.catch(number === 1 ? retrySmaller : endOfList);
}
