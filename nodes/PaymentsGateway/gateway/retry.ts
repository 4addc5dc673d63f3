import type { Effect } from '../wire';
import { textOf } from '../wire/json';

/**
 * Decides whether a failed request is sent again, and when. The endpoint's effect comes first: a
 * charge is never repeated, a write only if it cannot have been carried out, a read after most
 * failures.
 */

/** What a try failed with. `code` says why no answer came, such as ECONNREFUSED. */
export interface FailedTry {
	status?: number;
	code?: string | undefined;
	/** From the answer's Retry-After. */
	retryAfterMs?: number | undefined;
	/** With a good status, it calls itself an error and holds no result. */
	isToldFailed?: boolean;
	/** It was held back before it could leave. */
	unsent?: boolean;
}

const TRIES = 3;
/** After a 429 there are more, since the pace learns the rate from them. */
const TRIES_LIMITED = 5;
const BASE_DELAY = 400;
export const LONGEST_WAIT = 60_000;

/** The user stopped the execution. */
export const CANCELED = 'ERR_CANCELED';
/** The credential is not complete. */
export const CREDENTIAL_ERROR = 'CredentialError';
/** n8n itself lets no request go to that address. */
export const BLOCKED = 'BlockedByN8n';

/** With these codes no connection was made. */
const NOT_SENT: ReadonlySet<string | undefined> = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	CREDENTIAL_ERROR,
	BLOCKED,
]);

/** The gateway takes no more for now. It says so before it does any work. */
export function isLimited({ status }: FailedTry): boolean {
	return status === 429;
}

/** Statuses that say plainly that nothing was charged. A charge after any other may have gone through. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 401, 402, 403, 404, 405, 422, 429]);

/** The gateway says that nothing was done. */
export function isRefusal(effect: Effect, { status = 0, isToldFailed }: FailedTry): boolean {
	if (effect === 'charge') return REFUSALS.has(status);
	return isToldFailed || (status >= 400 && status < 500 && status !== 408);
}

/** Nothing can have reached the gateway. */
export function neverSent({ code, unsent = false }: FailedTry): boolean {
	return unsent || NOT_SENT.has(code);
}

/** Another try would end as this one. */
const FINAL: ReadonlySet<string | undefined> = new Set([CANCELED, CREDENTIAL_ERROR, BLOCKED]);

function mayRepeat(effect: Effect, failed: FailedTry): boolean {
	if (effect === 'charge' || FINAL.has(failed.code)) return false;
	if (isLimited(failed) || neverSent(failed)) return true;
	return effect === 'read' && (failed.status ?? 500) >= 500;
}

/** How long to wait before the next try, or undefined when there is none. `tried` counts from 1. */
export function nextTry(
	effect: Effect,
	failed: FailedTry,
	tried: number,
	random: () => number = Math.random,
): number | undefined {
	const tries = isLimited(failed) ? TRIES_LIMITED : TRIES;
	if (tried >= tries || !mayRepeat(effect, failed)) return undefined;
	// Full jitter: many requests that failed together do not come back together.
	const jitter = random() * BASE_DELAY * 2 ** tried;
	// After a limit without Retry-After the pace does the waiting.
	if (failed.retryAfterMs === undefined) return isLimited(failed) ? 0 : jitter;
	return failed.retryAfterMs <= LONGEST_WAIT ? failed.retryAfterMs + jitter / 2 : undefined;
}

/** Retry-After comes as seconds or as a date. */
export function readRetryAfter(header: unknown, now: number): number | undefined {
	const words = textOf(header);
	if (/^\d+(\.\d+)?$/.test(words)) return Math.ceil(Number(words) * 1000);
	const date = Date.parse(words);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
