import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { droppedWords, readPage } from '../gateway/page';
import { DAY } from './durations';
import { rowOf } from './seenEvents';
import type { Row } from './seenEvents';

/**
 * Reads the gateway's list of events page by page, newest first, as long as the poll has time.
 * gateway/page.ts handles refusals: of a page size, and of a page behind the last one.
 */

export interface EventPage {
	number: number;
	/** How many rows were requested. The gateway may serve fewer. */
	pageSize: number;
	rows: readonly Row[];
	/** How many entries the page has, including those that are not events. 0 behind the last page. */
	length: number;
	/** How many rows the gateway counts in the whole list, if it does. */
	total: number | undefined;
	/** The earlier of the gateway's clock and this machine's: a fast clock raises no watermark. */
	now: number;
	/** Dates from here on are in the future: a day after the later of the two clocks. */
	futureFrom: number;
}

interface Access {
	client: Pick<Client, 'attempt' | 'warn'>;
	node: INode;
	/** Epoch milliseconds. */
	deadline: number;
	/** As in the state. */
	pageSize?: number | undefined;
}

const PAGE_SIZE = 100;
/** How many rows it takes to call a list oldest first: the gateway's smallest page. */
const ORDERED_ROWS = 10;

export class EventPages {
	/** How many rows to request per page. Lower once the gateway has refused so many. */
	pageSize: number;
	/** The most rows that a page had in this poll. */
	rowsPerPage = 1;
	private readonly startedAt = Date.now();
	private requests = 0;

	constructor(private readonly access: Access) {
		this.pageSize = access.pageSize ?? PAGE_SIZE;
	}

	/** For how many more requests there is time if they take as long as those before. */
	get requestsLeft(): number {
		const now = Date.now();
		const msPerRequest = Math.max(1, now - this.startedAt) / this.requests;
		return Math.floor((this.access.deadline - now) / msPerRequest);
	}

	get isOutOfTime(): boolean {
		return this.requests > 0 && this.requestsLeft < 1;
	}

	async read(number: number, pageSize = this.pageSize): Promise<EventPage> {
		const { client } = this.access;
		if (this.isOutOfTime) {
			const advice = "If this keeps happening, lower 'Max Events per Poll'.";
			throw this.nothingFired('The gateway is too slow: the poll ran out of time', advice);
		}
		this.requests++;
		let accepted: { size: number; date?: number | undefined } = { size: pageSize };
		const { rows, dropped, total } = await readPage(number, pageSize, async (size) => {
			const sort = { field: 'date', order: 'desc' } as const;
			const page = { page: number, pageSize: size, sort };
			const result = await client.attempt('webhookEvents', { page });
			if ('error' in result) throw result.error;
			accepted = { size, date: result.reply.date };
			return result.reply.answer;
		});
		if (accepted.size < pageSize) this.pageSize = accepted.size;
		if (dropped > 0) client.warn(droppedWords(dropped));
		const length = rows.length + dropped;
		this.rowsPerPage = Math.max(this.rowsPerPage, length);
		const clocks = [Date.now(), accepted.date ?? Date.now()];
		const now = Math.min(...clocks);
		const futureFrom = Math.max(...clocks) + DAY;
		const eventRows = rows.map((event) => rowOf(event, now));
		if (number === 1 && isOldestFirst(eventRows)) {
			throw this.nothingFired('The gateway did not sort the events by date, newest first');
		}
		return { number, pageSize: accepted.size, rows: eventRows, length, total, now, futureFrom };
	}

	nothingFired(message: string, advice = 'The next poll tries again.'): Error {
		const description = `Nothing fired, since events could have been missed. ${advice}`;
		return new NodeApiError(this.access.node, { message }, { message, description });
	}
}

/** Two rows in the wrong order do no harm; a whole list in the wrong order does. */
function isOldestFirst(rows: readonly Row[]): boolean {
	// Some gateways sort by whole seconds.
	const seconds = rows.map(({ time }) => Math.floor(time / 1000));
	const isRising = seconds.every((second, index) => second >= (seconds[index - 1] ?? second));
	return rows.length >= ORDERED_ROWS && isRising && seconds[0] !== seconds.at(-1);
}
