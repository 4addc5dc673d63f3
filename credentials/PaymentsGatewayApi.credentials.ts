import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INodeCredentialTestResult,
	INodeProperties,
	Icon,
} from 'n8n-workflow';

const PATH = /^\/+api\/gateway\/(\w+)\/?$/;

/** Which credential an endpoint takes. Anything else at the service gets neither. */
const HEADER_ENDPOINTS = new Set([
	'customers',
	'addCustomer',
	'customer',
	'updateCustomer',
	'deleteCustomer',
	'addPaymentMethod',
	'deletePaymentMethod',
	'setDefaultPaymentMethod',
]);
const BODY_ENDPOINTS = new Set([
	'webhookEvents',
	'computeTokenizedCheckout',
	'createTokenizedManualEntry',
	'createCheckoutData',
]);
const TEST_TIMEOUT = 15_000;
/** What a header can carry. Dots that stood for a hidden token, and line breaks, are none of it. */
const IN_HEADER = /^[\x20-\x7e]+$/;

/** Thrown before anything is sent; the client tells it from a request that went wrong by its name. */
class CredentialError extends Error {
	override readonly name = 'CredentialError';
}

function text(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

/** The base address, without its trailing slashes, or the reason why it is not used. */
function baseAddress(credentials: ICredentialDataDecryptedObject): string {
	const baseUrl = text(credentials.baseUrl).replace(/\/+$/, '');
	if (baseUrl === '') throw new CredentialError('The credential has no Base URL');
	let address: URL;
	try {
		address = new URL(baseUrl);
	} catch {
		throw refusal('The Base URL of the credential is not an address, such as https://example.com');
	}
	if (address.search !== '' || address.hash !== '') {
		throw new CredentialError('The Base URL ends with its path: leave ? and # out');
	}
	if (address.protocol !== 'https:' && credentials.environment === 'production') {
		throw new CredentialError('The Base URL must start with https:// in production');
	}
	if (address.protocol !== 'https:' && address.protocol !== 'http:') {
		throw new CredentialError('The Base URL must start with https:// (or http:// in sandbox)');
	}
	return baseUrl;
}

function refusal(message: string): CredentialError {
	return new CredentialError(message);
}

/** n8n's HTTP Request node says `uri` where the newer helper says `url`. */
type AnyRequest = IHttpRequestOptions & { uri?: string };

/** A token goes nowhere but to the service it belongs to: any other address is refused. */
function endpointOf(request: AnyRequest, baseUrl: string): string {
	const url = request.url ?? request.uri ?? '';
	const isAbsolute = /^[a-z][a-z+.-]*:/i.test(url);
	const start = (request.baseURL ?? baseUrl).replace(/\/+$/, '');
	const base = new URL(baseUrl);
	let target: URL;
	try {
		target = new URL(isAbsolute ? url : `${start}/${url.replace(/^\/+/, '')}`);
	} catch {
		throw refusal('The address of the request cannot be read');
	}
	const basePath = base.pathname.replace(/\/+$/, '');
	if (target.origin !== base.origin || !`${target.pathname}/`.startsWith(`${basePath}/`)) {
		throw new CredentialError("The request goes to another address than the credential's Base URL");
	}
	return PATH.exec(target.pathname.slice(basePath.length))?.[1] ?? '';
}

function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withCredentials(body: unknown, groupID: string, token: string): IDataObject | string {
	if (body === undefined || body === null || body === '') return { groupID, token };
	if (isObject(body) && Object.getPrototypeOf(body)?.constructor?.name === 'Object') {
		return { ...body, groupID, token };
	}
	if (typeof body === 'string') {
		let parsed: unknown;
		try {
			parsed = JSON.parse(body);
		} catch {
			throw refusal('The body of the request must be JSON');
		}
		if (isObject(parsed)) return JSON.stringify({ ...parsed, groupID, token });
	}
	throw new CredentialError('The body of the request must be a JSON object');
}

/** The only code that puts a token on a request. The same request twice gives the same request. */
const authenticate: Extract<IAuthenticate, CallableFunction> = async (credentials, request) => {
	const endpoint = endpointOf(request, baseAddress(credentials));
	if (HEADER_ENDPOINTS.has(endpoint)) {
		const token = text(credentials.headerToken);
		if (token === '') {
			throw new CredentialError(
				'The credential has no Header Token, which customers and payment methods need',
			);
		}
		if (!IN_HEADER.test(token)) {
			throw new CredentialError(
				'The Header Token holds characters that no token has: copy it once more',
			);
		}
		const headers = Object.fromEntries(
			Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'token'),
		);
		return { ...request, headers: { ...headers, token } };
	}
	if (BODY_ENDPOINTS.has(endpoint)) {
		const groupID = text(credentials.groupId);
		const token = text(credentials.privateToken);
		if (groupID === '') {
			throw new CredentialError(
				'The credential has no Group ID, which payments, carts, paylinks and events need',
			);
		}
		if (token === '') {
			throw new CredentialError(
				'The credential has no Private Token, which payments, carts, paylinks and events need',
			);
		}
		return { ...request, body: withCredentials(request.body, groupID, token) };
	}
	return request;
};

interface Probe {
	/** As the form calls it. */
	what: string;
	endpoint: string;
}

/** What an answer says about the token that asked, or nothing when it was accepted. */
function complaint({ what }: Probe, status: number, body: unknown): string | undefined {
	if (status === 401 || status === 403) return `The service refused the ${what} (${status})`;
	if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
		return `The Base URL does not seem to be the service's: it answered ${status}. Enter it without /api/gateway`;
	}
	if (status === 429) return 'The service is limiting requests (429). Try again in a minute';
	if (status < 200 || status >= 300)
		return `The service answered ${status} when asked with the ${what}`;
	if (isObject(body) && body.error !== undefined) {
		return `The service did not accept the ${what}: its answer is an error`;
	}
	if (!isObject(body) || !Array.isArray(body.data)) {
		return "The Base URL does not seem to be the service's: its answer is not a list";
	}
	return undefined;
}

/** Proves each token that is filled in with one harmless read. Named by the nodes as `testedBy`. */
export async function testPaymentsGatewayApi(
	this: ICredentialTestFunctions,
	{ data: credentials = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { request } = this.helpers;
	const probes: Probe[] = [];
	if (text(credentials.headerToken) !== '') {
		probes.push({ what: 'Header Token', endpoint: 'customers' });
	}
	if (text(credentials.privateToken) !== '') {
		probes.push({ what: 'Group ID or Private Token', endpoint: 'webhookEvents' });
	}
	if (probes.length === 0) {
		return { status: 'Error', message: 'Fill in the Header Token, the Private Token, or both' };
	}
	const ask = async (probe: Probe): Promise<string | undefined> => {
		try {
			const signed = await authenticate(credentials, {
				method: 'POST',
				url: `${baseAddress(credentials)}/api/gateway/${probe.endpoint}`,
				body: { data: { page: { page: 1, pageSize: 1 } } },
			});
			const answer = await request({
				...signed,
				json: true,
				simple: false,
				resolveWithFullResponse: true,
				followRedirect: false,
				followAllRedirects: false,
				timeout: TEST_TIMEOUT,
			});
			return complaint(probe, answer.statusCode, answer.body);
		} catch (error) {
			if (error instanceof CredentialError) return error.message;
			const code: unknown = isObject(error) ? error.code : undefined;
			return `The Base URL cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`;
		}
	};
	const complaints = (await Promise.all(probes.map(ask))).filter((words) => words !== undefined);
	if (complaints.length > 0) {
		return { status: 'Error', message: [...new Set(complaints)].join('. ') };
	}
	return {
		status: 'OK',
		message: `Connected: ${probes.map(({ what }) => what).join(' and ')} accepted`,
	};
}

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
			description: 'In production a payment charges a real customer, and every charge asks for it',
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
			placeholder: 'https://gateway.example.com',
			description:
				"The service's address for this environment, without /api. Production takes https only.",
		},
		{
			displayName: 'Group ID',
			name: 'groupId',
			type: 'string',
			default: '',
			description: 'Your merchant group. Paylinks, carts, payments and events need it.',
		},
		{
			displayName: 'Header Token',
			name: 'headerToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Customers and payment methods need it. Leave it empty if you only make paylinks.',
		},
		{
			displayName: 'Private Token',
			name: 'privateToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Paylinks, carts, payments and events need it, together with the Group ID',
		},
	];

	authenticate = authenticate;
}
