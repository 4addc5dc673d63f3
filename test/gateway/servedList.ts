import { sleep } from 'n8n-workflow';

import type { ListAnswer, PageRequest } from '../../nodes/PaymentsGateway/wire';

/** How a gateway cuts a list into pages: the API's document leaves this open. */
export interface PageHabits {
	/** The most rows on a page. */
	rowsPerPage: number;
	/** A request for more rows is refused. */
	refusedAbove: number;
	/** A page after this one is refused. */
	refusedAfterPage: number;
	/** What comes for a page after the last. */
	afterLast: 'empty' | 'lastPage' | 'refused';
	/** Every page is page 1. This is outside the model, and must be reported. */
	ignoresPage: boolean;
}

/** The rows on the requested page, or undefined if the gateway refuses the request. */
export function cutPage<R>(
	rows: readonly R[],
	{ page = 1, pageSize = 10 }: PageRequest,
	habits: Partial<PageHabits> = {},
): R[] | undefined {
	const { rowsPerPage = Infinity, refusedAbove = Infinity, refusedAfterPage = Infinity } = habits;
	const size = Math.min(pageSize, rowsPerPage);
	const last = Math.max(1, Math.ceil(rows.length / size));
	const isAfterLast = page > last && !habits.ignoresPage;
	const isRefused = isAfterLast && habits.afterLast === 'refused';
	if (isRefused || pageSize > refusedAbove || page > refusedAfterPage) return undefined;
	const isRepeated = isAfterLast && habits.afterLast === 'lastPage';
	const served = habits.ignoresPage ? 1 : isRepeated ? last : page;
	return rows.slice((served - 1) * size, served * size);
}

export interface Row {
	id: string;
}

export interface ListHabits extends Partial<PageHabits> {
	/** What `page.total` is: the count of the whole list, as a number or as text, or 15, or not there. */
	total?: 'number' | 'text' | 'fifteen' | 'missing';
	/** The status of a refusal. */
	status?: string;
}

/** A list in memory, newest first unless the request sorts it ascending. Each request cuts its page anew. */
export class ServedList<R> {
	readonly asked: PageRequest[] = [];
	maxInFlight = 0;
	/** Called before each request is answered, with its number. */
	before: (request: number) => unknown = () => undefined;
	/** Milliseconds that a request takes, by its number. */
	takes: (request: number) => number = () => 0;
	private inFlight = 0;

	constructor(
		readonly rows: R[],
		private readonly habits: ListHabits = {},
	) {}

	get requests(): number {
		return this.asked.length;
	}

	readonly fetch = async (request: PageRequest): Promise<ListAnswer<R>> => {
		const number = this.asked.push(request);
		this.maxInFlight = Math.max(this.maxInFlight, ++this.inFlight);
		const ms = this.takes(number);
		await (ms > 0 ? sleep(ms) : new Promise((resolve) => setImmediate(resolve)));
		this.inFlight -= 1;
		this.before(number);
		return this.answer(request);
	};

	private answer(request: PageRequest): ListAnswer<R> {
		const { total = 'number', status = '404' } = this.habits;
		const { page = 1, pageSize = 10, sort } = request;
		const sorted = sort?.order === 'asc' ? [...this.rows].reverse() : this.rows;
		const data = cutPage(sorted, request, this.habits);
		if (data === undefined) {
			throw Object.assign(new Error(`${pageSize} rows of page ${page}`), { httpCode: status });
		}
		const all = this.rows.length;
		const counted = { number: all, text: String(all), fifteen: 15, missing: undefined }[total];
		return { data, page: { page, total: counted as number } };
	}
}

/** A list of numbered rows. */
export class NumberedList extends ServedList<Row> {
	private made = 0;

	constructor(count: number, habits: ListHabits = {}) {
		super([], habits);
		for (let row = 0; row < count; row++) this.add();
	}

	/** Adds a row below `newer` others. */
	add(newer = 0): void {
		this.rows.splice(newer, 0, { id: `row_${++this.made}` });
	}

	get ids(): string[] {
		return this.rows.map(({ id }) => id);
	}
}
