import { formatMoney, majorUnitsOf } from '../output/money';
import type { WebhookEvent } from '../wire';
import { eventType } from '../wire/event';
import { jsonOf, textOf, wholeOf } from '../wire/json';
import {
	findReason,
	findText,
	findValue,
	isAboutPayment,
	objectNamed,
	objectsIn,
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

export interface ParsedEvent {
	eventID: string;
	type: string;
	date: string;
	/** What the JSON of the payload holds. If it is not JSON, the text itself. */
	payload: unknown;
	payloadError?: string;
}

export function parseEvent({ eventID, type, date, payload }: WebhookEvent): ParsedEvent {
	const head = { eventID, type: eventType(type), date };
	const parsed = typeof payload === 'string' ? jsonOf(payload) : payload;
	if (parsed !== undefined) return { ...head, payload: parsed };
	return { ...head, payload, payloadError: 'The payload is not JSON' };
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
	const persons = aboutPayment.filter(({ name }) => name === 'customer' || name === 'payer');
	const cart = objectNamed('lineitems', objects);
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
			customerID: find('customerid') ?? findText(persons, 'id') ?? textIn(cart, 'customerid'),
			brand: find('brand', 'cardbrand'),
			// The number is masked, with its last four digits at the end.
			last4: find('maskednumberlast4', 'last4')?.slice(-4),
			transactionID: findText(recordOrNone, ...idNames) ?? find(...ID_FIELDS),
			lineItems: lineItemsIn(cart),
		},
	};
}

function recordIn(type: string, objects: readonly PayloadObject[]) {
	const transaction = objectNamed('transaction', objects);
	const refund = objectNamed('refund', objects);
	// A refund can come with the payment that it gives back, and a payment with its refund.
	const documented = type === 'payment_success' ? (transaction ?? refund) : (refund ?? transaction);
	const having = (field: string) => objects.find(({ fields }) => fields.has(field));
	const record =
		documented ?? having('amount') ?? having('total') ?? having('status') ?? objects[0];
	return {
		recordOrNone: record === undefined ? [] : [record],
		isDocumented: documented !== undefined,
		/** Whether the record is a refund. Under the type `payment_failed`, this refund has failed. */
		isRefundRecord: documented !== undefined && documented === refund,
		/** The `id` of an undocumented object need not be that of the transaction. */
		idNames: documented ? ['id'] : ['transactionid', 'id'],
	};
}

/** The references in the documented objects or, if there are none, the outermost one elsewhere. */
function referencesIn(objects: readonly PayloadObject[]): string[] {
	const documented = ['transaction', 'refund', 'lineitems'].flatMap(
		(name) => textIn(objectNamed(name, objects), 'referenceid') ?? [],
	);
	if (documented.length > 0) return documented;
	const elsewhere = findText(objects, 'referenceid');
	return elsewhere === undefined ? [] : [elsewhere];
}

/** The documented cart of a success: `lineItems: { customerID, referenceID, lineItems: […] }`. */
function lineItemsIn(cart: PayloadObject | undefined): unknown[] | undefined {
	const lineItems = parsedIfJson(cart?.fields.get('lineitems'));
	return Array.isArray(lineItems) && lineItems.length > 0 ? lineItems : undefined;
}

function textIn(object: PayloadObject | undefined, name: string): string | undefined {
	return textOf(object?.fields.get(name)) || undefined;
}
