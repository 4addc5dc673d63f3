import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { CODES, REASONS } from '../output/reason';
import { redactNode } from '../output/redactNode';
import type { Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf, valueAt } from '../wire/json';
import { saysOnlyFailed } from '../wire/payment';
import type { Payment } from './answer';
import { CANCELED, isLimited, isRefusal, neverSent } from './retry';
import type { FailedTry } from './retry';

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
	/** What the answer to a charge says of its transaction all the same. */
	payment?: Payment | undefined;
	/** How long was waited for an answer. */
	timeoutMs?: number;
	/** Where the request was refused before it left. */
	shown?: Shown;
}

const LONGEST_WORDS = 500;
/** Where an error says what is wrong, by the letters of the name: error_message is errorMessage. */
const TELLING = [
	...new Set([
		...['error', 'message', 'errors', 'errordescription', 'errormessage', 'detail', 'details'],
		...['detailederrordescription', 'statusmessage', 'msg', 'violations', 'fielderrors'],
		...['defaultmessage', 'issues', ...REASONS, 'transaction', 'description'],
	]),
];
/** Where there is no sentence, a title or a code. */
const WORDS_IN = [...TELLING, 'title', 'data', ...CODES, 'code'];
/** A code, or no more than the status says: what stands beside it says more. */
const SAYS_LITTLE =
	/^(?:[\w.-]+|bad request|payment required|not found|method not allowed|unprocessable entity|too many requests|internal server error|bad gateway|service unavailable|gateway timeout|[\w ]*validation (?:failed|error)(?: for object=.*)?|the given data was invalid)\.?$/i;
/** What an entry of a list of errors is about. */
const FIELD_IN = ['field', 'path', 'param', 'property', 'loc'];

/** The gateway's own words, in the shapes in which services usually put them. */
export function serviceWords(body: unknown, depth = 0): string {
	if (depth > 4) return '';
	if (typeof body === 'string') return isMarkup(body) ? '' : body.replace(/\s+/g, ' ').trim();
	const inner = (value: unknown) => serviceWords(value, depth + 1);
	if (Array.isArray(body)) {
		const all = body.map((entry: unknown) => withField(entry, inner(entry)));
		return all.filter(Boolean).join('; ');
	}
	if (!isObject(body)) return '';
	const byLetters = Object.entries(body).map(
		([name, value]) => [name.toLowerCase().replace(/[^a-z]/g, ''), value] as const,
	);
	const fields = new Map(byLetters);
	const wordsIn = (name: string) =>
		// As text it is an ID.
		(name === 'transaction' && !isObject(fields.get(name)) ? '' : inner(fields.get(name))) ||
		(name === 'errors' ? byField(fields.get(name), depth) : '');
	// Some say no more than, of each field, a list of what is wrong with it.
	const lists = Object.entries(body).filter(
		([, told]) => Array.isArray(told) && told.every((words) => typeof words === 'string'),
	);
	const found = WORDS_IN.map(wordsIn);
	// The telling ones come first.
	const telling = found.slice(0, TELLING.length);
	return (
		telling.find((words) => words && !SAYS_LITTLE.test(words) && !saysOnlyFailed(words)) ??
		found.find(Boolean) ??
		byField(Object.fromEntries(lists), depth)
	);
}

/** "is invalid" says little without the name of the field, which stands beside it. */
function withField(entry: unknown, words: string): string {
	if (words === '' || !isObject(entry)) return words;
	const names = FIELD_IN.map((key) => [entry[key]].flat().map(textOf).filter(Boolean).join('.'));
	const name = names.find(Boolean) ?? '';
	return words.includes(name) ? words : `${name}: ${words}`;
}

/** What is wrong with each field, as `errors` may say it. */
function byField(errors: unknown, depth: number): string {
	if (!isObject(errors)) return '';
	const all = Object.entries(errors).map(([field, error]) => {
		const words = serviceWords(error, depth + 1);
		return words && `${field}: ${words}`;
	});
	return all.filter(Boolean).join('; ');
}

function isMarkup(body: unknown): boolean {
	return /^<[a-z!?]/i.test(textOf(body));
}

/** What n8n shows of a failure, and the cause by which it decides when to try again. */
interface Shown {
	title: string;
	hint: string;
	cause?: NonNullable<NodeApiError['failure']>['cause'];
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'The gateway refused the connection',
	ENOTFOUND: "The gateway's address was not found",
	EAI_AGAIN: "The gateway's address could not be looked up",
	ECONNRESET: 'The connection to the gateway broke off',
	EPIPE: 'The connection to the gateway broke off',
};

function shownWithoutAnswer(failed: FailedRequest): Shown {
	const { code = '', timeoutMs, shown, unsent } = failed;
	if (shown !== undefined) return shown;
	if (code === CANCELED) {
		// With one l, as n8n spells it: by this word n8n knows that an execution was stopped.
		return { title: 'The execution was canceled', hint: 'Nothing more was sent.' };
	}
	if (unsent) {
		const title = 'There was no time left to send the request';
		return { title, hint: 'Nothing was sent.', cause: 'temporarily-unavailable' };
	}
	const unknown = `The gateway could not be reached${code && ` (${code})`}`;
	return {
		title:
			timeoutMs === undefined
				? (NETWORK_WORDS[code] ?? unknown)
				: `The gateway did not answer within ${Math.round(timeoutMs / 100) / 10} seconds`,
		hint: "Check 'Base URL' in the credential, and that the gateway is up.",
		cause: 'temporarily-unavailable',
	};
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

function notFoundHint(endpoint: Endpoint): string {
	const what = LOOKED_UP[endpoint];
	if (what !== undefined) return `Check ${what}: the gateway does not know what was sent.`;
	if (endpoints[endpoint].effect !== 'read') return CHECK_ADDRESS;
	return `${CHECK_ADDRESS} Where other operations work, the gateway may mean that nothing was found.`;
}

function howAnswered(status: number, { body, missing, payment }: FailedRequest): string {
	if (isMarkup(body)) return 'with a web page instead of data';
	if (payment?.status) return `with ${payment.status}`;
	if (missing !== undefined) return `without "${missing}"`;
	return status < 300 ? 'with an error, without saying which' : 'without saying why';
}

function wordsOf(body: unknown, mask: Mask): string {
	// Masked before it is cut, or half of a secret could stay at the end.
	const words = mask.text(serviceWords(body));
	return words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS)}…` : words;
}

function shownLimited(failed: FailedRequest, mask: Mask): Shown {
	const { body, retryAfterMs, unsent } = failed;
	const otherwise = unsent
		? 'Not sent, as the gateway has asked for a pause'
		: `The gateway answered 429 ${howAnswered(429, failed)}`;
	const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
	const wait = retryAfterMs === undefined ? '' : ` It asks to wait ${seconds} seconds.`;
	const hint = `The gateway limits how many requests it takes.${wait} Run this less often, or with fewer items.`;
	return { title: wordsOf(body, mask) || otherwise, hint, cause: 'rate-limited' };
}

function shownByStatus(status: number, failed: FailedRequest, mask: Mask): Shown {
	const { endpoint, body, location = '', missing } = failed;
	if (isLimited(failed)) return shownLimited(failed, mask);
	if (status >= 300 && status < 400) {
		const to = location && `: the gateway points to ${mask.text(location)}`;
		return {
			title: `The gateway redirected the request (${status}), which is not followed`,
			hint: `Check 'Base URL' in the credential${to}.`,
			cause: 'configuration-invalid',
		};
	}
	const words = wordsOf(body, mask);
	const answered = `The gateway answered ${status} ${howAnswered(status, failed)}`;
	// Words of an answer that is not as described may be those of a success.
	const title = words === '' ? answered : missing === undefined ? words : `${answered}: ${words}`;
	if (status < 300) {
		const hint =
			missing === undefined
				? `The gateway reports this as an error, although its status is a good one (${status}). Check the values that were sent, or try again later.`
				: `The gateway answered (${status}), but not in a form that this node understands. ${CHECK_ADDRESS}`;
		return { title, hint };
	}
	if (status === 401 || status === 403) {
		const hint =
			endpoints[endpoint].token === 'header'
				? "Check 'Header Token' in the credential, and that it belongs to this environment."
				: "Check 'Group ID' and 'Private Token' in the credential, and that they belong to this environment.";
		return { title, hint, cause: 'credential-invalid' };
	}
	if (status === 404) {
		return { title, hint: notFoundHint(endpoint), cause: 'configuration-invalid' };
	}
	if (status >= 500) {
		const hint = `This is on the gateway's side (${status}). Try again later.`;
		return { title, hint, cause: 'temporarily-unavailable' };
	}
	const hint = `The gateway refused what was sent (${status}). Check the values that were sent.`;
	return { title, hint };
}

/** A write after which nobody knows, unless the gateway refused what was sent. */
function isUnsure(failed: FailedRequest): boolean {
	const { effect } = endpoints[failed.endpoint];
	return effect === 'write' && !isRefusal(effect, failed) && !neverSent(failed);
}

const UNSURE = 'It is not known whether it was carried out: look before you send it again.';

export function requestError(node: INode, failed: FailedRequest, mask: Mask): NodeApiError {
	const { status, retryAfterMs } = failed;
	const { title, hint, cause } =
		status === undefined ? shownWithoutAnswer(failed) : shownByStatus(status, failed, mask);
	const description = isUnsure(failed) ? `${hint} ${UNSURE}` : hint;
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	const error = new NodeApiError(
		redactNode(node, mask),
		{ message: title },
		{
			message: title,
			description,
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
