import { EventPages } from '../../nodes/PaymentsGateway/trigger/eventPages';
import type { Surroundings } from '../../nodes/PaymentsGateway/trigger/eventPages';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { BUDGET } from './spans';

export interface Habits {
	/** What `page.total` says: the truth, or nothing that is a count. */
	total: 'true' | 'zero' | 'text';
	/** The gateway serves no more rows a page than this. */
	cap?: number | undefined;
	/** A page of more rows than this is refused. */
	refusedAbove?: number | undefined;
	/** Rows further down than this are refused, or not shown. */
	deepest?: number | undefined;
	/** What a page beyond the last one holds, or that it is refused; nothing where it is left out. */
	beyond?: 'last' | 'refused' | undefined;
	/** Every page holds the rows of the first one. */
	ignoresPage?: boolean;
	isOldestFirst?: boolean;
	/** Whether answers carry a `Date` header. */
	hasDate: boolean;
}

interface Listed {
	event: WebhookEvent;
	at: number;
}

type Ask = Surroundings['ask'];
type Answered = Awaited<ReturnType<Ask>>;

export function refused(httpCode: string): Error {
	return Object.assign(new Error(httpCode), { httpCode });
}

export function pagesOf(ask: Ask, deadline: number, pageSize?: number): EventPages {
	const errorOf = (words: string) => new Error(words);
	return new EventPages({ ask, deadline, errorOf, warn: () => undefined }, pageSize);
}

/** The gateway's event list as a plain array: what the trigger is held against. */
export class EventModel {
	now = Date.UTC(2026, 0, 10, 12);
	/** How far this machine's clock is off. */
	localOff = 0;
	/** Newest first. */
	rows: Listed[] = [];
	requests = 0;
	/** So many of the next requests are answered with an empty list. */
	empty = 0;
	/** Milliseconds that a request takes. */
	latency = 0;
	/** Called before every request is answered; an error that it gives back is thrown instead. */
	before: (request: number, page: number) => Error | void = () => undefined;

	private made = 0;

	constructor(readonly habits: Habits) {}

	get localNow(): number {
		return this.now + this.localOff;
	}

	/** What a poll reads it with. */
	open(pageSize?: number): EventPages {
		const ask: Ask = async (page, size) => await Promise.resolve(this.answer(page, size));
		return pagesOf(ask, Date.now() + BUDGET, pageSize);
	}

	/** Lists an event; without a readable date it lies at a place of its own. */
	list(at: number, date = new Date(at).toISOString(), eventID = `evt_${++this.made}`): string {
		this.insert(at, { eventID, date, type: 'payment_success', payload: '{}' });
		return eventID;
	}

	/** A row that is no event. */
	listNull(at: number): void {
		this.insert(at, null as never);
	}

	private insert(at: number, event: WebhookEvent): void {
		let low = 0;
		let high = this.rows.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((this.rows[middle]?.at ?? 0) > at) low = middle + 1;
			else high = middle;
		}
		this.rows.splice(low, 0, { event, at });
	}

	private answer(page: number, asked: number): Answered {
		const failure = this.before(++this.requests, page);
		this.now += this.latency;
		if (failure) throw failure;
		const { beyond, cap, total, hasDate, refusedAbove, deepest = Infinity } = this.habits;
		const { ignoresPage, isOldestFirst } = this.habits;
		const pageSize = Math.min(asked, cap ?? asked);
		const last = Math.max(1, Math.ceil(this.rows.length / pageSize));
		const isBeyond = page > last;
		const isTooDeep = page * pageSize > deepest;
		const isRefused = asked > (refusedAbove ?? asked) || (isBeyond && beyond === 'refused');
		if (isTooDeep || isRefused) throw refused('400');
		const shown = ignoresPage ? 1 : isBeyond && beyond === 'last' ? last : page;
		const start = (shown - 1) * pageSize;
		const isEmpty = this.empty-- > 0;
		const rows = isOldestFirst ? [...this.rows].reverse() : this.rows;
		const data = isEmpty ? [] : rows.slice(start, start + pageSize).map(({ event }) => event);
		const counts = { true: isEmpty ? 0 : this.rows.length, zero: 0, text: 'many' };
		const range = { from: start, to: start + pageSize };
		const answer = { data, page: { total: counts[total] as number, range, page, pageSize } };
		const date = Math.floor(this.now / 1000) * 1000;
		return hasDate ? { answer, date } : { answer };
	}
}
