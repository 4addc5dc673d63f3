import type { ListAnswer } from '../wire';
import { isObject, textOf, valueAt, wholeOf } from '../wire/json';
import { httpStatusOf } from './errors';

/**
 * Reads one page of a list: its rows, and how many the gateway counts in the whole list. A page size
 * that is refused as too large, and a page behind the last one, are dealt with here for everybody.
 */

export interface Page<Row> {
	rows: Row[];
	/** How many entries are no objects (`null`, text, …). They are left out. */
	dropped: number;
	/** How many rows the whole list has, where the gateway says so. */
	total: number | undefined;
}

export function pageOf<Row>({ data, page }: ListAnswer<Row>): Page<Row> {
	const rows = data.filter(isObject).map(idAsText);
	const total = wholeOf(valueAt(page, 'total'));
	const isCount = total !== undefined && total >= data.length;
	return { rows, dropped: data.length - rows.length, total: isCount ? total : undefined };
}

/** An ID may come as a number. */
function idAsText<Row>(row: Row): Row {
	return isObject(row) && typeof row.id === 'number' ? { ...row, id: textOf(row.id) } : row;
}

export function droppedWords(dropped: number): string {
	return `Payments Gateway: ${dropped} rows of the list were left out because they are no records (null, text or the like)`;
}

/** The sizes to ask by where the gateway refuses more rows a page. Ten is its own default. */
const SMALLER_PAGES = [50, 10];
const REFUSES_SIZE: ReadonlySet<string> = new Set(['400', '413', '422']);
const REFUSES_NUMBER: ReadonlySet<string> = new Set(['400', '404', '416', '422']);

/**
 * Reads a page; one behind the last is empty. `ask` is given the size to ask for. A page 1 that is
 * refused as too large is asked for by 50 rows, and then by ten; the caller keeps what was accepted.
 */
export async function readPage<Row>(
	page: number,
	pageSize: number,
	ask: (pageSize: number) => Promise<ListAnswer<Row>>,
): Promise<Page<Row>> {
	const askBy = async (size: number): Promise<ListAnswer<Row>> =>
		await ask(size).catch(async (refusal: unknown) => {
			const status = httpStatusOf(refusal);
			if (page > 1 && REFUSES_NUMBER.has(status)) return { data: [] };
			const smaller = SMALLER_PAGES.find((each) => each < size);
			if (page > 1 || smaller === undefined || !REFUSES_SIZE.has(status)) throw refusal;
			// If each size is refused, the size was not the reason, and the first error says it best.
			return await askBy(smaller).catch((error: unknown) =>
				Promise.reject(REFUSES_SIZE.has(httpStatusOf(error)) ? refusal : error),
			);
		});
	return pageOf(await askBy(pageSize));
}
