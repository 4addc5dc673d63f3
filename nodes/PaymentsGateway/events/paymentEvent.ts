import type { Mask } from '../output/mask';
import type { WebhookEvent } from '../wire';
import { textOf } from '../wire/json';
import { isCaptured } from '../wire/payment';
import { factsOf, parseEvent } from './facts';
import type { EventFacts } from './facts';
import { timeOf } from './order';
import { simplify } from './simplify';

/**
 * An event, reduced to what the cache keeps of it, and the events that belong to a reference. What they
 * add up to is decided in outcome.ts.
 */

/** A text that the event does not give is empty. */
export interface PaymentEvent {
	/** Identifies the event: see `eventKey`. */
	readonly key: string;
	/** What the event counts as. `other` does not count. */
	readonly kind: 'payment' | 'refund' | 'failure' | 'other';
	readonly date: string;
	/** The date in epoch milliseconds. NaN if it cannot be read. */
	readonly at: number;
	readonly references: readonly string[];
	readonly transactionID: string;
	/** The transaction that a refund gives back. */
	readonly parentTransactionID: string;
	/** In the currency's smallest unit. NaN if unknown, which makes every sum with it NaN, too. */
	readonly amount: number;
	/** In capitals. */
	readonly currency: string;
	/** The simplified event as JSON, which takes a third of the memory of an object. */
	readonly json: string;
}

/** An event without an ID is identified by its whole row as JSON. */
export const eventKey = (row: WebhookEvent) => textOf(row.eventID) || JSON.stringify(row);

export function paymentEventOf(row: WebhookEvent, mask: Mask): PaymentEvent {
	const event = parseEvent(row);
	const facts = factsOf(event);
	const { references, parentTransactionID = '', shown } = facts;
	return {
		key: eventKey(row),
		kind: kindOf(event.type, facts),
		date: event.date,
		at: timeOf(event),
		references,
		transactionID: shown.transactionID ?? '',
		parentTransactionID,
		// A refund can be written with a minus.
		amount: Math.abs(facts.cents ?? NaN),
		currency: shown.currency?.toUpperCase() ?? '',
		json: JSON.stringify(simplify(event, mask, facts)),
	};
}

function kindOf(type: string, { isRefundRecord, shown }: EventFacts): PaymentEvent['kind'] {
	if (type === 'payment_refund') return 'refund';
	// A refund that failed leaves its payment as it was.
	if (type === 'payment_failed') return isRefundRecord ? 'other' : 'failure';
	if (type === 'payment_success') return 'payment';
	// An event with status CAPTURED is a payment, even under a type that the document does not name.
	return isCaptured({ status: shown.status ?? '' }) && !isRefundRecord ? 'payment' : 'other';
}

/** The oldest first. Events whose date cannot be read come before all others. */
export function inOrder(events: readonly PaymentEvent[]): PaymentEvent[] {
	return [...events].sort((a, b) => (a.at || 0) - (b.at || 0) || (a.key < b.key ? -1 : 1));
}

/**
 * The events that carry the reference, and the refunds and failures of the payments among them. The
 * oldest come first.
 */
export function eventsAbout(reference: string, events: readonly PaymentEvent[]): PaymentEvent[] {
	const carries = ({ references }: PaymentEvent) => references.includes(reference);
	const payments = events.filter((event) => event.kind === 'payment' && carries(event));
	const paid = new Set(payments.map(({ transactionID }) => transactionID));
	paid.delete('');
	const isOfPaid = ({ kind, transactionID, parentTransactionID }: PaymentEvent) =>
		(kind === 'refund' && (paid.has(transactionID) || paid.has(parentTransactionID))) ||
		(kind === 'failure' && paid.has(transactionID));
	return inOrder(events.filter((event) => carries(event) || isOfPaid(event)));
}
