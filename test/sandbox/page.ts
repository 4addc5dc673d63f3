import type {
	PageAnswer,
	PageFilter,
	PageRequest,
	SortOrder,
} from '../../nodes/PaymentsGateway/wire';
import { instant } from './clock';
import { Refusal } from './refusal';
import type { Settings } from './settings';

/**
 * Filters, sorts, searches and pages a list, as the service does for customers and for events. The
 * settings can make it misbehave in the ways that are known of real services.
 */

const DEFAULT_PAGE_SIZE = 10;
/** How many filtered and sorted lists are cached, so that many different searches fill no memory. */
const VIEWS_KEPT = 32;
const comma = Buffer.from(',');

export interface Column<Item> {
	text(item: Item): string;
	/** Set where order is not that of the text: dates with different offsets. */
	rank?(item: Item): number;
	sortable: boolean;
}

interface ListingRules<Item> {
	items(): readonly Item[];
	columns: Readonly<Record<string, Column<Item>>>;
	/** All text that `search` looks through. */
	searchable(item: Item): string;
	/** The row as JSON bytes. Asked for on every page it stands on, so keep them. */
	json(item: Item): Buffer;
	naturalOrder(settings: Settings): { field: string; order: SortOrder } | undefined;
}

interface View<Item> {
	rows: readonly Item[];
	compare: ((a: Item, b: Item) => number) | undefined;
}

/** Unreadable dates sort as the oldest. */
export function dateRank(text: string): number {
	const time = instant(text);
	return Number.isNaN(time) ? -Infinity : time;
}

function ascending<T extends number | string>(a: T, b: T): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
	const result = [...items];
	for (let last = result.length - 1; last > 0; last--) {
		const other = Math.floor(Math.random() * (last + 1));
		const [a, b] = [result[last], result[other]];
		if (a === undefined || b === undefined) continue;
		result[last] = b;
		result[other] = a;
	}
	return result;
}

/** A list endpoint: filters, sorts and searches once, then cuts pages until something changes. */
export class Listing<Item> {
	private readonly views = new Map<string, View<Item>>();

	constructor(private readonly rules: ListingRules<Item>) {}

	changed(): void {
		this.views.clear();
	}

	/** The answer as JSON bytes. Each row is kept as bytes, so that 100,000 rows page fast. */
	read(request: PageRequest, settings: Settings): Buffer {
		const asked = request.pageSize ?? DEFAULT_PAGE_SIZE;
		if (asked > settings.rejectPageSizeAbove) {
			throw new Refusal(400, `data.page.pageSize must be at most ${settings.rejectPageSizeAbove}`);
		}
		const pageSize = Math.min(asked, settings.pageSizeCap);
		const page = settings.ignorePage ? 1 : (request.page ?? 1);
		const view = this.view(request, settings);
		const lastPage = Math.max(1, Math.ceil(view.rows.length / pageSize));
		const served = settings.repeatLastPage ? Math.min(page, lastPage) : page;
		const from = Math.min((served - 1) * pageSize, view.rows.length);
		const to = Math.min(from + pageSize, view.rows.length);
		const rows =
			settings.tieOrder === 'random' && view.compare
				? this.withTiesShuffled(view.rows, view.compare, from, to)
				: view.rows.slice(from, to);
		const answer = {
			total: this.total(view.rows.length, to - from, settings),
			range: { from, to },
			page,
			...this.pageSize(pageSize, asked, settings),
		};
		const parts: Buffer[] = [Buffer.from('{"data":[')];
		rows.forEach((row, index) => {
			if (index > 0) parts.push(comma);
			parts.push(this.rules.json(row));
		});
		parts.push(Buffer.from(`],"page":${JSON.stringify(answer)}}`));
		return Buffer.concat(parts);
	}

	private pageSize(served: number, asked: number, { pageSizeSaid }: Settings) {
		if (pageSizeSaid === 'nothing') return {};
		return { pageSize: pageSizeSaid === 'served' ? served : asked };
	}

	private total(count: number, onPage: number, { total }: Settings): PageAnswer['total'] | string {
		if (total === 'right') return count;
		if (total === 'ofPage') return onPage;
		if (total === 'zero') return 0;
		if (total === 'text') return String(count);
		return total.constant;
	}

	private view(request: PageRequest, settings: Settings): View<Item> {
		const filters = settings.ignoreFilter ? [] : (request.filter ?? []);
		const search = settings.ignoreSearch ? '' : (request.search ?? '').toLowerCase();
		// Checked even when it is ignored: an unknown field is an error in any case.
		const requested = request.sort && this.checkedSort(request.sort);
		const sort = (settings.ignoreSort ? undefined : requested) ?? this.rules.naturalOrder(settings);
		const key = JSON.stringify([filters, search, sort, settings.ignoreCase]);

		const known = this.views.get(key);
		if (known) return known;

		const tests = filters.map((filter) => this.filterTest(filter, settings));
		if (search) {
			tests.push((item) => this.rules.searchable(item).toLowerCase().includes(search));
		}
		let rows = this.rules.items();
		if (tests.length > 0) rows = rows.filter((item) => tests.every((test) => test(item)));
		const compare = sort && this.comparison(sort.field, sort.order);
		const view: View<Item> = { rows: compare ? [...rows].sort(compare) : [...rows], compare };
		if (this.views.size >= VIEWS_KEPT) this.views.clear();
		this.views.set(key, view);
		return view;
	}

	private column(field: string, path: string): Column<Item> {
		const column = Object.hasOwn(this.rules.columns, field) ? this.rules.columns[field] : undefined;
		if (column) return column;
		throw new Refusal(400, `${path} "${field}" is not a field of this list`);
	}

	private checkedSort(sort: { field: string; order: SortOrder }) {
		if (!this.column(sort.field, 'data.page.sort.field').sortable) {
			throw new Refusal(400, `data.page.sort.field "${sort.field}" cannot be sorted by`);
		}
		return sort;
	}

	private comparison(field: string, order: SortOrder): (a: Item, b: Item) => number {
		const { rank, text } = this.column(field, 'data.page.sort.field');
		const sign = order === 'desc' ? -1 : 1;
		return rank
			? (a, b) => sign * ascending(rank(a), rank(b))
			: (a, b) => sign * ascending(text(a), text(b));
	}

	private filterTest(filter: PageFilter, settings: Settings): (item: Item) => boolean {
		const column = this.column(filter.field, 'data.page.filter.field');
		const { operation, value } = filter;
		if (operation === 'contains') {
			const part = value.toLowerCase();
			return (item) => column.text(item).toLowerCase().includes(part);
		}
		const compare = this.comparisonWith(value, column, filter, settings);
		switch (operation) {
			case 'equals':
				return (item) => compare(item) === 0;
			case 'neq':
				return (item) => compare(item) !== 0;
			case 'gt':
				return (item) => compare(item) > 0;
			case 'gte':
				return (item) => compare(item) >= 0;
			case 'lt':
				return (item) => compare(item) < 0;
			case 'lte':
				return (item) => compare(item) <= 0;
		}
	}

	private comparisonWith(
		value: string,
		{ rank, text }: Column<Item>,
		{ field, operation }: PageFilter,
		settings: Settings,
	): (item: Item) => number {
		const equality = operation === 'equals' || operation === 'neq';
		if (rank) {
			const bound = dateRank(value);
			if (bound !== -Infinity) return (item) => ascending(rank(item), bound);
			if (!equality) {
				throw new Refusal(
					400,
					`data.page.filter.value for "${field}" must be an ISO 8601 timestamp`,
				);
			}
		}
		if (equality && settings.ignoreCase) {
			const lower = value.toLowerCase();
			return (item) => ascending(text(item).toLowerCase(), lower);
		}
		return (item) => ascending(text(item), value);
	}

	/** Shuffles the groups of equal rows that reach into the page, and only those. */
	private withTiesShuffled(
		rows: readonly Item[],
		compare: (a: Item, b: Item) => number,
		from: number,
		to: number,
	): Item[] {
		const equal = (a: number, b: number): boolean => {
			const [first, second] = [rows[a], rows[b]];
			return first !== undefined && second !== undefined && compare(first, second) === 0;
		};
		let start = from;
		while (start > 0 && equal(start - 1, start)) start--;
		const result: Item[] = [];
		let at = start;
		while (at < to) {
			let end = at + 1;
			while (end < rows.length && equal(at, end)) end++;
			for (const row of shuffled(rows.slice(at, end))) result.push(row);
			at = end;
		}
		return result.slice(from - start, to - start);
	}
}
