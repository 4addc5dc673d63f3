import type { PageFilter, PageRequest, SortOrder } from '../wire';
import type { FieldError, Context } from './fieldError';
import { filledIn } from './filledIn';
import { isByExpression } from './written';

/**
 * Turns the filters, the search and the sort of a form into the `page` object that the gateway takes
 * with every list request. The Get Many operations of customers and of events share it.
 */

const PAGE_SIZE = 100;

interface PageParameters {
	filters: {
		conditions?: Array<{ field: string; condition: PageFilter['operation']; value: string }>;
	};
	sort: { rule?: { field: string; order: SortOrder } };
	options: { search?: string };
}

export function pageWanted(
	{ filters: { conditions = [] }, sort: { rule }, options: { search } }: PageParameters,
	{ context, fieldError }: { context: Context; fieldError: FieldError },
): PageRequest & { pageSize: number } {
	// Of a row without the value, such a filter would find strangers, or everyone.
	const isLost = ({ value }: { value: string }, index: number) =>
		value === '' && isByExpression(context, `filters.conditions.${index}.value`);
	if (conditions.some(isLost)) throw fieldError("'Value' is empty");
	const filter = conditions.map(({ condition, ...row }) => ({ ...row, operation: condition }));
	return { pageSize: PAGE_SIZE, ...filledIn({ sort: rule, filter, search }) };
}
