import type { CustomerDetail, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import type { StoredCart } from './cart';
import { type Charge, State, type StoredPaylink, type StoredProduct } from './state';

/**
 * A state as plain data that JSON can hold, and a state made from it: `npm start` keeps its sandbox
 * this way until the next start.
 */
export interface Snapshot {
	customers: CustomerDetail[];
	products: StoredProduct[];
	carts: StoredCart[];
	paylinks: StoredPaylink[];
	charges: Charge[];
	/** By merchant group. */
	eventLogs: Record<string, { happened: WebhookEvent[]; scheduled: readonly WebhookEvent[] }>;
}

export function snapshotOf(state: State): Snapshot {
	const eventLogs = [...state.eventLogs].map(([groupID, log]) => [
		groupID,
		{ happened: log.happened(), scheduled: log.scheduledEvents() },
	]);
	return {
		customers: state.customers.all(),
		products: [...state.products.values()],
		carts: [...state.carts.values()],
		paylinks: [...state.paylinks.values()],
		charges: state.charges,
		eventLogs: Object.fromEntries(eventLogs),
	};
}

/** Events that became due meanwhile happen now, with the date on which they were due. */
export function stateOf(snapshot: Snapshot, now: Date): State {
	const state = new State();
	for (const customer of snapshot.customers) state.customers.store(customer);
	for (const product of snapshot.products) state.products.set(product.id, product);
	for (const cart of snapshot.carts) state.carts.set(cart.paymentData, cart);
	for (const paylink of snapshot.paylinks) state.paylinks.set(paylink.payLinkID, paylink);
	state.charges.push(...snapshot.charges);
	for (const [groupID, { happened, scheduled }] of Object.entries(snapshot.eventLogs)) {
		const log = state.eventLog(groupID);
		for (const event of happened) log.add(event);
		for (const event of scheduled) log.record(event, now);
	}
	return state;
}
