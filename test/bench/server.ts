import { ServerResponse } from 'node:http';

import { startSandbox } from '../sandbox';
import type { EventInput, Sandbox, Settings } from '../sandbox';
import { answer } from './child';

/** The sandbox in a process of its own, so that its work does not count as ours. */

interface EventsWanted {
	count: number;
	/** Roughly how long each payload is; without it, as the sandbox makes them. */
	payloadBytes?: number;
	/** How long ago the newest one happened. */
	agoMs?: number;
}

export interface Order {
	reset?: true;
	settings?: Partial<Settings>;
	customers?: number;
	events?: EventsWanted;
	/** To be charged, each with a reference of its own. */
	carts?: number;
}

export interface Tally {
	requests: number;
	/** Of them, how many were refused with a 429. */
	refused: number;
	/** Of answer bodies. */
	bytes: number;
	maxInFlight: number;
}

export interface Report extends Tally {
	url: string;
	credentials: Sandbox['credentials'];
	carts: string[];
	customers: Array<{ id: string; email: string; nameOnCard: string }>;
}

let bytes = 0;
/** A reset makes the sandbox forget charges, not the package: no two carts share a reference. */
let carts = 0;
const end = ServerResponse.prototype.end;
ServerResponse.prototype.end = function (this: ServerResponse, ...given: unknown[]) {
	const [chunk] = given;
	if (Buffer.isBuffer(chunk) || typeof chunk === 'string') bytes += Buffer.byteLength(chunk);
	return Reflect.apply(end, this, given) as ServerResponse;
} as typeof end;

/** Payloads of a wanted length, with the excess in fields that nobody asked for. */
function padded(sandbox: Sandbox, payloadBytes: number): (index: number) => EventInput {
	const [sample] = sandbox.addEvents(1);
	if (sample === undefined) throw new Error('The sandbox made no event');
	sandbox.removeEvent(sample.eventID);
	const template = JSON.parse(sample.payload) as { transaction: object };
	const missing = payloadBytes - sample.payload.length;
	const notes: Array<{ name: string; value: string }> = [];
	for (let length = 0; length < missing; length += 124) {
		notes.push({ name: `field ${notes.length}`, value: 'x'.repeat(90) });
	}
	return (index) => ({
		payload: {
			transaction: {
				...template.transaction,
				id: `txn_${String(index).padStart(8, '0')}`,
				amount: 100 + index,
				customer_email: `customer${index}@example.com`,
				referenceID: `order-${index}`,
			},
			notes,
		},
	});
}

function addEvents(sandbox: Sandbox, { count, payloadBytes, agoMs = 0 }: EventsWanted): void {
	const make = payloadBytes === undefined ? undefined : padded(sandbox, payloadBytes);
	const newest = Date.now() - agoMs;
	sandbox.addEvents(count, (index) => ({
		// Close together, so that all of them are younger than any look-back.
		date: new Date(newest - (count - 1 - index) * 20).toISOString(),
		...make?.(index),
	}));
}

const sandbox = startSandbox();

answer(async (order: Order): Promise<Report> => {
	const service = await sandbox;
	if (order.reset) {
		service.reset();
		bytes = 0;
	}
	Object.assign(service.settings, order.settings);
	const customers = order.customers ? service.addCustomers(order.customers) : [];
	if (order.events) addEvents(service, order.events);
	return {
		carts: Array.from({ length: order.carts ?? 0 }, () =>
			service.addCart({ referenceID: `cart-${++carts}`, amount: 2_500 }),
		),
		url: service.url,
		credentials: service.credentials,
		customers: customers.map(({ id, email, nameOnCard }) => ({ id, email, nameOnCard })),
		requests: service.requests.length,
		refused: service.requests.filter(({ status }) => status === 429).length,
		bytes,
		maxInFlight: service.maxInFlight,
	};
});
