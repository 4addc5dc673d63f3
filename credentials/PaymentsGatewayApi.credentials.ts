import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
	Icon,
} from 'n8n-workflow';

import { endpoints } from '../nodes/PaymentsGateway/wire';
import { isObject, jsonOf, textOf, valueAt } from '../nodes/PaymentsGateway/wire/json';
import { connectionTest } from './connectionTest';

/**
 * The credential: its form, and how its token is put on a request. No other code does that, for the
 * nodes of this package and for n8n's HTTP Request node alike.
 */

/** Thrown before a request is sent. `gateway/request.ts` recognises it by its name. */
function credentialError(message: string): Error {
	return Object.assign(new Error(message), { name: 'CredentialError' });
}

/**
 * Not URL.canParse: in Node 20, once V8 has optimised it, it rejects addresses with non-ASCII letters.
 */
function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** The base address without slashes at its end. Throws if it is missing or unsafe. */
function baseAddress({ baseUrl, environment }: ICredentialDataDecryptedObject): string {
	if (textOf(baseUrl) === '') throw credentialError("The credential has no 'Base URL': fill it in");
	const address = parseUrl(textOf(baseUrl));
	if (address === undefined || !/^https?:$/.test(address.protocol)) {
		throw credentialError(
			"'Base URL' of the credential must be an address, such as https://example.com",
		);
	}
	// A path after ? or # would be lost, and a user name can pass for a host: gateway.com@evil.com.
	// Origin and path contain none of the three.
	if (address.href !== address.origin + address.pathname) {
		throw credentialError("'Base URL' must have no user name (@), and no ? or #");
	}
	// Over http, anyone in between could read the token. As in gateway/merchant.ts, every
	// environment but "sandbox" counts as production.
	if (address.protocol !== 'https:' && environment !== 'sandbox') {
		throw credentialError(
			"'Base URL' must start with https:// in production; http:// works only with 'Environment' set to 'Sandbox'",
		);
	}
	return address.href.replace(/\/+$/, '');
}

/** n8n's HTTP Request node uses n8n's older request helper, which reads `uri` instead of `url`. */
type AnyRequest = IHttpRequestOptions & { uri?: string };

/**
 * The address of a request. A token must not go to another host. So the parsed address, with `..`
 * and backslashes resolved, is compared. The slash after the base address keeps out
 * gateway.com.evil.com and gateway.com@evil.com; a leading `//evil.com` is read as a path.
 */
function targetOf({ url, uri = '' }: AnyRequest, base: string): URL {
	const target = parseUrl((url ?? uri).replace(/^\/+/, ''), `${base}/`);
	if (target?.href.startsWith(`${base}/`)) return target;
	throw credentialError(
		"The request's address is not below the credential's 'Base URL': begin it with that",
	);
}

/** The request with the checked address as its only target: n8n must not change or redirect it. */
function withFixedTarget(address: string, request: AnyRequest): AnyRequest {
	const fixed: AnyRequest = {
		...request,
		// A redirect could carry the token to another host.
		disableFollowRedirect: true,
		maxRedirects: 0,
		// For n8n's older request helper (2.41), whose options n8n's type lacks.
		...{ followRedirect: false, followAllRedirects: false },
	};
	// n8n would resolve the address against it.
	delete fixed.baseURL;
	fixed[request.url === undefined ? 'uri' : 'url'] = address;
	return fixed;
}

function withToken(body: unknown, groupID: string, token: string): object | string {
	const isText = typeof body === 'string' && body !== '';
	const fields = isText ? jsonOf(body) : body || {};
	// Object.prototype.toString names arrays, FormData and Buffers differently.
	const kind = Object.prototype.toString.call(fields);
	if (!isObject(fields) || kind !== '[object Object]') {
		throw credentialError('The body of the request must be a JSON object');
	}
	const complete = { ...fields, groupID, token };
	return isText ? JSON.stringify(complete) : complete;
}

const NO_TOKEN =
	"The credential has neither 'Header Token' (for customers and payment methods) nor 'Private Token' (for paylinks, carts, payments and events): fill in at least one of them";

/** Returns the field, trimmed. Throws an error that names it if it is empty. */
function requiredField(
	label: string,
	value: unknown,
	{ headerToken, privateToken }: ICredentialDataDecryptedObject,
): string {
	if (textOf(value) !== '') return textOf(value);
	if (textOf(headerToken) === '' && textOf(privateToken) === '') throw credentialError(NO_TOKEN);
	throw credentialError(`The credential has no '${label}': fill it in`);
}

/** Puts the token on a request. Doing so twice gives the same request. */
const authenticate: Extract<IAuthenticate, CallableFunction> = async (credentials, request) => {
	const base = baseAddress(credentials);
	const { href, origin, pathname } = targetOf(request, base);
	// The path below the base address; a query is not part of it.
	const path = `${origin}${pathname}`.slice(base.length);
	const [, endpoint] = /^\/+api\/gateway\/(\w+)\/?$/.exec(path) ?? [];
	switch (valueAt(endpoints, `${endpoint}.token`)) {
		case 'header': {
			const token = requiredField('Header Token', credentials.headerToken, credentials);
			return { ...withFixedTarget(href, request), headers: { ...request.headers, token } };
		}
		case 'body': {
			const groupID = requiredField('Group ID', credentials.groupId, credentials);
			const token = requiredField('Private Token', credentials.privateToken, credentials);
			return { ...withFixedTarget(href, request), body: withToken(request.body, groupID, token) };
		}
		default:
			// A request without a token would only end in a 401.
			throw credentialError(
				`Nothing was sent: ${path} is not a gateway endpoint; use one, such as /api/gateway/customers`,
			);
	}
};

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
			// If Sandbox were the default, real tokens would charge without 'Allow Charges in Production'.
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
				"The gateway's address for this environment, without /api. It begins with https://; for a sandbox on your own machine, usually with http://.",
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
				"Saving this tests 'Group ID' and 'Private Token', or 'Header Token' if it is the only one. A 'Header Token' beside a 'Private Token' is not tested until it is first used.",
			name: 'testNotice',
			type: 'notice',
			default: '',
		},
	];

	authenticate = authenticate;

	test = connectionTest;
}
