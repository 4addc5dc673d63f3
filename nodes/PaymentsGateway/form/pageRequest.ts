import type { PageFilter, PageRequest, SortOrder } from '../wire';
import { OTHER_FIELD } from './fields/list';

/**
 * Turns the filters, the sort and the page size of a form into the `page` object that the service
 * takes with every list request. The Get Many operations of customers and of events share it.
 */

interface RowField {
	field: string;
	fieldName?: string | undefined;
}

interface PageParameters {
	filters: {
		conditions?: Array<RowField & { condition: PageFilter['operation']; value: string }>;
	};
	sort: { rule?: RowField & { order: SortOrder } };
	options: { search?: string; pageSize?: number };
}

function nameOf({ field, fieldName = '' }: RowField): string {
	return field === OTHER_FIELD ? fieldName : field;
}

export function pageWanted({
	filters,
	sort,
	options,
}: PageParameters): PageRequest & { pageSize: number } {
	const filter = (filters.conditions ?? [])
		.map((row) => ({ field: nameOf(row), operation: row.condition, value: row.value }))
		.filter(({ field }) => field !== '');
	const rule = sort.rule && { field: nameOf(sort.rule), order: sort.rule.order };
	return {
		pageSize: options.pageSize ?? 100,
		...(rule === undefined || rule.field === '' ? {} : { sort: rule }),
		...(filter.length === 0 ? {} : { filter }),
		...(options.search ? { search: options.search } : {}),
	};
}
