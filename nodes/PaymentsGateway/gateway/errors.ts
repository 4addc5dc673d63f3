import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { maskedCopy } from '../output/maskError';
import { redactNode } from '../output/redactNode';
import type { Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf, valueAt } from '../wire/json';
import type { FailedTry } from './retry';
import { CANCELED, wasNotCarriedOut } from './retry';

/** Turns a failed request into the error that n8n shows. What comes from the gateway is masked. */

export interface FailedRequest extends FailedTry {
	endpoint: Endpoint;
	body?: unknown;
	/** The target of a redirect. */
	location?: string;
	/** The promised field that the answer lacks, although its status is good. */
	missing?: string | undefined;
	/** How long the node waited for an answer that did not come. */
	waitedMs?: number;
	/** The message of the credential or of n8n, if one of them has blocked the request. */
	blocked?: ErrorText;
	cause?: unknown;
}

/** What n8n shows, and the cause of failure by which it decides whether and when to try again. */
export interface ErrorText {
	message: string;
	description: string;
	failureCause?: NonNullable<NodeApiError['failure']>['cause'] | undefined;
}

/** For a write. For a charge, charge/errors.ts says whether it may have been carried out. */
const UNSURE = 'The gateway may have carried out this request. Check before you run it again.';

export function requestError(node: INode, failed: FailedRequest, mask: Mask): NodeApiError {
	const { status, retryAfterMs } = failed;
	const text =
		status === undefined ? textWithoutAnswer(failed) : textForAnswer(status, failed, mask);
	const { message, description, failureCause: cause } = text;
	const { effect } = endpoints[failed.endpoint];
	const isUnsure = effect === 'write' && !wasNotCarriedOut(effect, failed);
	const error = new NodeApiError(
		redactNode(node, mask),
		{ message },
		{
			message,
			description: isUnsure ? `${description} ${UNSURE}` : description,
			...(status !== undefined && { httpCode: String(status) }),
			...(cause && { failure: { cause, ...(retryAfterMs !== undefined && { retryAfterMs }) } }),
		},
	);
	// n8n replaces some messages with its own, but the gateway's message helps more.
	error.message = message;
	if (failed.cause instanceof Error) error.cause = maskedCopy(failed.cause, mask);
	return error;
}

/**
 * The status of the answer, as n8n's error keeps it. Empty if no answer came, but 429 if the limiter held
 * the request back.
 */
export const httpStatusOf = (error: unknown): string => textOf(valueAt(error, 'httpCode'));

const NETWORK_MESSAGES: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'The gateway refused the connection',
	ENOTFOUND: "The gateway's address was not found",
	EAI_AGAIN: "The gateway's address could not be looked up",
	ECONNRESET: 'The connection to the gateway was lost',
	EPIPE: 'The connection to the gateway was lost',
	// The address has https, and what answers at its port speaks http.
	EPROTO: 'No secure connection to the gateway was made',
};

function textWithoutAnswer({ code = '', waitedMs = 0, blocked, unsent }: FailedRequest): ErrorText {
	if (blocked !== undefined) return blocked;
	if (code === CANCELED) {
		// With one l: n8n recognises a stopped execution by this word.
		return { message: 'The execution was canceled', description: 'Nothing more was sent.' };
	}
	if (unsent) {
		const message = 'There was no time left to send the request';
		const description = 'Nothing was sent. Try again, or wait for the next poll.';
		return { message, description, failureCause: 'temporarily-unavailable' };
	}
	const seconds = Math.round(waitedMs / 100) / 10;
	const message =
		code === 'ETIMEDOUT'
			? `The gateway did not answer within ${seconds} seconds`
			: (NETWORK_MESSAGES[code] ?? `The gateway could not be reached${code && ` (${code})`}`);
	const description =
		code === 'EPROTO'
			? "What answers at 'Base URL' speaks http, not https: check its https:// and its port."
			: "Check 'Base URL' in the credential, and that the gateway is up.";
	return { message, description, failureCause: 'temporarily-unavailable' };
}

function textForAnswer(status: number, failed: FailedRequest, mask: Mask): ErrorText {
	const message = titleOf(status, failed, mask);
	const description = adviceFor(status, failed, mask);
	return { message, description, failureCause: failureCauseOf(status) };
}

const LONGEST_TITLE = 500;

function titleOf(status: number, failed: FailedRequest, mask: Mask): string {
	const { unsent, body, missing, payment } = failed;
	// A 429 without an answer: the limiter's pause kept the request from being sent.
	if (unsent) return 'Not sent: requests are paused after a refusal by the gateway';
	if (status >= 300 && status < 400) {
		return `The gateway redirected the request (${status}), which is not followed`;
	}
	// Masked before it is cut: the cut could leave half of a secret at the end.
	const full = mask.text(gatewayMessage(body));
	const message = full.length > LONGEST_TITLE ? `${full.slice(0, LONGEST_TITLE)}…` : full;
	// If a field is missing, this may be the message of a success.
	if (message !== '' && missing === undefined) return message;
	const answered = `The gateway answered ${status}`;
	const suffix = message && `: ${message}`;
	if (isMarkup(body)) return `${answered} with a web page instead of data`;
	if (payment?.status) return `${answered} with ${mask.text(payment.status)}${suffix}`;
	if (missing !== undefined) return `${answered} without "${missing}"${suffix}`;
	return `${answered} ${status < 300 ? 'with an error, without saying which' : 'without saying why'}`;
}

/** The fields that usually hold the message. A list of errors says more than the message above it. */
const MESSAGE_FIELDS = ['errors', 'message', 'error', 'detail'];

/** The gateway's own message, in the shapes in which messages usually come. */
export function gatewayMessage(body: unknown, depth = 0): string {
	if (depth > 4) return '';
	if (typeof body === 'string') return isMarkup(body) ? '' : body.replace(/\s+/g, ' ').trim();
	const inner = (value: unknown) => gatewayMessage(value, depth + 1);
	if (Array.isArray(body)) return body.map(inner).filter(Boolean).join('; ');
	if (!isObject(body)) return '';
	const message = MESSAGE_FIELDS.map((name) => inner(body[name])).find(Boolean) ?? '';
	// "is invalid" says little without its field.
	const field = textOf(body.field);
	const isKnown = message === '' || field === '' || message.includes(field);
	return isKnown ? message : `${field}: ${message}`;
}

const isMarkup = (body: unknown) => /^<[a-z!?]/i.test(textOf(body));

const CHECK_ADDRESS = "Check 'Base URL' in the credential: enter it without /api.";

const CHECK_TOKEN = {
	header: "Check 'Header Token' in the credential, and that it belongs to this environment.",
	body: "Check 'Group ID' and 'Private Token' in the credential, and that they belong to this environment.",
};

/** The fields that a 404 of an endpoint can be about. */
const LOOKED_UP: Readonly<Partial<Record<Endpoint, string>>> = {
	customer: "'Customer'",
	updateCustomer: "'Customer'",
	deleteCustomer: "'Customer'",
	addPaymentMethod: "'Customer'",
	deletePaymentMethod: "'Customer' and 'Payment Method'",
	setDefaultPaymentMethod: "'Customer' and 'Payment Method'",
};
/** These need not refer to a stored customer: a wrong address is the likelier reason for a 404. */
const MAYBE_LOOKED_UP: typeof LOOKED_UP = {
	computeTokenizedCheckout: "'Payment Data'",
	createTokenizedManualEntry: "'Payment Data'",
	createCheckoutData: "'Existing Customer', 'Saved Payment Method' and each 'Product ID'",
};

function adviceFor(status: number, failed: FailedRequest, mask: Mask): string {
	const { endpoint, missing, location = '' } = failed;
	if (missing) {
		return `The gateway answered (${status}), but not in a form that this node understands. ${CHECK_ADDRESS}`;
	}
	if (status < 300) {
		return `The gateway reports an error, although its status means success (${status}). Check the values that were sent, or try again later.`;
	}
	if (status < 400) {
		const target = location && `: the gateway points to ${mask.text(location)}`;
		return `Check 'Base URL' in the credential${target}.`;
	}
	if (status === 401 || status === 403) return CHECK_TOKEN[endpoints[endpoint].token];
	if (status === 402) return 'The gateway refused the payment (402).';
	if (status === 404) return adviceForNotFound(failed);
	if (status === 429) return adviceForRateLimit(failed);
	if (status >= 500) return `This is on the gateway's side (${status}). Try again later.`;
	return `The gateway refused what was sent (${status}). Check the values that were sent.`;
}

function adviceForNotFound({ endpoint, body }: FailedRequest): string {
	if (isMarkup(body)) return CHECK_ADDRESS;
	const fields = LOOKED_UP[endpoint];
	if (fields) return `Check ${fields}: the gateway found no such record.`;
	const otherFields = MAYBE_LOOKED_UP[endpoint];
	return otherFields ? `${CHECK_ADDRESS} If it is right, check ${otherFields}.` : CHECK_ADDRESS;
}

function adviceForRateLimit({ retryAfterMs, unsent }: FailedRequest): string {
	const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
	const subject = unsent ? 'The pause lasts another' : 'It asks to wait';
	const wait = retryAfterMs === undefined ? '' : ` ${subject} ${seconds} seconds.`;
	return `The gateway limits how many requests it takes.${wait} Run this less often, or with fewer items.`;
}

function failureCauseOf(status: number): ErrorText['failureCause'] {
	if (status === 401 || status === 403) return 'credential-invalid';
	if (status === 429) return 'rate-limited';
	if (status >= 500) return 'temporarily-unavailable';
	return status === 404 || (status >= 300 && status < 400) ? 'configuration-invalid' : undefined;
}
