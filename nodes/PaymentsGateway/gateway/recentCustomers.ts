import { emailKey } from '../wire/email';
import type { Client } from './client';

/**
 * Whom this process has just made, or given another email. The gateway's list may not show them for
 * a while, and in that while nobody is to make them a second time.
 */

interface Recent {
	merchant: string;
	/** More than one where Create, which does not look, has made twins. */
	ids: readonly string[];
	/** The answer to a new customer was lost: nobody knows whether there is one. */
	isUnsure: boolean;
	at: number;
}

const KEPT_MS = 600_000;
const JUST_NOW_MS = 60_000;
const MOST = 10_000;

/** By merchant and email, the latest last. */
const kept = new Map<string, Recent>();

function ageOf({ at }: Recent): number {
	return performance.now() - at;
}

function keyOf({ customerScope }: Client, email: string): string {
	return JSON.stringify([customerScope, emailKey(email)]);
}

export function recentCustomers(client: Client, email: string): Recent {
	const found = kept.get(keyOf(client, email));
	if (found !== undefined && ageOf(found) < KEPT_MS) return found;
	return { merchant: client.customerScope, ids: [], isUnsure: false, at: 0 };
}

/** The gateway may not know a customer by ID yet who was made so lately. */
export function isJustNow(recent: Recent): boolean {
	return ageOf(recent) < JUST_NOW_MS;
}

/** That the customer with an ID has the email now, and no other. */
export function noteCustomer(client: Client, email: string, id: string): void {
	forgetCustomer(client, id);
	const { ids } = recentCustomers(client, email);
	keep(client, email, [...new Set([...ids, id])], false);
}

/** That a customer with the email may have been made. */
export function noteUnsure(client: Client, email: string): void {
	keep(client, email, recentCustomers(client, email).ids, true);
}

function keep(client: Client, email: string, ids: readonly string[], isUnsure: boolean): void {
	const key = keyOf(client, email);
	kept.delete(key);
	kept.set(key, { merchant: client.customerScope, ids, isUnsure, at: performance.now() });
	for (const [oldest, each] of kept) {
		if (kept.size <= MOST && ageOf(each) < KEPT_MS) break;
		kept.delete(oldest);
	}
}

/** That the customer with an ID has been deleted, or has another email. */
export function forgetCustomer({ customerScope }: Client, id: string): void {
	for (const each of kept.values()) {
		if (each.merchant === customerScope) each.ids = each.ids.filter((other) => other !== id);
	}
}
