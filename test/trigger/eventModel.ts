import type { Attempt } from '../../nodes/PaymentsGateway/gateway/client';
import type { ListAnswer, WebhookEvent } from '../../nodes/PaymentsGateway/wire';

export interface Habits {
	/** What `page.total` says. */
	total: 'true' | 'zero' | 'text' | 'constant';
	/** The service serves no more rows a page than this. */
	cap?: number;
	/** Whether `page.pageSize` says so. */
	isCapSaid: boolean;
	/** How rows of one moment lie: in order of arrival, or anew for each request. */
	ties: 'stable' | 'random';
}

interface Listed {
	event: WebhookEvent;
	at: number;
}

/** The service's event list as a plain array: what cursor, walk and catchUp are held against. */
export class EventModel {
	now = Date.UTC(2026, 0, 10, 12);
	/** Newest first. */
	rows: Listed[] = [];
	requests = 0;
	/** Called before every request is answered. */
	before: (request: number) => void = () => undefined;

	private made = 0;

	constructor(
		readonly habits: Habits,
		private readonly random: () => number = Math.random,
	) {}

	/** Lists an event; without a readable date it lies at a place of its own. */
	list(at: number, date = new Date(at).toISOString(), eventID = `evt_${++this.made}`): string {
		const event = { eventID, date, type: 'payment_success', payload: '{}' };
		let low = 0;
		let high = this.rows.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((this.rows[middle]?.at ?? 0) > at) low = middle + 1;
			else high = middle;
		}
		this.rows.splice(low, 0, { event, at });
		return eventID;
	}

	readonly ask = async (
		page: number,
		asked: number,
	): Promise<Attempt<ListAnswer<WebhookEvent>>> => {
		this.before(++this.requests);
		const { cap, isCapSaid, total } = this.habits;
		const pageSize = Math.min(asked, cap ?? asked);
		const start = (page - 1) * pageSize;
		const answer = {
			data: this.cut(start, start + pageSize).map(({ event }) => event),
			page: {
				total: { true: this.rows.length, zero: 0, text: 'many', constant: 5000 }[total] as number,
				range: { from: start, to: start + pageSize },
				page,
				pageSize: isCapSaid ? pageSize : asked,
			},
		};
		return await Promise.resolve({ reply: { answer, date: Math.floor(this.now / 1000) * 1000 } });
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
