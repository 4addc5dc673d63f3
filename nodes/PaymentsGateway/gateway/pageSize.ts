import type { Data, Endpoint } from '../wire';
import { isObject, valueAt } from '../wire/json';
import type { Attempt } from './client';
import { DEFAULT_SIZE } from './pages';

/**
 * Some services refuse a page that is too large, instead of answering with a smaller one. What they
 * take is not known, so the first page of a list is then asked for by fewer rows. Its answer says
 * how many, and whoever reads on asks for the following pages in the same size.
 */

const SIZE_REFUSALS: ReadonlySet<unknown> = new Set(['400', '413', '422']);
/** The service cannot refuse its own default. */
const SMALLER = [100, DEFAULT_SIZE];

export async function bySmallerPages<E extends Endpoint, A>(
	data: Data<E>,
	send: (data: Data<E>) => Promise<Attempt<A>>,
): Promise<Attempt<A>> {
	const result = await send(data);
	if (!('page' in data) || data.page.page !== 1) return result;
	const { page } = data;
	for (const pageSize of SMALLER) {
		if ('reply' in result || !SIZE_REFUSALS.has(result.error.httpCode)) break;
		if (pageSize >= (page.pageSize ?? 0)) continue;
		const smaller = await send({ ...data, page: { ...page, pageSize } });
		if ('reply' in smaller && setSize(smaller.reply.answer, pageSize)) return smaller;
	}
	return result;
}

/**
 * Makes an answer say that its pages have so many rows at most; false where it is no such page. With
 * the page after it asked for by more, the refusal would pass for the end of the list.
 */
function setSize(answer: unknown, pageSize: number): boolean {
	const page = valueAt(answer, 'page');
	const rows = Number(valueAt(answer, 'data.length'));
	if (!isObject(page) || !(rows <= pageSize)) return false;
	const said = Number(page.pageSize);
	return (said >= rows && said <= pageSize && said > 0) || Reflect.set(page, 'pageSize', pageSize);
}
