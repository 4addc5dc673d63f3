import type { Effect } from '../wire';
import { textOf } from '../wire/json';
import { isCaptured, isDeclined } from '../wire/payment';
import type { Payment } from './answer';

/**
 * Decides what a failed request leaves behind: whether it was carried out, whether it is sent again,
 * and when. The endpoint's effect comes first: a charge is never repeated, a write only if it cannot
 * have been carried out, a read after most failures.
 */

/** What a try failed with. `code` says why no answer came, such as ECONNREFUSED. */
export interface FailedTry {
	status?: number;
	code?: string;
	/** From the answer's Retry-After. */
	retryAfterMs?: number | undefined;
	/** With a good status, it calls itself an error and holds no result. */
	isToldFailed?: boolean;
	/** What the answer to a charge says of its transaction all the same. */
	payment?: Payment | undefined;
	/** It was held back here, by this node or by n8n, and would be once more. */
	unsent?: boolean;
}

const TRIES = 3;
/** After a 429 there are more, since the pace learns the rate from them. */
const TRIES_LIMITED = 5;
const BASE_DELAY = 400;
export const LONGEST_WAIT = 60_000;

/** The run has ended: the user stopped it, or an item has failed. */
export const CANCELED = 'ERR_CANCELED';

const NO_CONNECTION: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
/** Statuses that say plainly that nothing was charged. A charge after any other may have gone through. */
const REFUSES_CHARGE: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 422, 429]);

/** The gateway takes no more for now. It says so before it does any work. */
export function isLimited({ status }: FailedTry): boolean {
	return status === 429;
}

/** Nothing was carried out, for certain: it never left, or the gateway plainly refused it. */
export function wasNotCarriedOut(effect: Effect, failed: FailedTry): boolean {
	const { code = '', status = 0, unsent = false, isToldFailed = false, payment } = failed;
	if (unsent || NO_CONNECTION.has(code)) return true;
	if (effect !== 'charge') return isToldFailed || (status >= 400 && status < 500 && status !== 408);
	if (payment === undefined) return REFUSES_CHARGE.has(status);
	// Beside any status but a good one, only that it was captured counts of what is said of a payment.
	return status < 300 ? isDeclined(payment) : REFUSES_CHARGE.has(status) && !isCaptured(payment);
}

function mayRepeat(effect: Effect, failed: FailedTry): boolean {
	const { code = '', status, unsent = false } = failed;
	if (effect === 'charge' || unsent || code === CANCELED) return false;
	if (isLimited(failed) || NO_CONNECTION.has(code)) return true;
	return effect === 'read' && (status === undefined || status >= 500);
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
