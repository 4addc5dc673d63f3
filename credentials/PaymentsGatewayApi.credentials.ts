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

/** Which credential an endpoint takes. Anything else at the gateway gets neither. */
const HEADER_ENDPOINTS = new Set([
	...['customers', 'addCustomer', 'customer', 'updateCustomer', 'deleteCustomer'],
	...['addPaymentMethod', 'deletePaymentMethod', 'setDefaultPaymentMethod'],
]);
const BODY_ENDPOINTS = new Set([
	...['webhookEvents', 'computeTokenizedCheckout'],
	...['createTokenizedManualEntry', 'createCheckoutData'],
]);

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
function baseAddress({ baseUrl, environment }: ICredentialDataDecryptedObject): URL {
	if (text(baseUrl) === '') throw refusal("The credential has no 'Base URL'");
	const address = addressIn(text(baseUrl));
	if (address === undefined || !/^https?:$/.test(address.protocol)) {
		throw refusal("'Base URL' of the credential is not an address, such as https://example.com");
	}
	// A user name, a query and a fragment stand in neither of the two.
	if (address.href !== address.origin + address.pathname) {
		throw refusal("'Base URL' ends with its path and has no user name: leave @, ? and # out");
	}
	// As in gateway/merchant.ts: what is not plainly the sandbox is production.
	if (address.protocol !== 'https:' && environment !== 'sandbox') {
		throw refusal("'Base URL' must start with https:// in production");
	}
	return address;
}

/** The HTTP Request node of n8n uses the older of its request helpers, with options of its own. */
type Legacy = { uri?: string; followRedirect?: boolean; followAllRedirects?: boolean };
type AnyRequest = IHttpRequestOptions & Legacy;

function withoutLastSlashes(path: string): string {
	return path.replace(/\/+$/, '');
}

const PATH = /^\/+api\/gateway\/(\w+)\/?$/;

/** Where a request goes. A token goes nowhere but to the gateway it belongs to. */
function targetOf(request: AnyRequest, base: URL): { address: string; endpoint: string } {
	const url = (request.url ?? request.uri ?? '').replace(/^\/+/, '');
	const target = addressIn(url, `${withoutLastSlashes(request.baseURL ?? base.href)}/`);
	const basePath = withoutLastSlashes(base.pathname);
	if (target?.origin !== base.origin || !`${target.pathname}/`.startsWith(`${basePath}/`)) {
		throw refusal("The request goes to another address than the credential's 'Base URL'");
	}
	const [, endpoint = ''] = PATH.exec(target.pathname.slice(basePath.length)) ?? [];
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
		return undefined;
	}
}

function withToken(body: unknown, groupID: string, token: string): IDataObject | string {
	const isText = typeof body === 'string' && body !== '';
	const fields = isText ? parsed(body) : body || {};
	// By name, since an object of n8n's sandbox has an Object of its own; FormData and others fail.
	if (Object.getPrototypeOf(fields ?? '')?.constructor?.name !== 'Object') {
		throw refusal('The body of the request must be a JSON object');
	}
	const signed = { ...(fields as IDataObject), groupID, token };
	return isText ? JSON.stringify(signed) : signed;
}

/** A field of the credential that a request needs, or the error that names it. */
function needed(label: string, value: unknown, purpose: string): string {
	if (text(value) !== '') return text(value);
	throw refusal(`The credential has no '${label}', which ${purpose} need`);
}

/** Signs a request. Signing a signed request again gives the same request. */
const authenticate: Extract<IAuthenticate, CallableFunction> = async (credentials, request) => {
	const { address, endpoint } = targetOf(request, baseAddress(credentials));
	if (HEADER_ENDPOINTS.has(endpoint)) {
		const purpose = 'customers and payment methods';
		const token = needed('Header Token', credentials.headerToken, purpose);
		const others = Object.entries(request.headers ?? {}).filter(
			([name]) => name.toLowerCase() !== 'token',
		);
		return { ...boundTo(address, request), headers: { ...Object.fromEntries(others), token } };
	}
	if (BODY_ENDPOINTS.has(endpoint)) {
		const purpose = 'payments, carts, paylinks and events';
		const groupID = needed('Group ID', credentials.groupId, purpose);
		const token = needed('Private Token', credentials.privateToken, purpose);
		return { ...boundTo(address, request), body: withToken(request.body, groupID, token) };
	}
	return request;
};

/** One harmless read: an event, or a customer where there is only the header token. */
const TEST_URL = `={{
	String($credentials.privateToken ?? "").trim() ? "/api/gateway/webhookEvents" : "/api/gateway/customers"
}}`;

const WRONG_TOKEN =
	"The gateway refused the token: check 'Group ID' and 'Private Token', or 'Header Token' where it is the only one";
const WRONG_ADDRESS = "'Base URL' does not seem to be the gateway's: enter it without /api";
const NOT_TAKEN = 'The gateway did not take the test request';
const BROKEN = "This is on the gateway's side: try again later";

type Rule = IAuthenticateRuleResponseCode | IAuthenticateRuleResponseSuccessBody;

const onStatus = (message: string, ...statuses: number[]) =>
	statuses.map((value): Rule => ({
		type: 'responseCode',
		properties: { value, message: `${message} (${value})` },
	}));

const onBody = (key: string, value: unknown, message: string): Rule => ({
	type: 'responseSuccessBody',
	properties: { key, value, message },
});

/** What n8n says of an answer. It would show a bare status, and take any other body for a success. */
const RULES = [
	...onStatus(WRONG_TOKEN, 401, 403),
	...onStatus("'Base URL' redirects, which is not followed", 301, 302, 303, 307, 308),
	...onStatus(WRONG_ADDRESS, 404, 405),
	...onStatus(NOT_TAKEN, 400, 422),
	...onStatus('The gateway is limiting requests: try again in a minute', 429),
	...onStatus(BROKEN, 500, 502, 503, 504),
	// A web page has no data, nor have most errors with status 200.
	onBody('data', undefined, `${WRONG_ADDRESS}, and check the tokens (its answer is no list)`),
	onBody('success', false, `${NOT_TAKEN}: check the tokens`),
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
			// Real tokens under a forgotten Sandbox would charge without the switch that guards money.
			default: 'production',
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
		{
			displayName:
				"Saving this tests 'Group ID' and 'Private Token', or 'Header Token' where it is the only one. A 'Header Token' beside a private one is not tested: whether it is right shows when it is first used.",
			name: 'testNotice',
			type: 'notice',
			default: '',
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
		rules: RULES as IAuthenticateRuleResponseCode[],
	};
}
