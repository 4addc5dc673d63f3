import { formatMoney, majorUnitsOf } from '../output/money';
import type { WebhookEvent } from '../wire';
import { eventType } from '../wire/event';
import { jsonOf, wholeOf } from '../wire/json';
import {
	findReason,
	findText,
	findValue,
	isAboutPayment,
	objectsIn,
	outermost,
	parsedIfJson,
} from './payload';
import type { PayloadObject } from './payload';

/**
 * Reads the facts of one event. Its type and its record decide; the gateway's prose is shown and never
 * interpreted.
 *
 * The record is the object that describes the payment or refund: `transaction` or `refund`, as the
 * gateway's document has it, or else the object of the payload that looks most like one.
 */

export type EventFacts = ReturnType<typeof factsOf>;

export type ParsedEvent = ReturnType<typeof parseEvent>;

/** `payload`: what its JSON holds. If it is not JSON, the text itself. */
export function parseEvent({ eventID, type, date, payload: text }: WebhookEvent) {
	const parsed = typeof text === 'string' ? jsonOf(text) : text;
	const isJson = parsed !== undefined;
	const payload = isJson ? parsed : text;
	const error = isJson ? {} : { payloadError: 'The payload is not JSON' };
	return { eventID, type: eventType(type), date, payload, ...error };
}

/** Whether the event carries exactly this reference. */
export function carriesReference({ payload }: ParsedEvent, reference: string): boolean {
	return referencesIn(objectsIn(payload)).includes(reference);
}

const NAME_FIELDS = ['customername', 'cardholdername', 'nameoncard'];
const ID_FIELDS = ['transactionid', 'paymentid', 'txid'];

export function factsOf({ type, payload }: ParsedEvent) {
	const objects = objectsIn(payload);
	const aboutPayment = objects.filter(isAboutPayment);
	const { recordOrNone, idNames, isDocumented, isRefundRecord } = recordIn(type, aboutPayment);
	// The record comes first: other objects can have fields of the same names.
	const nearest = [...recordOrNone, ...aboutPayment];
	const find = (...names: string[]) => findText(nearest, ...names);
	const persons = outermost(objects, 'customer', 'payer');
	const cart = outermost(objects, 'lineitems');
	const references = referencesIn(objects);
	const currency = find('currency', 'currencycode');
	// Only the record's own amount: another can be a part of it, or what a refund is taken from.
	const cents = findValue(recordOrNone, ['amount', 'total'], wholeOf);
	return {
		isDocumented,
		isRefundRecord,
		references,
		/** In the smallest unit of the currency. */
		cents,
		/** The transaction that a refund gives back. */
		parentTransactionID: findText(recordOrNone, 'parenttransactionid'),
		/** The fields of the simplified event, in this order. */
		shown: {
			amountFormatted: cents === undefined ? undefined : formatMoney(cents, currency),
			customerName: find(...NAME_FIELDS) ?? findText(persons, 'name'),
			customerEmail: find('customeremail', 'email'),
			referenceID: references[0],
			message: findReason(nearest),
			status: find('status', 'paymentstatus'),
			amount: cents === undefined ? undefined : majorUnitsOf(cents, currency),
			currency,
			customerID: find('customerid') ?? findText(persons, 'id') ?? findText(cart, 'customerid'),
			brand: find('brand', 'cardbrand'),
			// The number is masked, with its last four digits at the end.
			last4: find('maskednumberlast4', 'last4')?.slice(-4),
			transactionID: findText(recordOrNone, ...idNames) ?? find(...ID_FIELDS),
			lineItems: findValue(cart, ['lineitems'], filledListOf),
		},
	};
}

function recordIn(type: string, objects: readonly PayloadObject[]) {
	// A refund can come with the payment that it gives back, and a payment with its refund.
	const names = type === 'payment_success' ? ['transaction', 'refund'] : ['refund', 'transaction'];
	const [documented] = outermost(objects, ...names);
	const having = (field: string) => objects.find(({ fields }) => fields.has(field));
	const record =
		documented ?? having('amount') ?? having('total') ?? having('status') ?? objects[0];
	return {
		recordOrNone: record === undefined ? [] : [record],
		isDocumented: documented !== undefined,
		/** Whether the record is a refund. Under the type `payment_failed`, this refund has failed. */
		isRefundRecord: documented?.name === 'refund',
		/** The `id` of an undocumented object need not be that of the transaction. */
		idNames: documented ? ['id'] : ['transactionid', 'id'],
	};
}

/** The references in the documented objects or, if there are none, the outermost one elsewhere. */
function referencesIn(objects: readonly PayloadObject[]): string[] {
	const referencesOf = (those: readonly PayloadObject[]) =>
		those.flatMap((object) => findText([object], 'referenceid') ?? []);
	const documented = referencesOf(outermost(objects, 'transaction', 'refund', 'lineitems'));
	return documented.length > 0 ? documented : referencesOf(objects).slice(0, 1);
}

/** For the documented cart of a success: `lineItems: { customerID, referenceID, lineItems: […] }`. */
function filledListOf(value: unknown): unknown[] | undefined {
	const parsed = parsedIfJson(value);
	return Array.isArray(parsed) && parsed.length > 0 ? parsed : undefined;
}
