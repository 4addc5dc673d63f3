import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { redactNode } from '../output/redactNode';
import type { Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf, valueAt } from '../wire/json';
import type { FailedTry } from './retry';
import { CANCELED, isLimited, wasNotCarriedOut } from './retry';

/**
 * Turns a failed request into the error that n8n shows: the gateway's own words as its title, and
 * below them what to do. What comes from the gateway is masked; our own words hold no secret.
 */

/** A request that failed: what the gateway answered, or why there was no answer. */
export interface FailedRequest extends FailedTry {
	endpoint: Endpoint;
	body?: unknown;
	/** The address that a redirect leads to. */
	location?: string;
	/** The field that the answer lacks, although its status is a good one. */
	missing?: string | undefined;
	/** How long was waited for an answer that did not come. */
	waitedMs?: number;
	/** The words of n8n, where it let the request not leave. */
	shown?: Shown;
}

/** What n8n shows of a failure, and the cause by which it decides when to try again. */
interface Shown {
	title: string;
	hint: string;
	cause?: NonNullable<NodeApiError['failure']>['cause'];
}

const LONGEST_WORDS = 500;
/** Where an error usually says what is wrong; a list of errors says more than what stands above it. */
const WORDS_IN = ['errors', 'message', 'error', 'detail'];
const DEEPEST = 4;

/** The gateway's own words, in the shapes in which they usually come. */
export function gatewayWords(body: unknown, depth = 0): string {
	if (depth > DEEPEST) return '';
	if (typeof body === 'string') return isMarkup(body) ? '' : body.replace(/\s+/g, ' ').trim();
	const inner = (value: unknown) => gatewayWords(value, depth + 1);
	if (Array.isArray(body)) return body.map(inner).filter(Boolean).join('; ');
	if (!isObject(body)) return '';
	const words = WORDS_IN.map((name) => inner(body[name])).find(Boolean) ?? '';
	// "is invalid" says little without the field that it is about.
	const field = textOf(body.field);
	return words === '' || words.includes(field) ? words : `${field}: ${words}`;
}

function isMarkup(body: unknown): boolean {
	return /^<[a-z!?]/i.test(textOf(body));
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'The gateway refused the connection',
	ENOTFOUND: "The gateway's address was not found",
	EAI_AGAIN: "The gateway's address could not be looked up",
	ECONNRESET: 'The connection to the gateway broke off',
	EPIPE: 'The connection to the gateway broke off',
};

function shownWithoutAnswer({ code = '', waitedMs = 0, shown, unsent }: FailedRequest): Shown {
	if (shown !== undefined) return shown;
	if (code === CANCELED) {
		// With one l, as n8n spells it: by this word n8n knows that an execution was stopped.
		return { title: 'The execution was canceled', hint: 'Nothing more was sent.' };
	}
	const cause = 'temporarily-unavailable';
	if (unsent) {
		const title = 'There was no time left to send the request';
		return { title, hint: 'Nothing was sent.', cause };
	}
	let title = NETWORK_WORDS[code] ?? `The gateway could not be reached${code && ` (${code})`}`;
	if (code === 'ETIMEDOUT') {
		title = `The gateway did not answer within ${Math.round(waitedMs / 100) / 10} seconds`;
	}
	return { title, hint: "Check 'Base URL' in the credential, and that the gateway is up.", cause };
}

function titleOf(status: number, failed: FailedRequest, mask: Mask): string {
	const { body, missing, payment, unsent } = failed;
	if (unsent) return 'Not sent, as the gateway has asked for a pause';
	if (status >= 300 && status < 400) {
		return `The gateway redirected the request (${status}), which is not followed`;
	}
	// Masked before it is cut, or half of a secret could stay at the end.
	const all = mask.text(gatewayWords(body));
	const words = all.length > LONGEST_WORDS ? `${all.slice(0, LONGEST_WORDS)}…` : all;
	// Words of an answer that lacks something may be those of a success.
	if (words !== '' && missing === undefined) return words;
	const answered = `The gateway answered ${status}`;
	const said = words && `: ${words}`;
	if (isMarkup(body)) return `${answered} with a web page instead of data`;
	if (payment?.status) return `${answered} with ${mask.text(payment.status)}${said}`;
	if (missing !== undefined) return `${answered} without "${missing}"${said}`;
	if (status < 300) return `${answered} with an error, without saying which`;
	return `${answered} without saying why`;
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

const CHECK_ADDRESS = "Check 'Base URL' in the credential: it is entered without /api.";
const CHECK_TOKEN = {
	header: "Check 'Header Token' in the credential, and that it belongs to this environment.",
	body: "Check 'Group ID' and 'Private Token' in the credential, and that they belong to this environment.",
};

function adviceOf(status: number, failed: FailedRequest, mask: Mask): Omit<Shown, 'title'> {
	const { endpoint, location = '', missing, retryAfterMs } = failed;
	if (isLimited(failed)) {
		const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
		const wait = retryAfterMs === undefined ? '' : ` It asks to wait ${seconds} seconds.`;
		const hint = `The gateway limits how many requests it takes.${wait} Run this less often, or with fewer items.`;
		return { hint, cause: 'rate-limited' };
	}
	if (missing !== undefined) {
		const hint = `The gateway answered (${status}), but not in a form that this node understands. ${CHECK_ADDRESS}`;
		return { hint };
	}
	if (status < 300) {
		const hint = `The gateway reports this as an error, although its status is a good one (${status}). Check the values that were sent, or try again later.`;
		return { hint };
	}
	if (status < 400) {
		const to = location && `: the gateway points to ${mask.text(location)}`;
		return { hint: `Check 'Base URL' in the credential${to}.`, cause: 'configuration-invalid' };
	}
	if (status === 401 || status === 403) {
		return { hint: CHECK_TOKEN[endpoints[endpoint].token], cause: 'credential-invalid' };
	}
	if (status === 404) {
		const what = LOOKED_UP[endpoint];
		const hint = what ? `Check ${what}: the gateway does not know what was sent.` : CHECK_ADDRESS;
		return { hint, cause: 'configuration-invalid' };
	}
	if (status < 500) {
		const hint = `The gateway refused what was sent (${status}). Check the values that were sent.`;
		return { hint };
	}
	const hint = `This is on the gateway's side (${status}). Try again later.`;
	return { hint, cause: 'temporarily-unavailable' };
}

const UNSURE = 'It is not known whether it was carried out: look before you send it again.';

export function requestError(node: INode, failed: FailedRequest, mask: Mask): NodeApiError {
	const { endpoint, status, retryAfterMs } = failed;
	const { title, hint, cause }: Shown =
		status === undefined
			? shownWithoutAnswer(failed)
			: { title: titleOf(status, failed, mask), ...adviceOf(status, failed, mask) };
	const { effect } = endpoints[endpoint];
	const isUnsure = effect === 'write' && !wasNotCarriedOut(effect, failed);
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	const error = new NodeApiError(
		redactNode(node, mask),
		{ message: title },
		{
			message: title,
			description: isUnsure ? `${hint} ${UNSURE}` : hint,
			...(status === undefined ? {} : { httpCode: String(status) }),
			...(cause === undefined ? {} : { failure: { cause, ...wait } }),
		},
	);
	// n8n replaces some messages with its own, but the gateway's words help more here.
	error.message = title;
	return error;
}

/** The status with which the gateway refused, as n8n's error keeps it; empty without one. */
export function httpStatusOf(error: unknown): string {
	return textOf(valueAt(error, 'httpCode'));
}
