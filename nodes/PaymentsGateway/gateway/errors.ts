import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { redactNode } from '../output/redactNode';
import type { Payment } from './answer';
import { BLOCKED, CANCELED, CREDENTIAL_ERROR, neverSent } from './retry';
import type { FailedTry } from './retry';
import type { Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject } from '../wire/json';

/**
 * Turns a failed request into the error that n8n shows: the service's own words as its title, and
 * below them what to do. All of it is masked before it leaves.
 */

/** A request that failed: what the service answered, or why there was no answer. */
export interface FailedRequest extends FailedTry {
	endpoint: Endpoint;
	body?: unknown;
	/** The address that a redirect leads to. */
	location?: string;
	/** The field that the answer lacks, although its status is a good one. */
	missing?: string | undefined;
	/** What the answer to a charge says of its transaction all the same. */
	payment?: Payment | undefined;
	timeoutMs?: number;
	/** Where the request was refused before it left: why, and what to do. */
	words?: string;
	advice?: string;
}

const LONGEST_WORDS = 500;

function tidy(words: string): string {
	return words.replace(/\s+/g, ' ').trim();
}

/** Masked before it is cut, or half of a secret could stay at the end. */
function shown(words: string, mask: Mask): string {
	const masked = mask.text(words);
	return masked.length > LONGEST_WORDS ? `${masked.slice(0, LONGEST_WORDS)}…` : masked;
}

/** The service's own words, in the shapes in which services usually put them. */
export function serviceWords(body: unknown, depth = 0): string {
	if (depth > 4) return '';
	if (typeof body === 'string') {
		const text = body.trim();
		if (/^[[{]/.test(text)) {
			try {
				return serviceWords(JSON.parse(text), depth + 1);
			} catch {
				// Words that only begin like JSON.
			}
		}
		return isMarkup(text) ? '' : tidy(text);
	}
	if (Array.isArray(body)) {
		const words = body.map((entry) => serviceWords(entry, depth + 1));
		return tidy(words.filter((entry) => entry !== '').join('; '));
	}
	if (!isObject(body)) return '';
	for (const key of [
		'error',
		'message',
		'errors',
		'error_description',
		'errorMessage',
		'detail',
		'details',
		'description',
		'title',
		'reason',
		'msg',
		'data',
	]) {
		const found = serviceWords(body[key], depth + 1);
		if (found !== '') return found;
	}
	return '';
}

function isMarkup(body: unknown): boolean {
	return typeof body === 'string' && /^\s*<(?:[a-z]|!doctype|!--|\?xml)/i.test(body);
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'The gateway refused the connection',
	ENOTFOUND: "The gateway's address was not found",
	EAI_AGAIN: "The gateway's address could not be looked up",
	ECONNRESET: 'The connection to the gateway broke off',
	EPIPE: 'The connection to the gateway broke off',
	// With one l, as n8n spells it: by this word n8n knows that an execution was stopped.
	[CANCELED]: 'The execution was canceled',
};

function networkWords({ code = '', timeoutMs, words }: FailedRequest): string {
	if (words !== undefined) return words;
	if (timeoutMs !== undefined) {
		const seconds = Math.max(0, Math.round(timeoutMs / 100) / 10);
		return `The gateway did not answer within ${seconds} seconds`;
	}
	const known = NETWORK_WORDS[code];
	return known ?? `The gateway could not be reached${code === '' ? '' : ` (${code})`}`;
}

function title(failed: FailedRequest): string {
	if (failed.status === undefined) return networkWords(failed);
	if (failed.status >= 300 && failed.status < 400) {
		return `The gateway redirected the request (${failed.status}), which is not followed`;
	}
	const words = serviceWords(failed.body);
	if (words !== '') return words;
	const what = isMarkup(failed.body)
		? 'with a web page instead of data'
		: failed.missing !== undefined
			? `without "${failed.missing}"`
			: failed.status < 300
				? 'with an error, without saying which'
				: 'without saying why';
	return `The gateway answered ${failed.status} ${what}`;
}

/** Which of the values that were sent a 404 can be about. */
const LOOKED_UP: Readonly<Partial<Record<Endpoint, string>>> = {
	customer: "'Customer'",
	updateCustomer: "'Customer'",
	deleteCustomer: "'Customer'",
	addPaymentMethod: "'Customer'",
	deletePaymentMethod: "'Customer' and 'Payment Method'",
	setDefaultPaymentMethod: "'Customer' and 'Payment Method'",
	computeTokenizedCheckout: "'Payment Data'",
	createTokenizedManualEntry: "'Payment Data'",
	createCheckoutData: "'Existing Customer', 'Saved Payment Method' and each 'Product ID'",
};

const UNSURE = 'It is not known whether it was carried out: look before you send it again.';

function unsure(effect: Effect, failed: FailedRequest): string {
	return effect === 'write' && !neverSent(failed) ? ` ${UNSURE}` : '';
}

function hint(failed: FailedRequest): string {
	const { endpoint, status } = failed;
	const { effect } = endpoints[endpoint];
	if (status === undefined) {
		if (failed.advice !== undefined) return failed.advice;
		if (failed.code === CANCELED) return `Nothing more was sent.${unsure(effect, failed)}`;
		return `Check 'Base URL' in the credential, and that the gateway is up.${unsure(effect, failed)}`;
	}
	if (status === 401 || status === 403) {
		return endpoints[endpoint].token === 'header'
			? "Check 'Header Token' in the credential, and that it belongs to this environment."
			: "Check 'Group ID' and 'Private Token' in the credential, and that they belong to this environment.";
	}
	if (status === 404) {
		const what = LOOKED_UP[endpoint];
		return what === undefined
			? "Check 'Base URL' in the credential."
			: `Check ${what}: the gateway does not know what was sent.`;
	}
	if (status === 429) {
		const { retryAfterMs } = failed;
		const wait =
			retryAfterMs === undefined
				? ''
				: ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds.`;
		return `The gateway limits how many requests it takes.${wait} Run this less often, or with fewer items.`;
	}
	if (status >= 500) {
		return `This is on the gateway's side (${status}). Try again later.${unsure(effect, failed)}`;
	}
	if (status >= 300 && status < 400) {
		return `Check 'Base URL' in the credential${failed.location ? `: the gateway points to ${failed.location}` : ''}.${unsure(effect, failed)}`;
	}
	if (status < 300) {
		return failed.missing === undefined
			? `The gateway reports this as an error, although its status is a good one (${status}). Try again later.${unsure(effect, failed)}`
			: `The gateway answered (${status}), but not in a form that this node understands.${unsure(effect, failed)}`;
	}
	const what =
		endpoint === 'computeTokenizedCheckout'
			? "'Payment Data', and 'Cart Adjustments' if there are any"
			: 'the values of this item';
	return `The gateway refused what was sent (${status}). Check ${what}.`;
}

/** The status with which the service refused, as n8n's error keeps it; undefined without one. */
export function statusOf(error: unknown): unknown {
	return error instanceof Error ? Reflect.get(error, 'httpCode') : undefined;
}

type Failure = NonNullable<NodeApiError['failure']>;

/** The cause in n8n's own terms, by which n8n decides when to try again. */
function failureOf({ status, code, retryAfterMs }: FailedRequest): Failure | undefined {
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	if (code === CREDENTIAL_ERROR) return { cause: 'credential-invalid' };
	if (code === BLOCKED) return { cause: 'configuration-invalid' };
	if (code === CANCELED) return undefined;
	if (status === undefined || status >= 500) return { cause: 'temporarily-unavailable', ...wait };
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (status === 401 || status === 403) return { cause: 'credential-invalid' };
	if (status === 404 || (status >= 300 && status < 400)) return { cause: 'configuration-invalid' };
	return undefined;
}

export function requestError(node: INode, failed: FailedRequest, mask: Mask): NodeApiError {
	const words = shown(title(failed), mask);
	const description = mask.text(hint(failed));
	const failure = failureOf(failed);
	const error = new NodeApiError(
		redactNode(node, mask),
		{ message: words },
		{
			message: words,
			description,
			...(failed.status === undefined ? {} : { httpCode: String(failed.status) }),
			...(failure === undefined ? {} : { failure }),
		},
	);
	// n8n replaces some messages with its own, but the service's words help more here.
	error.message = words;
	error.description = description;
	return error;
}
