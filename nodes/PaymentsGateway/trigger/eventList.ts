import type { Attempt, Reply } from '../gateway/client';
import type { ListAnswer, WebhookEvent } from '../wire';
import type { Clock } from './cursor';
import { rowOf } from './ledger';
import type { Row } from './ledger';
import type { Pace } from './pace';

export type Ask = (page: number, pageSize: number) => Promise<Attempt<ListAnswer<WebhookEvent>>>;
/** An error in the words given, as n8n wants it. */
export type Refuse = (words: string, description: string) => Error;

/** The service's own default, which it cannot refuse. */
const DEFAULT_SIZE = 10;
const SIZE_REFUSALS = new Set(['400', '413', '422']);

export interface Page {
	rows: Row[];
	/** What the service counts, where that can be true at all. */
	total: number | undefined;
	isShort: boolean;
	/** Nothing follows, for certain. */
	isLast: boolean;
	clock: Clock;
}

/**
 * The service's list of events, newest first, a page at a time.
 *
 * Newest first is the one order in which a list that moves hides nothing: what comes in pushes
 * rows down, to be seen again, and what is purged at the old end moves none. For the same reason
 * the pages of a walk are read one after another, not at once.
 */
export class EventList {
	/** What is asked for, and, once the service has shown that it serves less, that. */
	private asking: number;
	/** A short first page suggests a cap, until the next page shows whether there is one. */
	private suspected: number | undefined;
	/** Only the first answer of a poll may change the size, or pages would not fit each other. */
	private isLearning = true;

	constructor(
		private readonly asked: number,
		remembered: { asked: number; served: number } | undefined,
		private readonly ask: Ask,
		private readonly refuse: Refuse,
		readonly pace: Pace,
	) {
		this.asking = remembered?.asked === asked ? Math.min(remembered.served, asked) : asked;
	}

	/** Rows on a full page. */
	get size(): number {
		return this.asking;
	}

	/** To be remembered, where the service does not serve what it is asked for. */
	get served(): { asked: number; served: number } | undefined {
		if (this.asking === this.asked || this.suspected !== undefined) return undefined;
		return { asked: this.asked, served: this.asking };
	}

	async read(page: number): Promise<Page> {
		const { answer, date } = await this.fetch(page);
		const pageSize = this.asking;
		const events = answer.data.filter((event) => typeof event === 'object' && event !== null);
		const rows = events.map(rowOf);
		this.requireOrder(rows);
		const position = rows.length === 0 ? 0 : (page - 1) * pageSize + answer.data.length;
		const counted: unknown = answer.page?.total;
		const total =
			typeof counted === 'number' && Number.isSafeInteger(counted) && counted >= position
				? counted
				: undefined;
		this.learn(page, answer, total);
		const isShort = answer.data.length < this.asking;
		const local = Date.now();
		return {
			rows,
			total,
			isShort,
			// A page shorter than asked proves nothing by itself: the service may cap its pages.
			isLast: answer.data.length === 0 || (isShort && total === position),
			clock: { service: date ?? local, local },
		};
	}

	/** A full page of nothing but repeated rows: the last one again, or the same for every number. */
	requirePaging(page: number, total: number | undefined, seen: number): void {
		if (total === undefined ? page === 2 : total > seen) {
			throw this.refuse(
				'The service answered the same events for two different pages',
				'Without paging, events could be missed, so nothing was fired. The next poll tries again.',
			);
		}
	}

	private async fetch(page: number): Promise<Reply<ListAnswer<WebhookEvent>>> {
		this.pace.count();
		const result = await this.ask(page, this.asking);
		if ('reply' in result) return result.reply;
		const isRefused = this.isLearning && SIZE_REFUSALS.has(result.error.httpCode ?? '');
		if (!isRefused || this.asking <= DEFAULT_SIZE) throw result.error;
		this.pace.count();
		const smaller = await this.ask(page, DEFAULT_SIZE);
		if ('error' in smaller) throw result.error;
		this.asking = DEFAULT_SIZE;
		return smaller.reply;
	}

	private learn(page: number, { data, page: info }: ListAnswer<unknown>, total?: number): void {
		const here = data.length;
		if (this.suspected !== undefined && page > 1) {
			if (here === 0) this.asking = this.suspected;
			this.suspected = undefined;
		}
		const isFirst = this.isLearning;
		this.isLearning = false;
		const isEnd = here === 0 || total === (page - 1) * this.asking + here;
		if (!isFirst || isEnd || here >= this.asking) return;
		const said: unknown = info?.pageSize;
		if (typeof said === 'number' && Number.isInteger(said) && said >= here && said < this.asking) {
			this.asking = said;
		} else if (page === 1 && here >= DEFAULT_SIZE) {
			// Nobody caps below the default; a list of a few rows is simply short.
			this.suspected = this.asking;
			this.asking = here;
		}
	}

	/** Newest first, by moment or, where the service compares dates as text, by text. */
	private requireOrder(rows: readonly Row[]): void {
		let above: Row | undefined;
		for (const row of rows) {
			if (row.at === undefined) continue;
			if (above?.at !== undefined && above.at < row.at && above.event.date < row.event.date) {
				throw this.refuse(
					'The service did not sort the events by date, newest first',
					'Without that order, events could be missed, so nothing was fired. The next poll tries again.',
				);
			}
			above = row;
		}
	}
}
