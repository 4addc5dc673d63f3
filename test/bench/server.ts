import { randomUUID } from 'node:crypto';

import { nodeCredentials, startSandbox } from '../sandbox';
import type { EventInput, Sandbox, Settings } from '../sandbox';

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

export type Report = ReturnType<typeof carryOut>;

/** Payloads of a wanted length, with the excess in fields that nobody asked for. */
function padded(sandbox: Sandbox, payloadBytes: number): (index: number) => EventInput {
	const { eventID, payload } = sandbox.addEvent();
	sandbox.removeEvent(eventID);
	const { transaction } = JSON.parse(payload);
	const missing = Math.ceil((payloadBytes - payload.length) / 124);
	const notes = Array.from({ length: missing }, (_, index) => ({
		name: `field ${index}`,
		value: 'x'.repeat(90),
	}));
	return (index) => {
		const own = { id: `txn_${String(index).padStart(8, '0')}`, referenceID: `order-${index}` };
		const customer_email = `customer${index}@example.com`;
		return { payload: { transaction: { ...transaction, ...own, customer_email }, notes } };
	};
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

function carryOut(sandbox: Sandbox, { reset, settings, events, customers = 0, carts = 0 }: Order) {
	if (reset) sandbox.reset();
	Object.assign(sandbox.settings, settings);
	if (events) addEvents(sandbox, events);
	// A reset makes the sandbox forget charges, not the package.
	const cart = () => sandbox.addCart({ referenceID: `cart-${randomUUID()}`, amount: 2_500 });
	const { url, requests, maxInFlight } = sandbox;
	return {
		...{ url, maxInFlight, credentials: nodeCredentials(sandbox) },
		carts: Array.from({ length: carts }, cart),
		customers: sandbox
			.addCustomers(customers)
			.map(({ id, email, nameOnCard }) => ({ id, email, nameOnCard })),
		requests: requests.length,
		refused: requests.filter(({ status }) => status === 429).length,
		bytes: requests.reduce((sum, { answer = '' }) => sum + Buffer.byteLength(answer), 0),
	};
}

const started = startSandbox();
process.on('message', async (order: Order) => process.send?.(carryOut(await started, order)));
// However the bench ends, this ends with it.
process.on('disconnect', () => process.exit());
