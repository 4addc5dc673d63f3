import type { Client } from '../gateway/client';

/**
 * The customers that this process has created, or given another email, within the last minute. The
 * gateway's list may not show them yet, and "Create or Update" must not create them a second time.
 */

interface Recent {
	customerScope: string;
	/** By `performance.now()`. */
	notedAt: number;
	/**
	 * Several if "Create" or "Update" gave the email to more than one customer: they do not check whether it
	 * is taken. "Create or Update" then refuses to choose.
	 */
	ids: readonly string[];
	/** The answer to addCustomer was lost, so one more customer may have the email. */
	isUnconfirmed: boolean;
}

/** The gateway shows a new or changed customer within a minute (docs/limits.md). */
const SHOWS_WITHIN_MS = 60_000;

/** By merchant and email, the latest last. */
const recents = new Map<string, Recent>();

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
	const found = recents.get(scopedKey(client, email));
	return found && isRecent(found) ? found : undefined;
}

function isRecent({ notedAt }: Recent): boolean {
	return performance.now() - notedAt < SHOWS_WITHIN_MS;
}

/** Notes that this customer has the email. */
export function noteCustomer(client: Client, email: string, id: string): void {
	const ids = new Set(recentCustomer(client, email)?.ids).add(id);
	note(client, email, { ids: [...ids], isUnconfirmed: false });
}

/** Notes that a customer with the email may exist: the answer to addCustomer was lost. */
export function noteUnconfirmed(client: Client, email: string): void {
	note(client, email, { ids: recentCustomer(client, email)?.ids ?? [], isUnconfirmed: true });
}

function note(client: Client, email: string, noted: Pick<Recent, 'ids' | 'isUnconfirmed'>): void {
	const key = scopedKey(client, email);
	recents.delete(key);
	const { customerScope } = client;
	recents.set(key, { ...noted, customerScope, notedAt: performance.now() });
	for (const [oldest, recent] of recents) {
		if (isRecent(recent)) break;
		recents.delete(oldest);
	}
}

/** Notes that the customer was deleted. */
export function forgetCustomer({ customerScope }: Client, id: string): void {
	for (const recent of recents.values()) {
		if (recent.customerScope === customerScope) recent.ids = recent.ids.filter((one) => one !== id);
	}
}
