import { eventType } from '../output/event';
import type { PageFilter, PageRequest, SortOrder } from '../wire';

/** The filters, the sort and the page size of a form, as the service takes them with every page. */

interface PageParameters {
	filters: {
		conditions?: Array<{ field: string; condition: PageFilter['operation']; value: string }>;
	};
	sort: { rule?: { field: string; order: SortOrder } };
	options: { search?: string; pageSize?: number };
}

/** What of the form goes to the service with every page. */
export function pageOf({
	filters,
	sort,
	options,
}: PageParameters): PageRequest & { pageSize: number } {
	const conditions = (filters.conditions ?? []).filter(({ field }) => field !== '');
	const filter = conditions.map(({ field, condition, value }) => ({
		field,
		operation: condition,
		value: field === 'type' ? eventType(value) : value,
	}));
	const { rule } = sort;
	return {
		pageSize: options.pageSize ?? 100,
		...(rule === undefined || rule.field === '' ? {} : { sort: rule }),
		...(filter.length === 0 ? {} : { filter }),
		...(options.search ? { search: options.search } : {}),
	};
}
