import { factsOf, simplify, unfold } from '../../output/event';
import type { WebhookEvent } from '../../wire';
import { EVENT_TYPES } from '../../wire/event';
import { textOf } from '../../wire/json';
import { momentOf } from '../../wire/moment';
import { isCaptured } from '../../wire/payment';

/**
 * What is kept of one event of the gateway, and which events belong to a reference. What they come to
 * together stands in outcome.ts.
 */

/** Texts are empty where the event does not say it. */
export interface PaymentEvent {
	readonly eventID: string;
	/** One of the document's three, or another that moves no money. */
	readonly type: string;
	readonly date: string;
	/** Epoch milliseconds; NaN where the date cannot be read. */
	readonly at: number;
	readonly references: readonly string[];
	/** The transaction, and the one that a refund gives back. */
	readonly id: string;
	readonly parent: string;
	/** In the currency's smallest unit; NaN where it is not known, and so is then every sum of it. */
	readonly amount: number;
	readonly currency: string;
	/** The simplified event as JSON, which takes a third of the memory of an object. */
	readonly shown: string;
}

/** What an event is known by. */
export const eventKey = (row: WebhookEvent) => textOf(row.eventID) || JSON.stringify(row);

export function paymentEventOf(row: WebhookEvent): PaymentEvent {
	const unfolded = unfold(row);
	const facts = factsOf(unfolded);
	const { status = '', transactionID = '', currency = '' } = facts.shown;
	let { type } = unfolded;
	// A refund that failed leaves its payment as it was.
	if (facts.isRefund && type === 'payment_failed') type = 'refund_failed';
	const isPayment = isCaptured({ status }) && !facts.isRefund;
	if (isPayment && !EVENT_TYPES.has(type)) type = 'payment_success';
	return {
		eventID: eventKey(row),
		type,
		date: unfolded.date,
		at: momentOf(unfolded.date) ?? NaN,
		references: facts.references,
		id: transactionID,
		parent: facts.parent ?? '',
		// What goes back may be written with a minus.
		amount: Math.abs(facts.cents ?? NaN),
		currency: currency.toUpperCase(),
		shown: JSON.stringify(simplify(unfolded, facts)),
	};
}

export const isSuccess = ({ type }: PaymentEvent) => type === 'payment_success';
export const isRefund = ({ type }: PaymentEvent) => type === 'payment_refund';
export const isFailure = ({ type }: PaymentEvent) => type === 'payment_failed';

/** The oldest first; those whose date cannot be read before all others. */
export function inOrder(events: readonly PaymentEvent[]): PaymentEvent[] {
	return [...events].sort((a, b) => (a.at || 0) - (b.at || 0) || (a.eventID < b.eventID ? -1 : 1));
}

/** Those that carry the reference, and the refunds and failures of its payments; the oldest first. */
export function eventsAbout(reference: string, events: readonly PaymentEvent[]): PaymentEvent[] {
	const isCarrying = ({ references }: PaymentEvent) => references.includes(reference);
	const paid = new Set(
		events.filter((event) => isCarrying(event) && isSuccess(event)).map(({ id }) => id),
	);
	paid.delete('');
	const isOfPaid = (event: PaymentEvent) =>
		(isRefund(event) && (paid.has(event.id) || paid.has(event.parent))) ||
		(isFailure(event) && paid.has(event.id));
	return inOrder(events.filter((event) => isCarrying(event) || isOfPaid(event)));
}
