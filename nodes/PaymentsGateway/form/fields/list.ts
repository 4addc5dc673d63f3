import type { PageRequest } from '../../wire';
import {
	choice,
	group,
	number,
	repeated,
	requiredIfExpression,
	shownWhen,
	text,
	toggle,
} from '../builders';
import { withoutEmpty } from '../empty';
import type { ValuesOf } from '../field';

/**
 * The form fields that the Get Many operations share: how many results, filters, search and sort, and
 * the `page` object that the gateway takes for them with every request of a list.
 */

export const returnAll = toggle(
	'Return All',
	'returnAll',
	'Whether to return all results or only up to a given limit',
);

const WHOLE_FROM_1 = { minValue: 1, numberPrecision: 0 };

export const limit = shownWhen(
	{ returnAll: [false] },
	number('Limit', 'limit', 50, WHOLE_FROM_1, 'Max number of results to return'),
);

export const searchTerm = requiredIfExpression(
	text('Search', 'search', { description: 'Only rows in which the gateway finds this' }),
);

/** The fields of a row by the gateway's name, each with its label. */
type Columns = Readonly<Record<string, string>>;

function column(displayName: string, columns: Columns, initial: string) {
	const description = "An expression can name any other field, by the gateway's name for it";
	const field = choice(displayName, 'field', columns, description);
	return { ...field, default: initial, allowArbitraryValues: true } as const;
}

export function filtersBy(columns: Columns, initial: string) {
	const conditions = {
		contains: 'Contains',
		equals: 'Equals',
		gte: 'Greater or Equal',
		gt: 'Greater Than',
		lte: 'Less or Equal',
		lt: 'Less Than',
		neq: 'Not Equal',
	};
	return {
		...repeated(
			group('Filters', 'filters', { placeholder: 'Add Filter', groupName: 'conditions' }, [
				column('Field', columns, initial),
				{ ...choice('Condition', 'condition', conditions), default: 'equals' },
				requiredIfExpression(text('Value', 'value')),
			]),
		),
		description: 'Only rows that meet all of these, as the gateway understands them',
	} as const;
}

export function sortBy(columns: Columns, initial: string) {
	return group('Sort', 'sort', { placeholder: 'Add Sort Rule', groupName: 'rule' }, [
		column('Sort Field', columns, initial),
		choice('Order', 'order', { asc: 'Ascending', desc: 'Descending' }),
	]);
}

type PageFields = [ReturnType<typeof filtersBy>, ReturnType<typeof sortBy>];

/** The document names no maximum; `gateway/page.ts` asks for smaller pages if this size is refused. */
const PAGE_SIZE = 100;

/** The page request that the form asks for. */
export function pageWanted(
	form: ValuesOf<PageFields> & { options: { search?: string } },
): PageRequest & { pageSize: number } {
	const { conditions = [] } = form.filters;
	const filter = conditions.map(({ condition, ...row }) => ({ ...row, operation: condition }));
	const { search } = form.options;
	return { pageSize: PAGE_SIZE, ...withoutEmpty({ sort: form.sort.rule, filter, search }) };
}
