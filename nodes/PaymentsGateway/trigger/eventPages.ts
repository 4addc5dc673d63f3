import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { runsAgainst } from '../events/order';
import type { Client } from '../gateway/client';
import { droppedRowsWarning, readPage } from '../gateway/page';
import type { WebhookEvent } from '../wire';
import { DAY } from '../wire/duration';
import { momentOf } from '../wire/moment';
import { eventHash } from './keys';

/**
 * Reads the gateway's list of events page by page, newest first, as long as the poll has time.
 * gateway/page.ts handles refusals: of a page size, and of a page past the last one.
 */

/** A row of the list. */
export interface Row {
	event: WebhookEvent;
	hash: string;
	/** The event's date in epoch milliseconds. If that is unreadable, the time of reading. */
	time: number;
}

export interface EventPage {
	number: number;
	/** How many rows were requested. The gateway may serve fewer. */
	pageSize: number;
	rows: readonly Row[];
	/** How many entries the page has, including those that are not events. 0 past the last page. */
	length: number;
	/** How many rows the gateway counts in the whole list, if it does. */
	total: number | undefined;
	/**
	 * The earlier of the gateway's clock and this machine's: a fast clock cannot raise the
	 * watermark.
	 */
	now: number;
	/** Dates from here on are in the future: a day after the later of the two clocks. */
	futureFrom: number;
}

const NEWEST_FIRST = { field: 'date', order: 'desc' } as const;
/** The gateway documents no maximum; if it refuses 100, gateway/page.ts asks for less. */
const PAGE_SIZE = 100;
/** The gateway's default, which it cannot refuse. */
export const SMALLEST_PAGE = 10;

export class EventPages {
	/** The most rows that a page had in this poll. */
	rowsPerPage = 1;
	private readonly startedAt = Date.now();
	private requests = 0;

	constructor(
		private readonly client: Client,
		private readonly node: INode,
		/** How many rows to request per page. Lower once the gateway has refused that many. */
		public pageSize = PAGE_SIZE,
	) {}

	/** How many more requests there is time for, if they take as long as earlier ones. */
	get requestsLeft(): number {
		if (this.requests === 0) return Infinity;
		const now = Date.now();
		const msPerRequest = Math.max(1, now - this.startedAt) / this.requests;
		return Math.floor((this.client.deadline - now) / msPerRequest);
	}

	async read(number: number, pageSize = this.pageSize): Promise<EventPage> {
		if (this.requestsLeft < 1) {
			const advice = "If this keeps happening, lower 'Max Events per Poll'.";
			throw this.readError('The gateway is too slow: the poll ran out of time', advice);
		}
		this.requests++;
		let gatewayClock: number | undefined;
		const read = await readPage(number, pageSize, async (size) => {
			const page = { page: number, pageSize: size, sort: NEWEST_FIRST };
			const result = await this.client.attempt('webhookEvents', { page });
			if ('error' in result) throw result.error;
			gatewayClock = result.reply.date;
			return result.reply.answer;
		});
		const { dropped, total } = read;
		if (read.pageSize < pageSize) this.pageSize = read.pageSize;
		if (dropped > 0) this.client.warn(droppedRowsWarning(dropped));
		const length = read.rows.length + dropped;
		this.rowsPerPage = Math.max(this.rowsPerPage, length);
		const clocks = [Date.now(), gatewayClock ?? Date.now()];
		const now = Math.min(...clocks);
		const futureFrom = Math.max(...clocks) + DAY;
		const rows = read.rows.map((event): Row => ({
			event,
			hash: eventHash(event),
			time: momentOf(event.date) ?? now,
		}));
		const times = rows.map(({ time }) => time);
		// Fewer rows are usually the whole list: then nothing is missed, whatever their order.
		if (number === 1 && times.length >= SMALLEST_PAGE && runsAgainst('desc', times)) {
			throw this.readError(
				'The gateway did not sort the events by date, newest first',
				'If the next polls fail as well, ask your gateway to sort webhookEvents by date.',
			);
		}
		return { number, pageSize: read.pageSize, rows, length, total, now, futureFrom };
	}

	/** "Nothing fired" is true: if events fire despite a failed late scan, only the message is logged. */
	readError(message: string, advice: string): Error {
		const description = `Nothing fired, since events could have been missed. ${advice}`;
		return new NodeApiError(this.node, { message }, { message, description });
	}
}
