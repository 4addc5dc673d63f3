import { textOf } from './json';

/**
 * Webhook events as the gateway lists them. What is in their payload is read in `events/facts.ts`.
 */

export interface WebhookEvent {
	eventID: string;
	date: string;
	type: string;
	/** JSON, written as text. */
	payload: string;
}

/** The kinds of event that the gateway's document names. */
export const EVENT_TYPES: ReadonlySet<unknown> = new Set([
	'payment_success',
	'payment_failed',
	'payment_refund',
]);

/** The document also writes payment.success for payment_success. */
export function eventType(type: unknown): string {
	return textOf(type).replaceAll('.', '_');
}
