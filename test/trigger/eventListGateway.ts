import type { INode } from 'n8n-workflow';

import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import type { Reply } from '../../nodes/PaymentsGateway/gateway/request';
import { EventPages } from '../../nodes/PaymentsGateway/trigger/eventPages';
import type { ListAnswer, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { cutPage } from '../gateway/servedList';
import type { PageHabits } from '../gateway/servedList';

/** The gateway's list of events in memory, with a clock of its own. No HTTP, no timers. */

/** How the gateway behaves. docs/limits.md allows all of it except `ignoresPage` and `isOldestFirst`. */
export interface EventListHabits extends Partial<PageHabits> {
	/** What `page.total` is: the number of rows, 0, or a text. */
	total: 'correct' | 'zero' | 'text';
	/** Whether answers carry a `Date` header. */
	hasDate: boolean;
	/** A page that reaches below this many rows is refused. */
	deepest?: number;
	/** The list is sorted the other way. */
	isOldestFirst?: boolean;
}

export interface ListedRow {
	readonly event: WebhookEvent;
	/** Where it is in the list, in epoch milliseconds: its date, if that is readable. */
	readonly time: number;
}

interface PageRequest {
	page: number;
	pageSize: number;
}
type Answer = Reply<ListAnswer<WebhookEvent>>;

export const NODE: INode = {
	id: 'n',
	name: 'Trigger',
	type: 't',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** What a poll reads, if a function answers instead of the gateway. */
export function pagesOf({
	answer,
	deadline,
	pageSize,
}: {
	answer: (request: PageRequest) => Answer;
	/** Epoch milliseconds. */
	deadline: number;
	pageSize?: number | undefined;
}): EventPages {
	const attempt = async (_: string, { page }: { page: PageRequest }) =>
		await Promise.resolve({ reply: answer(page) });
	const client = { attempt, deadline, warn: () => undefined } as unknown as Client;
	return new EventPages(client, NODE, pageSize);
}

/** The error of a request that was answered with this status. */
export function refused(httpCode: string): Error {
	return Object.assign(new Error(httpCode), { httpCode });
}

export class EventListGateway {
	now = Date.UTC(2026, 0, 10, 12);
	/** Newest first. */
	readonly rows: ListedRow[] = [];
	/** The rows that were removed from the list. */
	readonly removed: ListedRow[] = [];
	requests = 0;
	/** How many of the next requests get an empty list. */
	emptyAnswers = 0;
	/** How many milliseconds a request takes. */
	latency = 0;
	/** Called before a request is answered. An error that it returns is thrown instead. */
	beforeAnswer: (page: number) => Error | undefined = () => undefined;

	constructor(readonly habits: EventListHabits) {}

	/** Lists an event at the place of a time, which is also its date, unless that is given. */
	list(time: number, date = new Date(time).toISOString(), eventID = this.nextId()): string {
		this.insert(time, { eventID, date, type: 'payment_success', payload: '{}' });
		return eventID;
	}

	/** Lists a row that is not an event. */
	listNull(time: number): void {
		this.insert(time, null as never);
	}

	/** Removes all but the newest `kept` rows. */
	removeAllBut(kept: number): ListedRow[] {
		const gone = this.rows.splice(kept);
		this.removed.push(...gone);
		return gone;
	}

	answer(request: PageRequest): Answer {
		this.requests++;
		const failure = this.beforeAnswer(request.page);
		this.now += this.latency;
		if (failure) throw failure;
		const answer = this.pageOf(request);
		return this.habits.hasDate ? { answer, date: Math.floor(this.now / 1000) * 1000 } : { answer };
	}

	private pageOf(request: PageRequest): ListAnswer<WebhookEvent> {
		const { total, deepest = Infinity, isOldestFirst } = this.habits;
		const pageSize = Math.min(request.pageSize, this.habits.rowsPerPage ?? Infinity);
		const sorted = isOldestFirst ? [...this.rows].reverse() : this.rows;
		const rows = cutPage(sorted, request, this.habits);
		if (rows === undefined || request.page * pageSize > deepest) throw refused('400');
		const isEmpty = this.emptyAnswers-- > 0;
		const data = isEmpty ? [] : rows.map(({ event }) => event);
		const totals = { correct: isEmpty ? 0 : this.rows.length, zero: 0, text: 'many' };
		return { data, page: { total: totals[total] as number, page: request.page, pageSize } };
	}

	private nextId(): string {
		return `evt_${this.rows.length + this.removed.length + 1}`;
	}

	/** Above all rows that are not newer: of rows with one date, the last to arrive is on top. */
	private insert(time: number, event: WebhookEvent): void {
		let low = 0;
		let high = this.rows.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((this.rows[middle]?.time ?? 0) > time) low = middle + 1;
			else high = middle;
		}
		this.rows.splice(low, 0, { event, time });
	}
}
