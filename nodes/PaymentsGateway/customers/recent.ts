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

/**
 * The customers with an email, by merchant and email. Several if "Create" or "Update" gave it to more than
 * one: they do not check whether it is taken. "Create or Update" then refuses to choose.
 */
const idsByEmail = createExpiringMap<readonly string[]>(SHOWS_WITHIN_MS);

/** The emails that one more customer may have, by merchant: the answer to a creation or an update was lost. */
const unconfirmed = createExpiringMap<true>(SHOWS_WITHIN_MS);

/** The state after an update, by merchant, customer ID and the state before it. */
const successors = createExpiringMap<CustomerForm>(SHOWS_WITHIN_MS);

/** By merchant and ID. */
const deleted = createExpiringMap<true>(SHOWS_WITHIN_MS);

/** Two emails are the same if their keys are: people mix upper and lower case. */
export function emailKey(email: string): string {
	return email.trim().toLowerCase();
}

/** Identifies something among the customers of all merchants. */
export function scopedKey({ customerScope }: Client, ...parts: readonly string[]): string {
	return JSON.stringify([customerScope, ...parts]);
}

export function recentIds(client: Client, email: string): readonly string[] {
	const ids = idsByEmail.get(scopedKey(client, emailKey(email))) ?? [];
	return ids.filter((id) => !isDeleted(client, id));
}

/** Notes that this customer has the email. */
export function noteCustomer(client: Client, email: string, id: string): void {
	const ids = new Set(recentIds(client, email)).add(id);
	idsByEmail.set(scopedKey(client, emailKey(email)), [...ids]);
}

export function noteUnconfirmed(client: Client, email: string): void {
	unconfirmed.set(scopedKey(client, emailKey(email)), true);
}

export function isUnconfirmed(client: Client, email: string): boolean {
	return unconfirmed.get(scopedKey(client, emailKey(email))) === true;
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
	// `after` is the latest state now. If an earlier update has replaced it, latestOf would follow that one, and
	// could run in a circle.
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

function stateKey(client: Client, id: string, state: CustomerForm): string {
	return scopedKey(client, id, ...CUSTOMER_FIELDS.map((field) => textOf(state[field])));
}

export function noteDeleted(client: Client, id: string): void {
	deleted.set(scopedKey(client, id), true);
}

export function isDeleted(client: Client, id: string): boolean {
	return deleted.get(scopedKey(client, id)) === true;
}
