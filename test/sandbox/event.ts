import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { instant } from './clock';
import { Listing } from './listing';

/**
 * The webhook events of a merchant group: those of payments, and those that a test adds. An event
 * of a payment can be held back for a while, as a real gateway may do. An event with a date in the
 * future, such as the settlement of a bank payment, does not exist before that date.
 */

/** An event as a test writes it. What is left out gets a sensible value. */
export interface EventInput {
	/** The same ID twice is allowed: the list then shows both rows. */
	eventID?: string;
	date?: string;
	type?: string;
	/** An object is encoded; a string stays as it is, JSON or not. */
	payload?: string | object;
	/** The merchant group that sees it (default: that of `credentials`). */
	groupID?: string;
	/** For the payload that is made when none is given. */
	referenceID?: string;
	amount?: number;
	transactionID?: string;
}

/** The events of one merchant group, in order of arrival. */
export class EventLog {
	private readonly rows: WebhookEvent[] = [];
	private readonly lagging: Array<{ event: WebhookEvent; recordedAt: number }> = [];
	private scheduled: WebhookEvent[] = [];

	readonly listing = new Listing<WebhookEvent>({
		rows: () => this.rows,
		fields: ['eventID', 'date', 'type', 'payload'],
		dateField: 'date',
	});

	/** The events that the list shows, and then those that are still held back. */
	all(): WebhookEvent[] {
		return [...this.rows, ...this.lagging.map(({ event }) => event)];
	}

	/** Events that have not happened yet. */
	upcoming(): readonly WebhookEvent[] {
		return this.scheduled;
	}

	add(event: WebhookEvent): void {
		this.rows.push(event);
		this.listing.changed();
	}

	/**
	 * Adds the event of a payment once its date has come. It shows in the list only after the lag
	 * (see the settings).
	 */
	record(event: WebhookEvent, now: Date): void {
		this.scheduled.push(event);
		this.happen(now);
	}

	/** What was scheduled until now has happened, in order of time. */
	happen(now: Date): void {
		const isDue = ({ date }: WebhookEvent) => instant(date) <= now.getTime();
		const due = this.scheduled.filter(isDue);
		this.scheduled = this.scheduled.filter((event) => !isDue(event));
		const recordedAt = performance.now();
		due.sort((one, other) => instant(one.date) - instant(other.date));
		this.lagging.push(...due.map((event) => ({ event, recordedAt })));
	}

	/** Shows the events that have lagged for so long. They were recorded in order of time. */
	release(lag: number, now: Date): void {
		this.happen(now);
		const due = performance.now() - lag;
		for (let [next] = this.lagging; next && next.recordedAt <= due; [next] = this.lagging) {
			this.lagging.shift();
			this.add(next.event);
		}
	}
}

export function webhookEvent(
	type: string,
	date: string,
	payload: string | object,
	eventID: string = randomUUID(),
): WebhookEvent {
	const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return { eventID, date, type, payload: text };
}
