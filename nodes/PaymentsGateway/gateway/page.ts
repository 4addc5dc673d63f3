import type { ListAnswer } from '../wire';
import { isObject, textOf, valueAt, wholeOf } from '../wire/json';
import { httpStatusOf } from './errors';

/**
 * Reads one page of a list: its rows, and how many the gateway counts. A real service may leave out
 * or misstate what it says beside the rows, so only the rows themselves are relied on.
 */

export interface Page<Row> {
	rows: Row[];
	/** How many entries are no objects (`null`, text, …). They are left out. */
	dropped: number;
	/** How many rows a full page has, where the gateway says so. */
	size: number | undefined;
	/** How many rows the gateway counts in the whole list, where it says so. */
	total: number | undefined;
}

export function pageOf<Row>({ data, page }: ListAnswer<Row>): Page<Row> {
	const rows = data.filter(isObject).map(idAsText);
	const size = wholeOf(valueAt(page, 'pageSize'));
	const total = wholeOf(valueAt(page, 'total')) ?? -1;
	return {
		rows,
		dropped: data.length - rows.length,
		// More rows than the stated page size show that it is something else.
		size: size !== undefined && size >= Math.max(1, data.length) ? size : undefined,
		total: total >= 0 ? total : undefined,
	};
}

/** An ID may come as a number. */
function idAsText<Row>(row: Row): Row {
	return isObject(row) && typeof row.id === 'number' ? { ...row, id: textOf(row.id) } : row;
}

/**
 * The rows of a page by what they are known by. Without an ID that is the whole row, or a gateway
 * that repeats its last page would never come to an end; two such rows on one page are both kept.
 */
export function byKey<Row>(rows: readonly Row[], id: (row: Row) => string): Map<string, Row> {
	const keyed = new Map<string, Row>();
	for (const row of rows) {
		const known = textOf(id(row));
		let key = known || JSON.stringify(row);
		while (known === '' && keyed.has(key)) key += '#';
		keyed.set(key, row);
	}
	return keyed;
}

export function droppedWords(dropped: number): string {
	return `Payments Gateway: ${dropped} rows of the list were left out because they are no records (null, text or the like)`;
}

const REFUSES_PAGE: ReadonlySet<string> = new Set(['400', '404', '416', '422']);

/** Some gateways refuse a page behind the last one, or deeper than they can look. */
export function isNoSuchPage(page: number, error: unknown): boolean {
	return page > 1 && REFUSES_PAGE.has(httpStatusOf(error));
}

/** What stands for a page that the gateway refuses, as there is none such. */
export const NO_SUCH_PAGE: Page<never> = {
	rows: [],
	dropped: 0,
	size: undefined,
	total: undefined,
};

/** The gateway cannot refuse its own default. */
export const SMALLEST_PAGE = 10;

/** So many rows may be all, or as many as the gateway shows at most. */
export const USUAL_CAPS: ReadonlySet<number> = new Set([
	10, 15, 20, 25, 30, 40, 50, 75, 100, 200, 250, 500,
]);

const TOO_LARGE: ReadonlySet<string> = new Set(['400', '413', '422']);

/** Some gateways refuse a page of many rows instead of answering with a smaller one. */
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

/** Reads a page. `ask` is given the size to ask for, which further down was given out before. */
export async function readPage<Row>(
	page: number,
	pageSize: number,
	ask: (pageSize: number) => Promise<ListAnswer<Row>>,
): Promise<Page<Row>> {
	if (page === 1) return pageOf(await askOnTop(pageSize, ask));
	return await ask(pageSize).then(pageOf, (refusal: unknown) => {
		if (isNoSuchPage(page, refusal)) return NO_SUCH_PAGE;
		throw refusal;
	});
}
