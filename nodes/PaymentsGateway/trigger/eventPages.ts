import { droppedWords, readPage } from '../gateway/page';
import type { Reply } from '../gateway/request';
import type { ListAnswer, WebhookEvent } from '../wire';
import { rowOf } from './handled';
import type { Row } from './handled';

/**
 * The gateway's list of events, newest first, a page at a time, for as long as a poll has time. What
 * the end of a list and a refused page size look like is in gateway/page.ts.
 */

export interface Surroundings {
	ask: (page: number, pageSize: number) => Promise<Reply<ListAnswer<WebhookEvent>>>;
	/** Epoch milliseconds. */
	deadline: number;
	/** What is thrown; failedPoll.ts tells n8n of a NodeApiError that it will pass. */
	errorOf: (words: string, description: string) => Error;
	warn: (words: string) => void;
}

export interface EventPage {
	number: number;
	rows: Row[];
	/** How many rows it has, with those that are no events. Behind the last page of the list, 0. */
	length: number;
	/** How many rows the gateway counts in the whole list. */
	total: number | undefined;
	/** The earlier of the gateway's clock and this machine's: one that is fast raises no floor. */
	now: number;
	/** Dates from here on are of the future: a day after the clock that is ahead. */
	futureFrom: number;
}

const PAGE_SIZE = 100;
/** So many rows are enough to see that they stand the wrong way round. */
const ORDERED_ROWS = 10;
const DAY = 86_400_000;

export class EventPages {
	private readonly started = Date.now();
	private requests = 0;
	/** How many rows a page holds: the most that this poll has seen, since the last page may be short. */
	rowsPerPage = 1;

	constructor(
		private readonly surroundings: Surroundings,
		/** How many rows a page is asked for; fewer from where the gateway has refused so many. */
		public pageSize = PAGE_SIZE,
	) {}

	/** For how many more requests there is time, if they take as long as those before. */
	get requestsLeft(): number {
		const now = Date.now();
		const each = Math.max(1, now - this.started) / this.requests;
		return Math.floor((this.surroundings.deadline - now) / each);
	}

	async read(number: number, pageSize = this.pageSize): Promise<EventPage> {
		if (this.requests > 0 && this.requestsLeft < 1) throw this.tooSlow();
		let gatewayClock: number | undefined;
		const answer = await readPage(number, pageSize, async (size) => {
			this.requests++;
			const reply = await this.surroundings.ask(number, size);
			if (size < pageSize) this.pageSize = size;
			gatewayClock = reply.date;
			return reply.answer;
		});
		const { dropped, total } = answer;
		if (dropped > 0) this.surroundings.warn(droppedWords(dropped));
		const clocks = [Date.now(), gatewayClock ?? Date.now()];
		const now = Math.min(...clocks);
		const rows = answer.rows.map((event) => rowOf(event, now));
		if (number === 1) this.requireNewestFirst(rows);
		const length = rows.length + dropped;
		this.rowsPerPage = Math.max(this.rowsPerPage, length);
		return { number, rows, length, total, now, futureFrom: Math.max(...clocks) + DAY };
	}

	tooSlow(): Error {
		return this.nothingFired(
			'The gateway is too slow: the time of a poll was over before the oldest new events were found',
			"If that goes on, lower 'Max Events per Poll'.",
		);
	}

	nothingFired(words: string, advice = 'The next poll tries again.'): Error {
		const description = `Events could be missed, so nothing was fired. ${advice}`;
		return this.surroundings.errorOf(words, description);
	}

	/** Two rows that stand the wrong way round do no harm; a list that is oldest first does. */
	private requireNewestFirst(rows: readonly Row[]): void {
		// Some gateways sort by whole seconds.
		const dates = rows.map(({ at }) => Math.floor(at / 1000));
		const isRising = dates.every((at, index) => at >= (dates[index - 1] ?? at));
		if (dates.length < ORDERED_ROWS || !isRising || dates[0] === dates.at(-1)) return;
		throw this.nothingFired('The gateway did not sort the events by date, newest first');
	}
}
