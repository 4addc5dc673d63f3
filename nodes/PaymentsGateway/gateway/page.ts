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
	/** How many rows a full page has, where the gateway says so. */
	size?: number;
}

export function pageOf<Row>({ data, page }: ListAnswer<Row>): Page<Row> {
	const rows = data.filter(isObject).map(idAsText);
	const total = wholeOf(valueAt(page, 'total'));
	const isCount = total !== undefined && total >= data.length;
	const size = wholeOf(valueAt(page, 'pageSize'));
	return {
		rows,
		dropped: data.length - rows.length,
		total: isCount ? total : undefined,
		...(size !== undefined && size >= Math.max(1, data.length) && { size }),
	};
}

/** An ID may come as a number. */
function idAsText<Row>(row: Row): Row {
	return isObject(row) && typeof row.id === 'number' ? { ...row, id: textOf(row.id) } : row;
}

export function droppedWords(dropped: number): string {
	return `Payments Gateway: ${dropped} rows of the list were left out because they are no records (null, text or the like)`;
}

const REFUSES_PAGE: ReadonlySet<string> = new Set(['400', '404', '416', '422']);

/** A page behind the last one may be refused. */
export function isNoSuchPage(page: number, error: unknown): boolean {
	return page > 1 && REFUSES_PAGE.has(httpStatusOf(error));
}

/** The gateway's own default, which it cannot refuse. */
export const SMALLEST_PAGE = 10;

export const USUAL_CAPS: ReadonlySet<number> = new Set([
	10, 15, 20, 25, 30, 40, 50, 75, 100, 200, 250, 500,
]);

const TOO_LARGE: ReadonlySet<string> = new Set(['400', '413', '422']);

/** A page of so many rows may be refused, instead of being answered with fewer. */
export function isTooLarge(pageSize: number, error: unknown): boolean {
	return pageSize > SMALLEST_PAGE && TOO_LARGE.has(httpStatusOf(error));
}

/** Asks for a first page, and by ten rows where it is refused as too large. */
export async function askOnTop<A>(
	pageSize: number,
	ask: (pageSize: number) => Promise<A>,
): Promise<A> {
	return await ask(pageSize).catch(async (refusal: unknown) => {
		if (!isTooLarge(pageSize, refusal)) throw refusal;
		// What is refused for another reason is told in the words of the first answer.
		return await ask(SMALLEST_PAGE).catch(() => {
			throw refusal;
		});
	});
}

/** Reads a page; one behind the last is empty. `ask` is given the size to ask for. */
export async function readPage<Row>(
	page: number,
	pageSize: number,
	ask: (pageSize: number) => Promise<ListAnswer<Row>>,
): Promise<Page<Row>> {
	if (page === 1) return pageOf(await askOnTop(pageSize, ask));
	return await ask(pageSize).then(pageOf, (refusal: unknown) => {
		if (!isNoSuchPage(page, refusal)) throw refusal;
		return pageOf<Row>({ data: [] });
	});
}
