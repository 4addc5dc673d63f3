import { sleep } from 'n8n-workflow';

import type { ListAnswer, PageRequest } from '../../nodes/PaymentsGateway/wire';

export interface Row {
	id: string;
}

/** How a gateway may serve a list: the API's document leaves this open. */
export interface Habits {
	/** What `page.total` is: the count of the whole list, as a number or as text, or 15, or not there. */
	total: 'number' | 'text' | 'fifteen' | 'missing';
	/** The most rows on a page. */
	cap: number;
	/** What comes for a page after the last. */
	behind: 'nothing' | 'last page' | 'refusal';
	/** A page of more rows is refused. */
	mostRows: number;
	/** A page after this one is refused. */
	lastPage: number;
	/** The status of a refusal. */
	status: string;
	/** Every page is page 1. This is outside the model, and must be reported. */
	ignoresPage: boolean;
}

const PLAIN: Habits = {
	...{ total: 'number', cap: Infinity, behind: 'nothing', mostRows: Infinity, lastPage: Infinity },
	...{ status: '404', ignoresPage: false },
};

/** A list in memory, newest first unless the request sorts it ascending. Each request cuts its page anew. */
export class ServedList<R> {
	readonly asked: PageRequest[] = [];
	/** The most requests that were in flight at once. */
	most = 0;
	/** Called before each request is answered, with its number. */
	before: (request: number) => unknown = () => undefined;
	/** Milliseconds that a request takes, by its number. */
	takes: (request: number) => number = () => 0;
	private readonly habits: Habits;
	private inFlight = 0;

	constructor(
		readonly rows: R[],
		habits: Partial<Habits> = {},
	) {
		this.habits = { ...PLAIN, ...habits };
	}

	get requests(): number {
		return this.asked.length;
	}

	readonly fetch = async (request: PageRequest): Promise<ListAnswer<R>> => {
		const number = this.asked.push(request);
		this.most = Math.max(this.most, ++this.inFlight);
		const ms = this.takes(number);
		await (ms > 0 ? sleep(ms) : new Promise((resolve) => setImmediate(resolve)));
		this.inFlight -= 1;
		this.before(number);
		return this.answer(request);
	};

	private answer({ page = 1, pageSize: asked = 10, sort }: PageRequest): ListAnswer<R> {
		const { total, cap, behind, mostRows, lastPage, status, ignoresPage } = this.habits;
		const served = Math.min(asked, cap);
		const last = Math.max(1, Math.ceil(this.rows.length / served));
		const isBehind = page > last && !ignoresPage;
		if (asked > mostRows || page > lastPage || (isBehind && behind === 'refusal')) {
			throw Object.assign(new Error(`${asked} rows of page ${page}`), { httpCode: status });
		}
		const given = ignoresPage ? 1 : isBehind && behind === 'last page' ? last : page;
		const sorted = sort?.order === 'asc' ? [...this.rows].reverse() : this.rows;
		const data = sorted.slice((given - 1) * served, given * served);
		const all = this.rows.length;
		const counted = { number: all, text: String(all), fifteen: 15, missing: undefined }[total];
		return { data, page: { page, total: counted as number } };
	}
}

/** A list of numbered rows. */
export class NumberedList extends ServedList<Row> {
	private made = 0;

	constructor(count: number, habits: Partial<Habits> = {}) {
		super([], habits);
		for (let row = 0; row < count; row++) this.add();
	}

	/** Adds a row below so many newer ones. */
	add(newer = 0): void {
		this.rows.splice(newer, 0, { id: `row_${++this.made}` });
	}

	get ids(): string[] {
		return this.rows.map(({ id }) => id);
	}
}
