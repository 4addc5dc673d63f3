import type { Client } from '../gateway/client';

/**
 * The customers that this process has made, or given another email, within the last minute. The
 * gateway's list may not show them yet, and until then nobody may make them a second time.
 */

interface Recent {
	customerScope: string;
	/** By `performance.now()`. */
	notedAt: number;
	/** More than one if Create, which does not look, has made twins. */
	ids: readonly string[];
	/** The answer to addCustomer was lost: the customer may exist or not. */
	isUnconfirmed: boolean;
}

/** Within a minute, what was made or changed shows in lists and by ID. */
const SHOWS_WITHIN_MS = 60_000;

/** By merchant and email, the latest last. */
const recents = new Map<string, Recent>();

/** Two emails are the same if their keys are: people write them in any case. */
export function emailKey(email: string): string {
	return email.trim().toLowerCase();
}

/** An email or ID among the customers of one merchant. */
export function keyOf({ customerScope }: Client, name: string): string {
	return JSON.stringify([customerScope, emailKey(name)]);
}

export function recentCustomer(client: Client, email: string): Recent | undefined {
	const found = recents.get(keyOf(client, email));
	return found && isRecent(found) ? found : undefined;
}

function isRecent({ notedAt }: Recent): boolean {
	return performance.now() - notedAt < SHOWS_WITHIN_MS;
}

/** Notes that a customer has the email; without an ID, that one may have been made with it. */
export function noteCustomer(client: Client, email: string, id?: string): void {
	const { customerScope } = client;
	const key = keyOf(client, email);
	const ids = new Set(recentCustomer(client, email)?.ids);
	if (id !== undefined) ids.add(id);
	recents.delete(key);
	const isUnconfirmed = id === undefined;
	recents.set(key, { customerScope, notedAt: performance.now(), ids: [...ids], isUnconfirmed });
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
