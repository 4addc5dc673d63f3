import type { Client } from '../gateway/client';
import { createExpiringMap } from '../gateway/expiringMap';
import type { CustomerDetail, CustomerForm } from '../wire';
import { CUSTOMER_FIELDS } from '../wire/customer';
import { textOf } from '../wire/json';

/**
 * The customers that this process has created, changed or deleted within the last minute. The gateway may
 * still show them as they were before, in its list and by ID. "Create or Update" must not create a
 * customer a second time because of that, and an update must not undo the one before.
 *
 * An update leads from one state of a customer to the next. If the gateway shows a state that this process
 * has replaced, the answer is stale, and the latest state counts. Any other state is believed: others may
 * have changed the customer.
 */

/** The gateway shows a new or changed customer within a minute (docs/limits.md). */
const SHOWS_WITHIN_MS = 60_000;

/** The customers with an email. */
interface Recent {
	/**
	 * Several if "Create" or "Update" gave the email to more than one customer: they do not check whether it
	 * is taken. "Create or Update" then refuses to choose.
	 */
	ids: readonly string[];
	/** The answer to a creation or an update was lost, so one more customer may have the email. */
	isUnconfirmed: boolean;
}

/** By merchant and email. */
const recents = createExpiringMap<Recent>(SHOWS_WITHIN_MS);

/** The state after an update, by merchant, customer ID and the state before it. */
const successors = createExpiringMap<CustomerForm>(SHOWS_WITHIN_MS);

/** By merchant and ID. */
const deleted = createExpiringMap<true>(SHOWS_WITHIN_MS);

/** Two emails are the same if their keys are: people mix upper and lower case. */
export function emailKey(email: string): string {
	return email.trim().toLowerCase();
}

/**
 * Identifies an email or ID among the customers of all merchants. IDs that differ only in case share a
 * lock, which is harmless.
 */
export function scopedKey({ customerScope }: Client, identifier: string): string {
	return JSON.stringify([customerScope, emailKey(identifier)]);
}

export function recentCustomer(client: Client, email: string): Recent | undefined {
	const recent = recents.get(scopedKey(client, email));
	return recent && { ...recent, ids: recent.ids.filter((id) => !isDeleted(client, id)) };
}

/** Notes that this customer has the email. */
export function noteCustomer(client: Client, email: string, id: string): void {
	const { ids = [], isUnconfirmed = false } = recentCustomer(client, email) ?? {};
	recents.set(scopedKey(client, email), { ids: [...new Set(ids).add(id)], isUnconfirmed });
}

/** Notes that one more customer may have the email: an answer was lost. */
export function noteUnconfirmed(client: Client, email: string): void {
	const { ids = [] } = recentCustomer(client, email) ?? {};
	recents.set(scopedKey(client, email), { ids, isUnconfirmed: true });
}

interface Update {
	before: CustomerDetail;
	after: CustomerForm;
	/** If not, the customer may be in either state. */
	isConfirmed: boolean;
}

export function noteUpdate(client: Client, { before, after, isConfirmed }: Update): void {
	const { id } = before;
	if (isConfirmed) successors.set(stateKey(client, id, before), after);
	// Nothing has replaced the latest state, even if an earlier update did. So no successors form a circle.
	successors.delete(stateKey(client, id, after));
}

/** The customer after this process's own updates, if `detail` is from before them. */
export function latestOf(client: Client, detail: CustomerDetail): CustomerDetail {
	let latest = detail;
	for (;;) {
		const successor = successors.get(stateKey(client, detail.id, latest));
		if (successor === undefined) return latest;
		latest = { ...latest, ...successor };
	}
}

function stateKey({ customerScope }: Client, id: string, state: CustomerForm): string {
	const values = CUSTOMER_FIELDS.map((field) => textOf(state[field]));
	return JSON.stringify([customerScope, id, values]);
}

export function noteDeleted({ customerScope }: Client, id: string): void {
	deleted.set(JSON.stringify([customerScope, id]), true);
}

export function isDeleted({ customerScope }: Client, id: string): boolean {
	return deleted.get(JSON.stringify([customerScope, id])) === true;
}
