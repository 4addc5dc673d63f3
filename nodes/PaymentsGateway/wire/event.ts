/** Webhook events as the service lists them. */

export interface WebhookEvent {
	eventID: string;
	date: string;
	type: string;
	/** A JSON document, encoded as a string. */
	payload: string;
}
