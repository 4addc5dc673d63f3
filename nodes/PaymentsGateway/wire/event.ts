/**
 * Webhook events as the gateway lists them. What is in their payload is read in `output/event.ts`.
 */

export interface WebhookEvent {
	eventID: string;
	date: string;
	type: string;
	/** JSON, written as text. */
	payload: string;
}
