import type { CustomerDetail, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { StoredCart } from './cart';
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
	logs: Record<string, { events: WebhookEvent[]; upcoming: readonly WebhookEvent[] }>;
}

export function snapshotOf(state: State): Snapshot {
	const logs = [...state.logs].map(([groupID, log]) => [
		groupID,
		{ events: log.all(), upcoming: log.upcoming() },
	]);
	return {
		customers: state.customers.all(),
		products: [...state.products.values()],
		carts: [...state.carts.values()],
		paylinks: [...state.paylinks.values()],
		charges: state.charges,
		logs: Object.fromEntries(logs),
	};
}

/** Events that were due in the meantime happen now, with the date that they were due on. */
export function stateOf(snapshot: Snapshot, now: Date): State {
	const state = new State();
	for (const customer of snapshot.customers) state.customers.keep(customer);
	for (const product of snapshot.products) state.products.set(product.id, product);
	for (const cart of snapshot.carts) {
		state.carts.set(cart.paymentData, { ...new StoredCart(), ...cart });
	}
	for (const paylink of snapshot.paylinks) state.paylinks.set(paylink.payLinkID, paylink);
	state.charges.push(...snapshot.charges);
	for (const [groupID, { events, upcoming }] of Object.entries(snapshot.logs)) {
		const log = state.log(groupID);
		for (const event of events) log.add(event);
		for (const event of upcoming) log.record(event, now);
	}
	return state;
}
