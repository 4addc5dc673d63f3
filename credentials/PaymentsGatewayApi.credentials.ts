import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INodeProperties,
	Icon,
} from 'n8n-workflow';

import { endpoints } from '../nodes/PaymentsGateway/wire';
import { jsonOf, textOf, valueAt } from '../nodes/PaymentsGateway/wire/json';

/**
 * The credential: its form, how a request is signed with it, and its test. It is the only code that
 * puts a token on a request, for the nodes of this package and for n8n's HTTP Request node alike.
 */

/** Thrown before anything is sent. `gateway/request.ts` recognises it by its name. */
function refusal(message: string): Error {
	return Object.assign(new Error(message), { name: 'CredentialError' });
}

/** Once it is optimised, `URL.canParse` of Node 20 refuses addresses with letters beyond ASCII. */
function addressIn(words: string, base?: string): URL | undefined {
	try {
		return new URL(words, base);
	} catch {
		return undefined;
	}
}

/** The base address, without slashes at its end, or the reason why it is not used. */
function baseAddress({ baseUrl, environment }: ICredentialDataDecryptedObject): string {
	if (textOf(baseUrl) === '') throw refusal("The credential has no 'Base URL'");
	const address = addressIn(textOf(baseUrl));
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
	return address.href.replace(/\/+$/, '');
}

/** The HTTP Request node of n8n uses the older of its request helpers, which says `uri`. */
type AnyRequest = IHttpRequestOptions & { uri?: string };

/** Where a request goes. A token goes nowhere but to the gateway it belongs to. */
function targetOf({ url, uri = '' }: AnyRequest, base: string): URL {
	const target = addressIn((url ?? uri).replace(/^\/+/, ''), `${base}/`);
	if (target?.href.startsWith(`${base}/`)) return target;
	throw refusal("The request goes to another address than the credential's 'Base URL'");
}

/** The request that will carry a token: to the very address that was checked, without redirects. */
function boundTo(address: string, request: AnyRequest): AnyRequest {
	const bound: AnyRequest = {
		...request,
		...{ disableFollowRedirect: true, maxRedirects: 0 },
		...{ followRedirect: false, followAllRedirects: false },
	};
	delete bound.baseURL;
	bound[request.url === undefined ? 'uri' : 'url'] = address;
	return bound;
}

function withToken(body: unknown, groupID: string, token: string): IDataObject | string {
	const isText = typeof body === 'string' && body !== '';
	const fields = isText ? jsonOf(body) : body || {};
	// What is no plain object, such as a list, a form or bytes, goes by another name here.
	if (Object.prototype.toString.call(fields) !== '[object Object]') {
		throw refusal('The body of the request must be a JSON object');
	}
	const signed = { ...(fields as IDataObject), groupID, token };
	return isText ? JSON.stringify(signed) : signed;
}

const NO_TOKEN =
	"The credential has neither 'Header Token' (for customers and payment methods) nor 'Private Token' (for paylinks, carts, payments and events): fill in at least one of them";

/** A field of the credential that a request needs, or the error that names it. */
function needed(
	label: string,
	value: unknown,
	{ headerToken, privateToken }: ICredentialDataDecryptedObject,
): string {
	if (textOf(value) !== '') return textOf(value);
	if (textOf(headerToken) === '' && textOf(privateToken) === '') throw refusal(NO_TOKEN);
	throw refusal(`The credential has no '${label}'`);
}

/** Signs a request. Signing a signed request again gives the same request. */
const authenticate: Extract<IAuthenticate, CallableFunction> = async (credentials, request) => {
	const base = baseAddress(credentials);
	const { href, origin, pathname } = targetOf(request, base);
	const path = `${origin}${pathname}`.slice(base.length);
	const [, endpoint] = /^\/+api\/gateway\/(\w+)\/?$/.exec(path) ?? [];
	switch (valueAt(endpoints, `${endpoint}.token`)) {
		case 'header': {
			const token = needed('Header Token', credentials.headerToken, credentials);
			const headers = Object.entries(request.headers ?? {}).filter(
				([name]) => name.toLowerCase() !== 'token',
			);
			return { ...boundTo(href, request), headers: { ...Object.fromEntries(headers), token } };
		}
		case 'body': {
			const groupID = needed('Group ID', credentials.groupId, credentials);
			const token = needed('Private Token', credentials.privateToken, credentials);
			return { ...boundTo(href, request), body: withToken(request.body, groupID, token) };
		}
		default:
			// Without a token it would only end in a 401.
			throw refusal(
				`${path} is none of the gateway's endpoints, such as /api/gateway/customers: nothing was sent`,
			);
	}
};

/** One harmless read: an event, or a customer where there is only the header token. */
const TEST_URL =
	'=/api/gateway/{{ String($credentials.privateToken ?? "").trim() ? "webhookEvents" : "customers" }}';

const WRONG_TOKEN =
	"The gateway refused the token: check 'Group ID' and 'Private Token', or 'Header Token' where it is the only one";
const WRONG_ADDRESS = "'Base URL' does not seem to be the gateway's: enter it without /api";
const NOT_TAKEN = 'The gateway did not take the test request';

type Rules = NonNullable<ICredentialTestRequest['rules']>;

const onStatus = (message: string, ...statuses: number[]) =>
	statuses.map((value): Rules[number] => ({
		type: 'responseCode',
		properties: { value, message: `${message} (${value})` },
	}));

const onBody = (key: string, value: unknown, message: string): Rules[number] => ({
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
	...onStatus("This is on the gateway's side: try again later", 500, 502, 503, 504),
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
		rules: RULES as Rules,
	};
}
