import type { Client } from '../../gateway/client';

/**
 * Whom this process has made, or given another email, within the last minute. The gateway's list may
 * not show them yet, and in that while nobody is to make them a second time.
 */

interface Recent {
	merchant: string;
	at: number;
	/** More than one where Create, which does not look, has made twins. */
	ids: readonly string[];
	/** The answer to a new customer was lost: nobody knows whether there is one. */
	isUnsure: boolean;
}

/** Within it, what was made or changed shows in lists and by ID. */
const KEPT_MS = 60_000;

/** By merchant and email, the latest last. */
const kept = new Map<string, Recent>();

/** Two emails are the same where these are: people write them in any case. */
export function emailKey(email: string): string {
	return email.trim().toLowerCase();
}

/** An email or ID among the customers of one merchant. */
export function keyOf({ customerScope }: Client, name: string): string {
	return JSON.stringify([customerScope, emailKey(name)]);
}

function isRecent({ at }: Recent): boolean {
	return performance.now() - at < KEPT_MS;
}

export function recentCustomers(client: Client, email: string): Pick<Recent, 'ids' | 'isUnsure'> {
	const found = kept.get(keyOf(client, email));
	return found !== undefined && isRecent(found) ? found : { ids: [], isUnsure: false };
}

/** That a customer with an ID has the email; without an ID, that one may have been made. */
export function noteCustomer(client: Client, email: string, id?: string): void {
	const key = keyOf(client, email);
	const known = recentCustomers(client, email).ids;
	const ids = id === undefined ? known : [...new Set([...known, id])];
	kept.delete(key);
	kept.set(key, {
		merchant: client.customerScope,
		at: performance.now(),
		ids,
		isUnsure: id === undefined,
	});
	for (const [oldest, recent] of kept) {
		if (isRecent(recent)) break;
		kept.delete(oldest);
	}
}

/** That the customer with an ID has been deleted. */
export function forgetCustomer({ customerScope }: Client, id: string): void {
	for (const recent of kept.values()) {
		if (recent.merchant === customerScope) recent.ids = recent.ids.filter((other) => other !== id);
	}
}
