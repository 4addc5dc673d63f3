import type { ICredentialTestRequest } from 'n8n-workflow';

/**
 * The test that n8n runs when the credential is saved, and its messages. Without rules, n8n shows a bare
 * status, and takes any body for a success.
 */

/** The test reads one event, or one customer if there is only the header token. */
const TEST_URL =
	'=/api/gateway/{{ String($credentials.privateToken ?? "").trim() ? "webhookEvents" : "customers" }}';

const WRONG_TOKEN =
	"The gateway refused the token: check 'Group ID' and 'Private Token', or 'Header Token' if it is the only one";
const WRONG_ADDRESS = "'Base URL' does not seem to be the gateway's: enter it without /api";
const REDIRECTS = "'Base URL' redirects, which is not followed: enter the address that it leads to";
const NOT_TAKEN = 'The gateway refused the test request';

type Rules = NonNullable<ICredentialTestRequest['rules']>;

const onStatus = (message: string, ...statuses: number[]) =>
	statuses.map((value): Rules[number] => ({
		type: 'responseCode',
		properties: { value, message: `${message} (${value})` },
	}));

/** Fails the test if the field has this value. n8n's "success" means a 2xx status. */
const onBody = (key: string, value: unknown, message: string): Rules[number] => ({
	type: 'responseSuccessBody',
	properties: { key, value, message },
});

/** The messages that n8n shows, by status or body. */
const RULES = [
	...onStatus(WRONG_TOKEN, 401, 403),
	...onStatus(REDIRECTS, 301, 302, 303, 307, 308),
	...onStatus(WRONG_ADDRESS, 404, 405),
	...onStatus(`${NOT_TAKEN}: check 'Base URL' and the tokens`, 400, 422),
	...onStatus('The gateway is limiting requests: try again in a minute', 429),
	...onStatus("This is on the gateway's side: try again later", 500, 502, 503, 504),
	// Neither a web page nor most errors with status 200 have `data`.
	onBody('data', undefined, `${WRONG_ADDRESS}, and check the tokens (its answer has no list)`),
	onBody('data', null, `${NOT_TAKEN}: check the tokens`),
	onBody('success', false, `${NOT_TAKEN}: check the tokens`),
];

export const connectionTest: ICredentialTestRequest = {
	request: {
		method: 'POST',
		url: TEST_URL,
		body: { data: { page: { page: 1, pageSize: 1 } } },
		json: true,
	},
	// n8n handles rules of both types together; only its TypeScript type requires one type for all.
	rules: RULES as Rules,
};
