import { startSandbox } from '../sandbox';
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
	settings?: Partial<Settings> | undefined;
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

/** Payloads of a wanted length, with the excess in fields that nobody asked for. */
function padded(sandbox: Sandbox, payloadBytes: number): (index: number) => EventInput {
	const { eventID, payload } = sandbox.addEvent();
	sandbox.removeEvent(eventID);
	const { transaction } = JSON.parse(payload) as { transaction: object };
	const missing = Math.ceil((payloadBytes - payload.length) / 124);
	const notes = Array.from({ length: missing }, (_, index) => ({
		name: `field ${index}`,
		value: 'x'.repeat(90),
	}));
	return (index) => {
		const own = { id: `txn_${String(index).padStart(8, '0')}`, amount: 100 + index };
		const payer = { customer_email: `customer${index}@example.com`, referenceID: `order-${index}` };
		return { payload: { transaction: { ...transaction, ...own, ...payer }, notes } };
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

/** A reset makes the sandbox forget charges, not the package: no two carts share a reference. */
let made = 0;

function carryOut(sandbox: Sandbox, order: Order): Report {
	if (order.reset) sandbox.reset();
	Object.assign(sandbox.settings, order.settings);
	if (order.events) addEvents(sandbox, order.events);
	const { url, credentials, requests, maxInFlight } = sandbox;
	return {
		...{ url, credentials, maxInFlight },
		carts: Array.from({ length: order.carts ?? 0 }, () =>
			sandbox.addCart({ referenceID: `cart-${++made}`, amount: 2_500 }),
		),
		customers: sandbox
			.addCustomers(order.customers ?? 0)
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
