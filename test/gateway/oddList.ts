import { sleep } from 'n8n-workflow';

import type { ListAnswer, PageRequest } from '../../nodes/PaymentsGateway/wire';

export interface Row {
	id: string;
}

interface Counted {
	/** All rows, those of this page, and those before it. */
	all: number;
	length: number;
	from: number;
	requests: number;
}

/** What a gateway's `page.total` can be. */
const TOTALS = {
	right: ({ all }: Counted) => all,
	text: ({ all }: Counted) => String(all),
	'of the page': ({ length }: Counted) => length,
	'so far': ({ from, length }: Counted) => from + length,
	zero: () => 0,
	missing: () => undefined,
	'too low': ({ all }: Counted) => Math.floor(all / 3),
	'too high': ({ all }: Counted) => all + 5_000,
	growing: ({ all, requests }: Counted) => all + requests,
};
export type Total = keyof typeof TOTALS;
export const totals = Object.keys(TOTALS) as Total[];

export interface Habits {
	total: Total;
	/** The most rows on a page. */
	cap: number;
	/** What the answer calls its page size. */
	said: 'served' | 'asked' | 'nothing';
	/** What comes for a page after the last. */
	beyond: 'nothing' | 'last page' | 'first page';
	ignoresPage: boolean;
	/** The cap is the size of every page, whatever was asked for. */
	ignoresSize: boolean;
	/** Leaves out all but each so manyth row of a page that it has cut: those of others, or deleted. */
	shows: number;
	/** Refuses with this status, as n8n's errors say it, … */
	refuses: string | undefined;
	/** … pages of more rows than this, */
	above: number;
	/** … and pages behind this one. */
	behind: number;
}

const PLAIN: Habits = {
	...{ total: 'right', cap: Infinity, said: 'served', beyond: 'nothing', shows: 1 },
	...{ ignoresPage: false, ignoresSize: false },
	...{ refuses: undefined, above: Infinity, behind: Infinity },
};

/** A list in memory, cut anew for every request, with the habits of an odd service. */
export class OddList {
	/** Newest first; what is no record stands there as it is. */
	readonly rows: unknown[] = [];
	readonly asked: PageRequest[] = [];
	/** The most requests that were under way at once. */
	most = 0;
	/** Called before each request is answered, with its number. */
	before: (request: number) => void = () => undefined;
	/** Milliseconds that a request takes, by its number. */
	takes: (request: number) => number = () => 0;
	private readonly habits: Habits;
	private inFlight = 0;
	private made = 0;

	constructor(habits: Partial<Habits> = {}) {
		this.habits = { ...PLAIN, ...habits };
	}

	get requests(): number {
		return this.asked.length;
	}

	/** A row that stands nowhere yet. */
	make(): Row {
		return { id: `row_${++this.made}` };
	}

	/** Adds a row above all others, or one that is no record. */
	add(isRecord = true): void {
		const row = this.make();
		this.rows.unshift(isRecord ? row : [null, 'text', 7, [{}]][this.made % 4]);
	}

	/** Of the rows that it gives out. */
	get ids(): string[] {
		return this.shown(0, this.rows.length)
			.filter((row): row is Row => typeof row === 'object' && row !== null && 'id' in row)
			.map(({ id }) => id);
	}

	private shown(from: number, to: number): unknown[] {
		const { shows } = this.habits;
		return this.rows.slice(from, to).filter((_, index) => (from + index) % shows === 0);
	}

	readonly fetch = async (request: PageRequest): Promise<ListAnswer<Row>> => {
		const number = this.asked.push(request);
		this.most = Math.max(this.most, ++this.inFlight);
		const ms = this.takes(number);
		await (ms > 0 ? sleep(ms) : new Promise((resolve) => setImmediate(resolve)));
		this.inFlight -= 1;
		this.before(number);
		return this.answer(request);
	};

	private answer({ page = 1, pageSize: asked = 10 }: PageRequest): ListAnswer<Row> {
		const { total, cap, said, beyond, ignoresPage, ignoresSize } = this.habits;
		const { refuses, above, behind } = this.habits;
		if (refuses !== undefined && (asked > above || page > behind)) {
			throw Object.assign(new Error(`${asked} rows of page ${page}`), { httpCode: refuses });
		}
		const served = ignoresSize && cap < Infinity ? cap : Math.min(asked, cap);
		const all = this.rows.length;
		const last = Math.max(1, Math.ceil(all / served));
		const after = { nothing: page, 'last page': last, 'first page': 1 }[beyond];
		const given = ignoresPage ? 1 : page <= last ? page : after;
		const from = (given - 1) * served;
		const data = this.shown(from, from + served);
		const counted = { all, length: data.length, from, requests: this.requests };
		const pageSize = { served, asked, nothing: undefined }[said];
		const answer = { data, page: { page, pageSize, total: TOTALS[total](counted) } };
		// As it would come from the gateway, whatever the types promise.
		return JSON.parse(JSON.stringify(answer)) as ListAnswer<Row>;
	}
}
