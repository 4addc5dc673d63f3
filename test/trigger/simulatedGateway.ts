import type { INode } from 'n8n-workflow';

import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import type { Reply } from '../../nodes/PaymentsGateway/gateway/request';
import { EventPages } from '../../nodes/PaymentsGateway/trigger/eventPages';
import type { ListAnswer, WebhookEvent } from '../../nodes/PaymentsGateway/wire';

/** The gateway's list of events in memory, with a clock of its own. No HTTP, no timers. */

/** How a gateway behaves; all of it is allowed by docs/limits.md, but for the two plain errors. */
export interface Habits {
	/** What `page.total` is: the number of rows, 0, or a text. */
	total: 'true' | 'zero' | 'text';
	/** Whether answers carry a `Date` header. */
	hasDate: boolean;
	/** It serves no more rows a page than this. */
	cap?: number | undefined;
	/** It refuses a page of more rows than this. */
	refusedAbove?: number | undefined;
	/** It refuses pages that reach further down than this. */
	deepest?: number | undefined;
	/** What it answers behind the last page. */
	beyond?: 'empty' | 'last' | 'refused' | undefined;
	/** An error: every page has the rows of page 1. */
	ignoresPage?: boolean;
	/** An error: the list is sorted the other way. */
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
	...{ id: 'n', name: 'Trigger', type: 't', typeVersion: 1, position: [0, 0], parameters: {} },
};

/** What a poll reads, if a function answers instead of the gateway. */
export function pagesOf(given: {
	answer: (request: PageRequest) => Answer;
	/** Epoch milliseconds. */
	deadline: number;
	pageSize?: number | undefined;
}): EventPages {
	const attempt = async (_: string, { page }: { page: PageRequest }) =>
		await Promise.resolve({ reply: given.answer(page) });
	const client = { attempt, warn: () => undefined } as unknown as Client;
	return new EventPages({ client, node: NODE, ...given });
}

/** The error of a request that was answered with this status. */
export function refused(httpCode: string): Error {
	return Object.assign(new Error(httpCode), { httpCode });
}

export class SimulatedGateway {
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

	constructor(readonly habits: Habits) {}

	/** Lists an event at a place. Its date is the same, unless it is given. */
	list(time: number, date = new Date(time).toISOString(), eventID = this.nextId()): string {
		this.insert(time, { eventID, date, type: 'payment_success', payload: '{}' });
		return eventID;
	}

	/** Lists a row that is not an event. */
	listNull(time: number): void {
		this.insert(time, null as never);
	}

	/** Removes the oldest rows, but for so many. */
	removeAllBut(kept: number): ListedRow[] {
		const gone = this.rows.splice(kept);
		this.removed.push(...gone);
		return gone;
	}

	answer({ page, pageSize: requested }: PageRequest): Answer {
		this.requests++;
		const failure = this.beforeAnswer(page);
		this.now += this.latency;
		if (failure) throw failure;
		const { cap, refusedAbove = Infinity, deepest = Infinity, beyond, hasDate } = this.habits;
		const pageSize = Math.min(requested, cap ?? requested);
		const lastPage = Math.max(1, Math.ceil(this.rows.length / pageSize));
		const isBeyond = page > lastPage;
		const isTooDeep = page * pageSize > deepest;
		if (isTooDeep || requested > refusedAbove || (isBeyond && beyond === 'refused')) {
			throw refused('400');
		}
		const served = isBeyond && beyond === 'last' ? lastPage : page;
		const answer = this.pageOf(this.habits.ignoresPage ? 1 : served, pageSize);
		return hasDate ? { answer, date: Math.floor(this.now / 1000) * 1000 } : { answer };
	}

	private pageOf(page: number, pageSize: number): ListAnswer<WebhookEvent> {
		const isEmpty = this.emptyAnswers-- > 0;
		const sorted = this.habits.isOldestFirst ? [...this.rows].reverse() : this.rows;
		const rows = isEmpty ? [] : sorted;
		const data = rows.slice((page - 1) * pageSize, page * pageSize).map(({ event }) => event);
		const totals = { true: rows.length, zero: 0, text: 'many' };
		return { data, page: { total: totals[this.habits.total] as number, page, pageSize } };
	}

	private nextId(): string {
		return `evt_${this.rows.length + this.removed.length + 1}`;
	}

	/** Above all rows that are not newer, as rows of the same moment come in. */
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
