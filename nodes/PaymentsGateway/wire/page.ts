/**
 * How the gateway pages its lists: the request, and the answer. An answer may lack parts of the
 * documented `page`, or all of it.
 */

export type SortOrder = 'asc' | 'desc';

export interface PageFilter {
	field: string;
	operation: 'contains' | 'equals' | 'gt' | 'gte' | 'lt' | 'lte' | 'neq';
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
	page?: { total?: number; page?: number; pageSize?: number };
}
