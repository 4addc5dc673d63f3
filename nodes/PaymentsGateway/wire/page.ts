/**
 * How the gateway pages its lists: what is asked for, and what an answer says of its page. Of the
 * page, an answer may say less than the document does, or nothing.
 */

export type SortOrder = 'asc' | 'desc';

type FilterOperation = 'contains' | 'equals' | 'gt' | 'gte' | 'lt' | 'lte' | 'neq';

export interface PageFilter {
	field: string;
	operation: FilterOperation;
	value: string;
}

export interface PageRequest {
	page?: number;
	pageSize?: number;
	sort?: { field: string; order: SortOrder };
	filter?: PageFilter[];
	search?: string;
}

export interface ListAnswer<Row> {
	data: Row[];
	page?: {
		total?: number;
		range?: { from: number; to: number };
		page?: number;
		pageSize?: number;
	};
}
