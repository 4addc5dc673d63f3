import type { Effect } from '../wire';
import { textOf } from '../wire/json';
import { isCaptured, isDeclined } from '../wire/payment';
import type { Payment } from './answer';
import { LONGEST_WAIT_MS } from './limiter';

/**
 * Decides what follows from a failed request: whether the gateway certainly did nothing, and
 * whether and when the request is sent again. A charge is never repeated, a write only if the
 * gateway did nothing, and a read after most failures.
 */

export interface FailedTry {
	/** Undefined if no answer came; 429 also if the limiter's pause kept the request from being sent. */
	status?: number;
	/** Why no answer came, such as ECONNREFUSED. */
	code?: string;
	retryAfterMs?: number | undefined;
	/** The status is good, but the body holds an error and no result: a write was not carried out. */
	errorWithoutResult?: boolean;
	/** The payment that the answer to a charge names, even though the charge failed. */
	payment?: Payment | undefined;
	/** This node or n8n held the request back, and would do so again. */
	unsent?: boolean;
}

/** For a dropped connection or a restart. A longer outage is for n8n's Retry On Fail. */
const MOST_TRIES = 3;
/** A 429 is worth more tries: the gateway did nothing, and the limiter spaces them. */
const MOST_TRIES_AFTER_429 = 5;
/** At most, with jitter. Both delays together give the gateway 1.2 s on average to recover. */
const FIRST_DELAY_MS = 800;

/** The user stopped the run, or an item has failed. */
export const CANCELED = 'ERR_CANCELED';

const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
/** With these statuses nothing was charged. After any other, the charge may have gone through. */
const REFUSES_CHARGE: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 422, 429]);

/** The next try waits in the limiter. A 503 without Retry-After need not be about load. */
export function pausesLimiter({ status, retryAfterMs }: FailedTry): boolean {
	return status === 429 || (status === 503 && retryAfterMs !== undefined);
}

/** Nothing was carried out, for certain: the request was not sent, or the gateway refused it. */
export function wasNotCarriedOut(effect: Effect, failed: FailedTry): boolean {
	const { code = '', status = 0, unsent = false, errorWithoutResult = false, payment } = failed;
	if (unsent || NOT_CONNECTED.has(code)) return true;
	const isClientError = status >= 400 && status < 500 && status !== 408;
	if (effect !== 'charge') return errorWithoutResult || isClientError;
	if (payment === undefined) return REFUSES_CHARGE.has(status);
	// A bad status outweighs the payment that the body names, unless that payment was captured.
	return status < 300 ? isDeclined(payment) : REFUSES_CHARGE.has(status) && !isCaptured(payment);
}

function mayRepeat(effect: Effect, failed: FailedTry): boolean {
	const { code = '', status, unsent = false } = failed;
	if (effect === 'charge' || unsent || code === CANCELED) return false;
	if (status === 429 || NOT_CONNECTED.has(code)) return true;
	return effect === 'read' && (status === undefined || status >= 500);
}

/**
 * The minimum delay before the next try, after `tries` tries. Undefined if there is no next try.
 */
export function retryDelayMs(effect: Effect, failed: FailedTry, tries: number): number | undefined {
	const mostTries = failed.status === 429 ? MOST_TRIES_AFTER_429 : MOST_TRIES;
	if (tries >= mostTries || !mayRepeat(effect, failed)) return undefined;
	const { retryAfterMs = 0 } = failed;
	if (retryAfterMs > LONGEST_WAIT_MS) return undefined;
	// The limiter spaces these tries, even if the gateway names no delay.
	if (pausesLimiter(failed)) return retryAfterMs;
	// Full jitter: requests that failed together are not repeated together.
	return retryAfterMs + Math.random() * FIRST_DELAY_MS * 2 ** (tries - 1);
}

/** Retry-After holds seconds or a date. */
export function readRetryAfter(header: unknown, now: number): number | undefined {
	const text = textOf(header);
	if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
