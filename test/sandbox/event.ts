import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { instant } from './clock';
import { Listing } from './listing';

/**
 * The webhook events of a merchant group: those of payments, and those that a test adds. An event
 * with a date in the future, such as the capture of a bank payment, does not exist before that date.
 * The list shows an event of a payment only after a lag, as a real gateway may do.
 *
 *   record() -> scheduled --(its date)--> lagging --(eventLag)--> rows (the list)
 *   add() ------------------------------------------------------> rows
 */

/** An event as a test writes it. Missing fields get a sensible value. */
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
	scheduled: readonly WebhookEvent[] = [];

	readonly listing = new Listing<WebhookEvent>({
		rows: () => this.rows,
		fields: ['eventID', 'date', 'type', 'payload'],
		dateField: 'date',
	});

	/** The events of the list, and then those that still lag. */
	happened(): WebhookEvent[] {
		return [...this.rows, ...this.lagging.map(({ event }) => event)];
	}

	add(event: WebhookEvent): void {
		this.rows.push(event);
		this.listing.invalidate();
	}

	record(event: WebhookEvent, now: Date): void {
		this.scheduled = [...this.scheduled, event];
		this.moveDue(now);
	}

	/** Moves the scheduled events whose date has come, in order of time. */
	moveDue(now: Date): void {
		const isDue = ({ date }: WebhookEvent) => instant(date) <= now.getTime();
		const due = this.scheduled.filter(isDue);
		this.scheduled = this.scheduled.filter((event) => !isDue(event));
		const recordedAt = performance.now();
		due.sort((one, other) => instant(one.date) - instant(other.date));
		this.lagging.push(...due.map((event) => ({ event, recordedAt })));
	}

	/** Moves the events whose lag is over into the list. */
	release(lag: number, now: Date): void {
		this.moveDue(now);
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
