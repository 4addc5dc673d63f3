import type { Attempt } from '../../nodes/PaymentsGateway/gateway/client';
import type { PageSize } from '../../nodes/PaymentsGateway/trigger/cursor';
import { EventList } from '../../nodes/PaymentsGateway/trigger/eventList';
import { Pace } from '../../nodes/PaymentsGateway/trigger/pace';
import type { ListAnswer, WebhookEvent } from '../../nodes/PaymentsGateway/wire';

export interface Habits {
	/** What `page.total` says: the truth, something useless, or the rows of the page. */
	total: 'true' | 'zero' | 'text' | 'constant' | 'page' | 'random';
	/** The service serves no more rows a page than this. */
	cap?: number;
	/** Whether `page.pageSize` says so. */
	isCapSaid: boolean;
	/** How rows of one moment lie: in order of arrival, or anew for each request. */
	ties: 'stable' | 'random';
	/** What a page beyond the last one holds; nothing where it is left out. */
	beyond?: 'first' | 'last';
	/** Whether answers carry a `Date` header. */
	hasDate: boolean;
}

interface Listed {
	event: WebhookEvent;
	at: number;
}

type Answered = Attempt<ListAnswer<WebhookEvent>>;

/** The service's event list as a plain array: what cursor, walk and catchUp are held against. */
export class EventModel {
	now = Date.UTC(2026, 0, 10, 12);
	/** How far the service's clock is off, and this machine's. */
	serviceOff = 0;
	localOff = 0;
	/** Newest first. */
	rows: Listed[] = [];
	requests = 0;
	/** So many of the next requests are answered with an empty list. */
	empty = 0;
	/** Milliseconds that a request takes. */
	latency = 0;
	/** Called before every request is answered; what it gives back is the answer. */
	before: (request: number) => Answered | undefined = () => undefined;

	private made = 0;

	constructor(
		readonly habits: Habits,
		private readonly random: () => number = Math.random,
	) {}

	get serviceNow(): number {
		return this.now + this.serviceOff;
	}

	get localNow(): number {
		return this.now + this.localOff;
	}

	/** What a poll reads it with; with a time limit that is not met, unless told otherwise. */
	open(pageSize = 100, remembered?: PageSize, pace = new Pace(Date.now() + 30_000)): EventList {
		const refuse = (words: string) => new Error(words);
		return new EventList(pageSize, remembered, this.ask, refuse, pace, () => undefined);
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

	readonly ask = async (page: number, asked: number): Promise<Answered> => {
		const instead = this.before(++this.requests);
		this.now += this.latency;
		if (instead !== undefined) return await Promise.resolve(instead);
		const { beyond, cap, isCapSaid, total, hasDate } = this.habits;
		const pageSize = Math.min(asked, cap ?? asked);
		const last = Math.max(1, Math.ceil(this.rows.length / pageSize));
		const shown = page <= last || beyond === undefined ? page : beyond === 'first' ? 1 : last;
		const start = (shown - 1) * pageSize;
		const isEmpty = this.empty-- > 0;
		const data = isEmpty ? [] : this.cut(start, start + pageSize).map(({ event }) => event);
		const counts = {
			true: isEmpty ? 0 : this.rows.length,
			zero: 0,
			text: 'many',
			constant: 5000,
			page: data.length,
			random: Math.floor(this.random() * 3_000),
		};
		const answer = {
			data,
			page: {
				total: counts[total] as number,
				range: { from: start, to: start + pageSize },
				page,
				pageSize: isCapSaid ? pageSize : asked,
			},
		};
		const date = Math.floor(this.serviceNow / 1000) * 1000;
		return await Promise.resolve({ reply: hasDate ? { answer, date } : { answer } });
	};

	private cut(start: number, end: number): Listed[] {
		if (this.habits.ties === 'stable') return this.rows.slice(start, end);
		let from = start;
		let to = end;
		const at = (index: number) => this.rows[index]?.at;
		while (from > 0 && at(from - 1) === at(from) && at(from) !== undefined) from--;
		while (to < this.rows.length && at(to) === at(to - 1)) to++;
		return this.rows
			.slice(from, to)
			.map((row) => ({ row, lot: this.random() }))
			.sort((a, b) => b.row.at - a.row.at || a.lot - b.lot)
			.map(({ row }) => row)
			.slice(start - from, end - from);
	}
}
