import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { dateRank, Listing } from './page';

/**
 * The webhook events of a merchant group: those of payments, and those that a test adds. An event
 * of a payment can be held back for a while, as a real service may do.
 */

/** An event as a test writes it. What is left out gets a sensible value. */
export interface EventInput {
	/** The same ID twice is allowed: the list then shows both rows. */
	eventID?: string;
	/** Any text. Given as `undefined` it makes a row without the field. */
	date?: string | undefined;
	type?: string;
	/** An object is encoded; a string stays as it is, JSON or not. */
	payload?: string | object;
	/** Place in the order of arrival (default: last). It decides among rows that sort equal. */
	at?: number;
	/** The merchant group that sees it (default: that of `credentials`). */
	groupID?: string;
	/** For the payload that is made when none is given. */
	referenceID?: string;
	amount?: number;
	transactionID?: string;
}

interface StoredEvent {
	event: WebhookEvent;
	rank: number;
	json: Buffer | undefined;
}

interface LaggingEvent {
	event: WebhookEvent;
	recordedAt: number;
}

function stored(event: WebhookEvent): StoredEvent {
	// A row without a date has none at run time, although the type says that it is text.
	return { event, rank: dateRank(event.date ?? ''), json: undefined };
}

/** The events of one merchant group, in order of arrival. */
export class EventLog {
	private rows: StoredEvent[] = [];
	private lagging: LaggingEvent[] = [];

	readonly listing = new Listing<StoredEvent>({
		items: () => this.rows,
		columns: {
			eventID: { text: ({ event }) => event.eventID, sortable: true },
			date: {
				text: ({ event }) => event.date ?? '',
				rank: ({ rank }) => rank,
				sortable: true,
			},
			type: { text: ({ event }) => event.type, sortable: true },
			payload: { text: ({ event }) => event.payload, sortable: false },
		},
		searchable: ({ event }) => `${event.eventID}\n${event.type}\n${event.payload}`,
		json: (row) => (row.json ??= Buffer.from(JSON.stringify(row.event))),
		naturalOrder: ({ eventOrder }) => ({ field: 'date', order: eventOrder }),
	});

	/** The events that the list shows, and then those that are still held back. */
	all(): WebhookEvent[] {
		return [...this.rows, ...this.lagging].map(({ event }) => event);
	}

	add(event: WebhookEvent, at = this.rows.length): void {
		if (at >= this.rows.length) this.rows.push(stored(event));
		else this.rows.splice(at, 0, stored(event));
		this.listing.changed();
	}

	/** Adds the event of a payment. It shows in the list only after the lag (see the settings). */
	record(event: WebhookEvent): void {
		this.lagging.push({ event, recordedAt: performance.now() });
	}

	release(lag: number): void {
		if (this.lagging.length === 0) return;
		const due = performance.now() - lag;
		const still = this.lagging.filter(({ recordedAt }) => recordedAt > due);
		if (still.length === this.lagging.length) return;
		for (const { event, recordedAt } of this.lagging) {
			if (recordedAt <= due) this.rows.push(stored(event));
		}
		this.lagging = still;
		this.listing.changed();
	}

	remove(eventID: string): boolean {
		const count = this.rows.length + this.lagging.length;
		this.rows = this.rows.filter(({ event }) => event.eventID !== eventID);
		this.lagging = this.lagging.filter(({ event }) => event.eventID !== eventID);
		this.listing.changed();
		return this.rows.length + this.lagging.length < count;
	}
}

/** Frozen, because the list keeps its JSON and would not show a change. */
export function webhookEvent(fields: {
	eventID?: string | undefined;
	date: string | undefined;
	type: string;
	payload: string | object;
}): WebhookEvent {
	const { eventID = randomUUID(), date, type, payload } = fields;
	const event: WebhookEvent = {
		eventID,
		date: date ?? '',
		type,
		payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
	};
	if (date === undefined) Reflect.deleteProperty(event, 'date');
	return Object.freeze(event);
}
