import type { IDataObject } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import type { WebhookEvent } from '../wire';
import { EVENT_TYPES } from '../wire/event';
import { factsOf, parseEvent } from './facts';
import type { EventFacts, ParsedEvent } from './facts';

/**
 * An event as either node outputs it: simplified, or raw (the type as the gateway wrote it, the
 * payload parsed). The output still has to be masked.
 */

export function eventOutput(row: WebhookEvent, isSimple: boolean, mask: Mask): IDataObject {
	const event = parseEvent(row);
	return isSimple ? simplify(event, mask) : { ...(event as object), type: row.type };
}

/**
 * Every simplified event has all fields; one that the event does not give is null. The payload is
 * included if the document does not describe it, or if a failure gives no reason.
 */
export function simplify(event: ParsedEvent, mask: Mask, facts = factsOf(event)): IDataObject {
	const { eventID, type, date, payload, payloadError } = event;
	const { shown, isDocumented } = facts;
	const summary = summaryOf(type, facts, mask);
	const fields = { summary, type, ...shown, date, eventID } as IDataObject;
	for (const name of Object.keys(fields)) fields[name] ??= null;
	const lacksReason = type === 'payment_failed' && shown.message === undefined;
	if (!EVENT_TYPES.has(type) || !isDocumented || lacksReason) {
		fields.payload = payload as IDataObject;
	}
	if (payloadError !== undefined) fields.payloadError = payloadError;
	return fields;
}

const PHRASES = new Map([
	['payment_success', { what: 'Payment', preposition: 'by', end: 'succeeded' }],
	['payment_failed', { what: 'Payment', preposition: 'by', end: 'failed' }],
	['payment_refund', { what: 'Refund', preposition: 'to', end: 'succeeded' }],
	['refund_failed', { what: 'Refund', preposition: 'to', end: 'failed' }],
]);

/** One sentence for an alert. It leaves out what the event does not say. */
function summaryOf(type: string, { shown, isRefundRecord }: EventFacts, mask: Mask): string {
	// Masked before they are part of a sentence: there, the mask would not recognise JSON, or a token that has
	// lost its "<" (asPlainText) or its final dot. Line items are not part of it, and take long to mask.
	const texts = mask.value({ ...shown, lineItems: undefined });
	const { amountFormatted, customerName, customerEmail, message, referenceID } = texts;
	const kind = isRefundRecord && type === 'payment_failed' ? 'refund_failed' : type;
	const other = { what: `Event ${type}`.trim(), preposition: 'for', end: '' };
	const { what, preposition, end } = PHRASES.get(kind) ?? other;
	const hasBoth = customerName !== undefined && customerEmail !== undefined;
	const who = hasBoth ? `${customerName} (${customerEmail})` : (customerName ?? customerEmail);
	const sentence = [
		what,
		amountFormatted && `of ${amountFormatted}`,
		who && `${preposition} ${who}`,
		end,
	];
	const reason = end === 'succeeded' || !message ? '' : `: ${message.replace(/\.$/, '')}`;
	const reference = referenceID ? ` (reference ${referenceID})` : '';
	return asPlainText(`${sentence.filter(Boolean).join(' ')}${reason}${reference}`);
}

/** Alerts go to chats and emails, where a name that a payer has typed could be markup. */
function asPlainText(sentence: string): string {
	const withoutMarkup = sentence.replaceAll('<', '‹').replaceAll('>', '›');
	// Not replace(/\s+/g, ' ') as the last step: V8 keeps its result in pieces, 1.3 kB instead of 0.2 kB
	// (measured).
	return withoutMarkup.split(/\s+/).join(' ');
}
