import type { Attempt } from '../gateway/client';
import { httpStatusOf } from '../gateway/errors';
import {
	droppedWords,
	isNoSuchPage,
	isTooLarge,
	pageOf,
	SMALLEST_PAGE,
	USUAL_CAPS,
} from '../gateway/page';
import type { ListAnswer, WebhookEvent } from '../wire';
import { rowOf } from './handled';
import type { Row } from './handled';

/**
 * The gateway's list of events, newest first, a page at a time, for as long as a poll has time.
 *
 * Newest first is the one order in which a list that moves hides nothing: what comes in pushes rows
 * down, to be seen again. For the same reason pages are read one after another, not at once.
 */

type Asked = Attempt<ListAnswer<WebhookEvent>>;
type Reply = Extract<Asked, { reply: unknown }>['reply'];

export type Ask = (page: number, pageSize: number) => Promise<Asked>;

export interface Surroundings {
	ask: Ask;
	/** Epoch milliseconds. */
	deadline: number;
	/** An error in the words given; failedPoll.ts tells n8n of a NodeApiError that it will pass. */
	refuse: (words: string, description: string) => Error;
	warn: (words: string) => void;
}

export interface EventPage {
	rows: Row[];
	/** How many rows the gateway counts in all. */
	total: number | undefined;
	/** The earlier of the gateway's clock and this machine's: one that is fast raises no floor. */
	now: number;
}

/** A poll asks no more, whatever it has begun; the next one goes on. */
const MOST_REQUESTS = 200;
/** So many rows are enough to see that they stand the wrong way round. */
const ORDERED_ROWS = 10;
/** Above others of one moment, a few may be dated earlier: a clock that was put back. */
const MOST_RISES = 2;
/** So far down there is a page only where the gateway answers every page number. */
const FAR = 1_000;

export class EventPages {
	/** The size that is taken where the one asked for was refused. */
	fallbackSize: number | undefined;

	private readonly started = Date.now();
	private requests = 0;
	/** The largest size of a page that the gateway takes, as far as is known; 0 before it has answered. */
	private largestTaken = 0;
	/** The most rows that a page held. */
	private mostRows = 0;
	/** A 429, or the deadline, has ended what this poll can read. */
	private isCutOff = false;
	private hasWarned = false;

	constructor(
		/** Rows on a page, as asked for. */
		public size: number,
		private readonly world: Surroundings,
	) {}

	/** No time is left for one more request, if it takes as long as those before. */
	get isOver(): boolean {
		const now = Date.now();
		const each = this.requests === 0 ? 0 : (now - this.started) / this.requests;
		return this.isCutOff || this.requests >= MOST_REQUESTS || now + each >= this.world.deadline;
	}

	/**
	 * A page, or the error in its place; undefined where the poll's time is over, or the gateway takes
	 * no more requests for now.
	 */
	async read(page: number, size = this.size): Promise<EventPage | Error | undefined> {
		const first = await this.sendSized(page, size);
		if (first === 'too large') return await this.read(page);
		// Asked again: what ends the list is believed only when it lasts.
		const result = this.isDoubtful(page, first) ? await this.send(page, size) : first;
		if ('reply' in result) return this.pageIn(result.reply, page, size);
		if (await this.isTheEnd(page, size, result.error)) {
			return { rows: [], total: undefined, now: Date.now() };
		}
		this.isCutOff = httpStatusOf(result.error) === '429' || Date.now() >= this.world.deadline;
		// A poll that has had no answer at all has failed.
		return this.isCutOff && this.largestTaken > 0 ? undefined : result.error;
	}

	/** Where the size is refused as too large, a smaller one is taken from then on. */
	private async sendSized(page: number, size: number): Promise<Asked | 'too large'> {
		const result = await this.send(page, size);
		const mayBeTooLarge =
			'error' in result && size > this.largestTaken && isTooLarge(size, result.error);
		if (!mayBeTooLarge) return result;
		// Further down, it may be too deep instead; then a page 1 of that size is not refused.
		const onTop = page === 1 ? result : await this.send(1, size);
		if ('reply' in onTop) {
			this.largestTaken = size;
			return result;
		}
		if (!isTooLarge(size, onTop.error)) return onTop;
		// From here on a page number means other rows; what that pushes down is seen again.
		this.fallbackSize = this.size = SMALLEST_PAGE;
		return 'too large';
	}

	private pageIn({ answer, date }: Reply, page: number, size: number): EventPage {
		this.largestTaken = Math.max(this.largestTaken, size);
		const { rows, dropped, total } = pageOf(answer);
		this.mostRows = Math.max(this.mostRows, rows.length);
		if (dropped > 0 && !this.hasWarned) this.world.warn(droppedWords(dropped));
		this.hasWarned ||= dropped > 0;
		const local = Date.now();
		const read = { rows: rows.map(rowOf), total, now: Math.min(date ?? local, local) };
		if (page === 1) this.requireOrder(read.rows);
		return read;
	}

	/**
	 * Refused twice: there is no such page, or none that can be read. Where page 1 is refused as well,
	 * the gateway is out of order instead, and the list has not ended. Where no time is left to see
	 * that, it has, or a slow service would never come to the end of its list.
	 */
	private async isTheEnd(page: number, size: number, refusal: Error): Promise<boolean> {
		if (!isNoSuchPage(page, refusal)) return false;
		const onTop = await this.send(1, size);
		return !('error' in onTop && /^[45]/.test(httpStatusOf(onTop.error)));
	}

	/** A refused page, and an empty one that the count does not explain. */
	private isDoubtful(page: number, result: Asked): boolean {
		if ('error' in result) return isNoSuchPage(page, result.error);
		const { rows, dropped, total = 0 } = pageOf(result.reply.answer);
		const isExplained = total > 0 && total <= (page - 1) * this.mostRows;
		return page > 1 && rows.length + dropped === 0 && !isExplained;
	}

	/**
	 * To be asked when a page was the same as the one above it: whether far below these rows stand as
	 * well, or arrivals have pushed a whole page down.
	 */
	async repeatsBelow(page: number, rows: readonly Row[]): Promise<boolean> {
		const result = await this.send(page + FAR, this.size);
		if ('error' in result) return false;
		const last = pageOf(result.reply.answer).rows.at(-1);
		return last !== undefined && rowOf(last).hash === rows.at(-1)?.hash;
	}

	/**
	 * To be asked when page 2 was the same as page 1. Either it is the last one, answered once more,
	 * or the gateway ignores which page is asked for; by half as many rows, page 2 tells which.
	 */
	async requirePaging({ rows, total }: EventPage): Promise<void> {
		// Fewer rows than the gateway's own default are all there are.
		const isShort = rows.length < Math.min(this.size, SMALLEST_PAGE);
		// And so are those that it counts, where it would cut no page: it may ignore the size as well.
		const mayBeCut = rows.length === this.size || USUAL_CAPS.has(rows.length);
		const isAll = isShort || (total === rows.length && !mayBeCut);
		const half = Math.floor(rows.length / 2);
		if (isAll || half === 0) return;
		const result = await this.send(2, half);
		if ('error' in result) throw result.error;
		const [first] = pageOf(result.reply.answer).rows;
		if (first !== undefined && rowOf(first).hash === rows[0]?.hash) {
			throw this.world.refuse(
				'The gateway answered the same events for two different pages',
				'Without paging, events could be missed, so nothing was fired. The next poll tries again.',
			);
		}
	}

	private async send(page: number, size: number): ReturnType<Ask> {
		this.requests++;
		return await this.world.ask(page, size);
	}

	/** Some rows that stand the wrong way round do no harm; a list that is oldest first does. */
	private requireOrder(rows: readonly Row[]): void {
		// Some gateways sort by whole seconds.
		const dates = rows.flatMap(({ at }) => (at === undefined ? [] : Math.floor(at / 1000)));
		const steps = dates.slice(1).map((at, index) => at - (dates[index] ?? at));
		const isFalling = steps.some((step) => step < 0);
		const rises = steps.filter((step) => step > 0).length;
		if (dates.length < ORDERED_ROWS || isFalling || rises <= MOST_RISES) return;
		throw this.world.refuse(
			'The gateway did not sort the events by date, newest first',
			'Without that order, events could be missed, so nothing was fired. The next poll tries again.',
		);
	}
}
