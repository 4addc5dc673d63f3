import type {
	IAuthenticate,
	IAuthenticateRuleResponseCode,
	IAuthenticateRuleResponseSuccessBody,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INodeProperties,
	Icon,
} from 'n8n-workflow';

/**
 * The credential: its form, how a request is signed with it, and its test. It is the only code that
 * puts a token on a request, for the nodes of this package and for n8n's HTTP Request node alike.
 */

const PATH = /^\/+api\/gateway\/(\w+)\/?$/;

/** Which credential an endpoint takes. Anything else at the gateway gets neither. */
const HEADER_ENDPOINTS = new Set([
	...['customers', 'addCustomer', 'customer', 'updateCustomer', 'deleteCustomer'],
	...['addPaymentMethod', 'deletePaymentMethod', 'setDefaultPaymentMethod'],
]);
const BODY_ENDPOINTS = new Set([
	...['webhookEvents', 'computeTokenizedCheckout'],
	...['createTokenizedManualEntry', 'createCheckoutData'],
]);
/** What a header can carry. A token that was copied while hidden is a row of dots: refused. */
const IN_HEADER = /^[\x20-\x7e]+$/;

/** Thrown before anything is sent. `gateway/request.ts` recognises it by its name. */
function refusal(message: string): Error {
	return Object.assign(new Error(message), { name: 'CredentialError' });
}

/** An expression can give a number. One that is too large has lost digits and counts as empty. */
function text(value: unknown): string {
	if (Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' ? value.trim() : '';
}

/** Once it is optimised, `URL.canParse` of Node 20 refuses addresses with letters beyond ASCII. */
function addressIn(words: string, base?: string): URL | undefined {
	try {
		return new URL(words, base);
	} catch {
		return undefined;
	}
}

/** The base address, or the reason why it is not used. */
function baseAddress(credentials: ICredentialDataDecryptedObject): URL {
	const baseUrl = text(credentials.baseUrl);
	const wrong: Array<[boolean, string]> = [
		[baseUrl === '', "The credential has no 'Base URL'"],
		[/[?#]/.test(baseUrl), "'Base URL' ends with its path: leave ? and # out"],
		[/[\s\\\p{Cc}]/u.test(baseUrl), "'Base URL' holds a blank or a backslash: copy it once more"],
		[/^\w+:\/\/[^/]*@/.test(baseUrl), "'Base URL' takes no user name: leave out what ends with @"],
	];
	const found = wrong.find(([isWrong]) => isWrong);
	if (found) throw refusal(found[1]);
	const address = /^https?:\/\/[^/]/i.test(baseUrl) ? addressIn(baseUrl) : undefined;
	if (address === undefined) {
		throw refusal("'Base URL' of the credential is not an address, such as https://example.com");
	}
	// As in gateway/merchant.ts: what is not plainly the sandbox is production.
	if (address.protocol !== 'https:' && credentials.environment !== 'sandbox') {
		throw refusal("'Base URL' must start with https:// in production");
	}
	return address;
}

/** Options of n8n's older request helper, which the HTTP Request node uses. */
interface LegacyOptions {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
}
type AnyRequest = IHttpRequestOptions & LegacyOptions;

function withoutLastSlashes(path: string): string {
	return path.replace(/\/+$/, '');
}

/** Where a request goes. A token goes nowhere but to the gateway it belongs to. */
function targetOf(request: AnyRequest, base: URL): { address: string; endpoint: string } {
	const url = (request.url ?? request.uri ?? '').replace(/^\/+/, '');
	const target = addressIn(url, `${withoutLastSlashes(request.baseURL ?? base.href)}/`);
	if (target === undefined) throw refusal('The address of the request cannot be read');
	const basePath = withoutLastSlashes(base.pathname);
	if (target.origin !== base.origin || !`${target.pathname}/`.startsWith(`${basePath}/`)) {
		throw refusal("The request goes to another address than the credential's 'Base URL'");
	}
	const endpoint = PATH.exec(target.pathname.slice(basePath.length))?.[1] ?? '';
	return { address: target.href, endpoint };
}

/** The request that will carry a token: to the very address that was checked, without redirects. */
function boundTo(address: string, request: AnyRequest): AnyRequest {
	const signed: AnyRequest = {
		...request,
		disableFollowRedirect: true,
		maxRedirects: 0,
		followRedirect: false,
		followAllRedirects: false,
	};
	delete signed.baseURL;
	if (signed.url !== undefined) signed.url = address;
	if (signed.uri !== undefined) signed.uri = address;
	return signed;
}

function parsed(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		throw refusal('The body of the request must be JSON');
	}
}

function withCredentials(body: unknown, groupID: string, token: string): IDataObject | string {
	const isText = typeof body === 'string' && body !== '';
	const fields: unknown = isText ? parsed(body) : body || {};
	// By name, since an object of n8n's sandbox has an Object of its own; FormData and others fail.
	if (Object.getPrototypeOf(fields ?? '')?.constructor?.name !== 'Object') {
		throw refusal('The body of the request must be a JSON object');
	}
	const signed = { ...(fields as IDataObject), groupID, token };
	return isText ? JSON.stringify(signed) : signed;
}

function needed(name: string, value: unknown): string {
	const given = text(value);
	if (given !== '') return given;
	throw refusal(`The credential has no '${name}', which payments, carts, paylinks and events need`);
}

/** Signs a request. Signing a signed request again gives the same request. */
const authenticate: Extract<IAuthenticate, CallableFunction> = async (credentials, request) => {
	const { address, endpoint } = targetOf(request, baseAddress(credentials));
	if (HEADER_ENDPOINTS.has(endpoint)) {
		const token = text(credentials.headerToken);
		if (token === '') {
			throw refusal(
				text(credentials.privateToken) === ''
					? "The credential has no token: fill in 'Header Token', 'Private Token', or both"
					: "The credential has no 'Header Token', which customers and payment methods need",
			);
		}
		if (!IN_HEADER.test(token)) {
			throw refusal("'Header Token' holds characters that no token has: copy it once more");
		}
		const headers = Object.fromEntries(
			Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'token'),
		);
		return { ...boundTo(address, request), headers: { ...headers, token } };
	}
	if (BODY_ENDPOINTS.has(endpoint)) {
		const groupID = needed('Group ID', credentials.groupId);
		const token = needed('Private Token', credentials.privateToken);
		return { ...boundTo(address, request), body: withCredentials(request.body, groupID, token) };
	}
	return request;
};

/** One harmless read: an event, or a customer where there is only the header token. */
const TEST_URL = `={{
	String($credentials.privateToken ?? "").trim() ? "/api/gateway/webhookEvents" : "/api/gateway/customers"
}}`;

const refused = (status: number, message: string): IAuthenticateRuleResponseCode => ({
	type: 'responseCode',
	properties: { value: status, message: `${message} (${status})` },
});
const WRONG_TOKEN =
	"The gateway refused the token: check 'Group ID' and 'Private Token', or 'Header Token' where it is the only one";
const WRONG_ADDRESS = "'Base URL' does not seem to be the gateway's: enter it without /api";

/** n8n shows these words; without them it would show the bare status only. */
const REFUSALS = [
	...[401, 403].map((status) => refused(status, WRONG_TOKEN)),
	...[301, 302, 303, 307, 308].map((status) =>
		refused(status, "The gateway redirects from this 'Base URL', which is not followed"),
	),
	...[404, 405].map((status) => refused(status, WRONG_ADDRESS)),
	...[400, 422].map((status) => refused(status, 'The gateway did not take the test request')),
	refused(429, 'The gateway is limiting requests: try again in a minute'),
	...[500, 502, 503, 504].map((status) =>
		refused(status, "This is on the gateway's side: try again later"),
	),
];

/**
 * n8n fails the test where what stands at the key is just this value. A list may stand in one more
 * `data`, or be null where it is empty; a web page, and most errors with status 200, have no `data`.
 */
const refusedBody = (
	key: string,
	value: false | undefined,
	message: string,
): IAuthenticateRuleResponseSuccessBody => ({
	type: 'responseSuccessBody',
	properties: { key, value, message },
});
const REFUSED_BODIES = [
	refusedBody('data', undefined, `${WRONG_ADDRESS}, and check the tokens (its answer is no list)`),
	refusedBody('success', false, 'The gateway did not take the test request: check the tokens'),
];

export class PaymentsGatewayApi implements ICredentialType {
	name = 'paymentsGatewayApi';

	displayName = 'Payments Gateway API';

	documentationUrl =
		'https://github.com/n8n-nodes-payments-gateway/n8n-nodes-payments-gateway#credentials';

	icon: Icon = {
		light: 'file:../icons/paymentsGateway.svg',
		dark: 'file:../icons/paymentsGateway.dark.svg',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Environment',
			name: 'environment',
			type: 'options',
			default: 'sandbox',
			description:
				'In production a payment charges a real customer, and each node that charges must allow it',
			options: [
				{ name: 'Production', value: 'production' },
				{ name: 'Sandbox', value: 'sandbox' },
			],
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://gateway.example.com',
			description:
				"The gateway's address for this environment, without /api. Production takes https only.",
		},
		{
			displayName: 'Group ID',
			name: 'groupId',
			type: 'string',
			default: '',
			hint: "Your merchant group, needed with 'Private Token'",
		},
		{
			displayName: 'Header Token',
			name: 'headerToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			hint: 'For customers and payment methods. Leave it empty if you only make paylinks.',
		},
		{
			displayName: 'Private Token',
			name: 'privateToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			hint: 'For paylinks, carts, payments, events and the trigger',
		},
	];

	authenticate = authenticate;

	test: ICredentialTestRequest = {
		request: {
			method: 'POST',
			url: TEST_URL,
			body: { data: { page: { page: 1, pageSize: 1 } } },
			json: true,
		},
		// n8n handles rules of both types together; only its TypeScript type wants all to be of one.
		rules: [...REFUSALS, ...REFUSED_BODIES] as IAuthenticateRuleResponseCode[],
	};
}
