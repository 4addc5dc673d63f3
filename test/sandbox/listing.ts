import type { PageFilter, PageRequest } from '../../nodes/PaymentsGateway/wire';
import { instant } from './clock';
import { Refusal } from './refusal';
import type { Settings } from './world';

/**
 * Filters, sorts, searches and pages a list, as the gateway does for customers and for events. The
 * settings can make it misbehave in the ways that the package must tolerate.
 */

const DEFAULT_PAGE_SIZE = 10;

type Sort = NonNullable<PageRequest['sort']>;
type Test<Row> = (row: Row) => boolean;

interface ListingRules<Row> {
	rows(): readonly Row[];
	fields: readonly string[];
	/** Compared by instant instead of by text, and left out of the search; without a sort, newest first. */
	dateField?: string;
}

/** A field's text, or the instant of a date. */
type Value = number | string;

const operations: Record<PageFilter['operation'], (value: Value, other: Value) => boolean> = {
	contains: (value, part) => String(value).toLowerCase().includes(String(part).toLowerCase()),
	equals: (value, other) => value === other,
	neq: (value, other) => value !== other,
	gt: (value, other) => value > other,
	gte: (value, other) => value >= other,
	lt: (value, other) => value < other,
	lte: (value, other) => value <= other,
};

function ascending(a: Value, b: Value): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}

function textOf(row: object, field: string): string {
	return String(Reflect.get(row, field) ?? '');
}

/** Unreadable dates are the oldest. */
function timeOf(text: string): number {
	const time = instant(text);
	return Number.isNaN(time) ? -Infinity : time;
}

/** Caches the filtered and sorted rows until `invalidate()` or another query. */
export class Listing<Row extends object> {
	private cache: { key: string; rows: readonly Row[] } = { key: '', rows: [] };

	constructor(private readonly rules: ListingRules<Row>) {}

	invalidate(): void {
		this.cache.key = '';
	}

	read(request: PageRequest = {}, settings: Settings) {
		const asked = request.pageSize ?? DEFAULT_PAGE_SIZE;
		if (asked > settings.rejectPageSizeAbove) {
			throw new Refusal(400, `data.page.pageSize must be at most ${settings.rejectPageSizeAbove}`);
		}
		const pageSize = Math.min(asked, settings.pageSizeCap);
		const page = settings.ignorePage ? 1 : (request.page ?? 1);
		const rows = this.rowsFor(request, settings);
		const lastPage = Math.max(1, Math.ceil(rows.length / pageSize));
		const served = settings.repeatLastPage ? Math.min(page, lastPage) : page;
		const from = Math.min((served - 1) * pageSize, rows.length);
		const to = Math.min(from + pageSize, rows.length);
		const total = settings.total ?? rows.length;
		return { data: rows.slice(from, to), page: { total, range: { from, to }, page, pageSize } };
	}

	private rowsFor(request: PageRequest, settings: Settings): readonly Row[] {
		const filters = settings.ignoreFilter ? [] : (request.filter ?? []);
		const search = settings.ignoreSearch ? '' : (request.search ?? '');
		const sort = this.sortFor(request, settings);
		const key = JSON.stringify([filters, search, sort]);
		if (key !== this.cache.key) {
			const tests = filters.map((filter) => this.filterTest(filter));
			if (search) tests.push(this.searchTest(search));
			const rows = this.rules.rows().filter((row) => tests.every((test) => test(row)));
			this.cache = { key, rows: sort ? this.sorted(rows, sort) : rows };
		}
		return this.cache.rows;
	}

	private sortFor({ sort }: PageRequest, { eventOrder }: Settings): Sort | undefined {
		const { dateField } = this.rules;
		if (dateField === undefined) return sort;
		if (eventOrder) return { field: dateField, order: eventOrder };
		return sort ?? { field: dateField, order: 'desc' };
	}

	private checkField(name: string, path: string): void {
		if (this.rules.fields.includes(name)) return;
		throw new Refusal(400, `${path} "${name}" is not a field of this list`);
	}

	/** Rows that sort equal keep their order. */
	private sorted(rows: readonly Row[], { field, order }: Sort): Row[] {
		this.checkField(field, 'data.page.sort.field');
		const isDate = field === this.rules.dateField;
		const sign = order === 'desc' ? -1 : 1;
		return rows
			.map((row) => ({ row, key: isDate ? timeOf(textOf(row, field)) : textOf(row, field) }))
			.sort((a, b) => sign * ascending(a.key, b.key))
			.map(({ row }) => row);
	}

	private searchTest(search: string): Test<Row> {
		const searched = this.rules.fields.filter((name) => name !== this.rules.dateField);
		return (row) => searched.some((name) => operations.contains(textOf(row, name), search));
	}

	private filterTest({ field, operation, value }: PageFilter): Test<Row> {
		this.checkField(field, 'data.page.filter.field');
		const isDate = field === this.rules.dateField && operation !== 'contains';
		if (isDate && Number.isNaN(instant(value))) {
			throw new Refusal(400, `data.page.filter.value for "${field}" must be an ISO 8601 timestamp`);
		}
		const valueOf = (text: string) => (isDate ? timeOf(text) : text);
		const other = valueOf(value);
		return (row) => operations[operation](valueOf(textOf(row, field)), other);
	}
}
