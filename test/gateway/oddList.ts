import { sleep } from 'n8n-workflow';

import type { ListAnswer, PageRequest, WebhookEvent } from '../../nodes/PaymentsGateway/wire';

/** What a service's `page.total` can be. */
export const TOTALS = [
	'right',
	'text',
	'of the page',
	'so far',
	'zero',
	'missing',
	'too low',
	'too high',
	'growing',
] as const;

export interface Habits {
	total: (typeof TOTALS)[number];
	/** The most rows on a page, from a request (counted from 1) on. */
	caps: Array<{ from: number; cap: number }>;
	/** What the answer calls its page size. */
	said: 'served' | 'asked' | 'nothing' | 'rows';
	/** What comes for a page after the last. */
	beyond: 'nothing' | 'last page' | 'first page';
	ignoresPage?: boolean;
	/** The cap is the size of every page, whatever was asked for. */
	ignoresSize?: boolean;
	/** Leaves out all but each so manyth row of a page that it has cut: those of others, or deleted. */
	shows?: number;
	/** Refuses with this status, as n8n's errors say it, … */
	refuses?: string;
	/** … pages of more rows than this, */
	above?: number;
	/** … and pages behind this one. */
	behind?: number;
}

export const REFERENCE = 'ORDER-1';

/** A list of events in memory, cut anew for every request, with the habits of an odd service. */
export class OddList {
	readonly asked: PageRequest[] = [];
	/** The most requests that were under way at once. */
	most = 0;
	/** Called before each request is answered, with its number. */
	before: (request: number) => void = () => undefined;
	/** Milliseconds that a request takes, by its number. */
	takes: (request: number) => number = () => 0;
	private inFlight = 0;
	private made = 0;

	constructor(
		private readonly habits: Habits,
		/** Newest first; what is no event stands there as it is. */
		readonly rows: unknown[] = [],
	) {}

	static readonly now = Date.UTC(2026, 0, 10, 12);

	get requests(): number {
		return this.asked.length;
	}

	/** An event that stands nowhere yet. */
	make(): WebhookEvent {
		const number = ++this.made;
		return {
			eventID: `evt_${number}`,
			date: new Date(OddList.now - (10_000 - number) * 1_000).toISOString(),
			type: 'payment_success',
			payload: JSON.stringify({ transaction: { id: `txn_${number}`, referenceID: REFERENCE } }),
		};
	}

	/** Adds an event above all others, or one that is no record. */
	add(isRecord = true): WebhookEvent | undefined {
		const event = this.make();
		this.rows.unshift(isRecord ? event : [null, 'text', 7, [{}]][this.made % 4]);
		return isRecord ? event : undefined;
	}

	get events(): WebhookEvent[] {
		return this.shown(0, this.rows.length).filter(
			(row): row is WebhookEvent => typeof row === 'object' && row !== null && 'eventID' in row,
		);
	}

	private shown(from: number, to: number): unknown[] {
		const { shows = 1 } = this.habits;
		return this.rows.slice(from, to).filter((_, index) => (from + index) % shows === 0);
	}

	readonly fetch = async (request: PageRequest): Promise<ListAnswer<WebhookEvent>> => {
		const number = this.asked.push(request);
		this.most = Math.max(this.most, ++this.inFlight);
		const ms = this.takes(number);
		await (ms > 0 ? sleep(ms) : new Promise((resolve) => setImmediate(resolve)));
		this.inFlight -= 1;
		this.before(number);
		return this.answer(request);
	};

	private answer({ page = 1, pageSize: asked = 10 }: PageRequest): ListAnswer<WebhookEvent> {
		const { caps, said, beyond, ignoresPage, ignoresSize, refuses } = this.habits;
		const { above = Infinity, behind = Infinity } = this.habits;
		if (refuses !== undefined && (asked > above || page > behind)) {
			throw Object.assign(new Error(`${asked} rows of page ${page}`), { httpCode: refuses });
		}
		const cap = caps.filter(({ from }) => from <= this.requests).pop()?.cap ?? Infinity;
		const size = ignoresSize && cap < Infinity ? cap : Math.min(asked, cap);
		const pages = Math.max(1, Math.ceil(this.rows.length / size));
		const after = beyond === 'last page' ? pages : beyond === 'first page' ? 1 : page;
		const from = ((ignoresPage ? 1 : page <= pages ? page : after) - 1) * size;
		const data = this.shown(from, from + size);
		const answer = {
			data,
			page: {
				total: this.total(data.length, from),
				page,
				...(said === 'nothing'
					? {}
					: { pageSize: { served: size, asked, rows: data.length }[said] }),
			},
		};
		// As it would come from the service, whatever the types promise.
		return JSON.parse(JSON.stringify(answer)) as ListAnswer<WebhookEvent>;
	}

	private total(length: number, from: number): unknown {
		const all = this.rows.length;
		switch (this.habits.total) {
			case 'right':
				return all;
			case 'text':
				return String(all);
			case 'of the page':
				return length;
			case 'so far':
				return from + length;
			case 'zero':
				return 0;
			case 'missing':
				return undefined;
			case 'too low':
				return Math.floor(all / 3);
			case 'too high':
				return all + 5_000;
			case 'growing':
				return all + this.requests;
		}
	}
}
