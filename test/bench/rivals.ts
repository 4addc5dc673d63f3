import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	IVersionedNodeType,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { standInType } from '../engine/standInNodes';

/**
 * What the package is measured against: n8n's own HTTP Request node, set up as a user would set it up
 * for this service; and a loop over n8n's request helper, as most would write it.
 */

const CREDENTIAL = 'paymentsGatewayApi';
export const PAGE = 100;

/** Where `npm start` puts n8n. */
const RUNTIME = process.env.N8N_E2E_DIR ?? resolve(__dirname, '../../.n8n/runtime');

/** The newest version of the node, and the version of its package. */
export function httpRequestNode() {
	const manifest = join(RUNTIME, 'node_modules/n8n-nodes-base/package.json');
	// Resolved from there: it brings its own dependencies, this package does not have them.
	const load = createRequire(manifest);
	const { version }: { version: string } = load(manifest);
	const { HttpRequest }: { HttpRequest: new () => IVersionedNodeType } = load(
		'./dist/nodes/HttpRequest/HttpRequest.node.js',
	);
	return { type: NodeHelpers.getVersionedNodeType(new HttpRequest()), version };
}

/** A POST with the package's credential, which n8n lets this node use. */
export function post(url: string, jsonBody: string, options: INodeParameters = {}) {
	return {
		...{ method: 'POST', url, sendBody: true, contentType: 'json', specifyBody: 'json', jsonBody },
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL,
		options,
	};
}

/** All customers, with the fewest requests that its pagination can do with. */
export function allCustomers(gateway: string) {
	const body = { data: { page: { page: 1, pageSize: PAGE } } };
	// It knows no paths such as data.page.page, but merges an object into the body.
	const next = { type: 'body', name: 'data', value: '={{ ({ page: { page: $pageCount + 1 } }) }}' };
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [next] },
		paginationCompleteWhen: 'other',
		completeExpression: `={{ $pageCount * ${PAGE} >= $response.body.page.total }}`,
		limitPagesFetched: false,
		requestInterval: 0,
	};
	return post(`${gateway}/customers`, JSON.stringify(body), { pagination: { pagination } });
}

export const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
export const LOOP = 'bench.loop';

/** One request after another, or `parallel` of them at once, and no more. */
async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const { baseUrl } = await this.getCredentials<{ baseUrl: string }>(CREDENTIAL);
	const [endpoint, parallel, most] = Object.keys(FORM).map((name) =>
		this.getNodeParameter(name, 0),
	);

	const answersTo = async (requests: number, bodyOf: (index: number) => IDataObject) => {
		const answers: IDataObject[] = [];
		const waiting = Array(requests).keys();
		const worker = async () => {
			for (const index of waiting) {
				const data = bodyOf(index);
				answers[index] = await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
					method: 'POST',
					url: `${baseUrl}/api/gateway/${endpoint}`,
					body: { data },
					json: true,
				});
			}
		};
		await Promise.all(Array.from({ length: Number(parallel) }, worker));
		return answers;
	};

	if (endpoint === 'customer') {
		const customer = (item: number) => ({ customerID: this.getNodeParameter('customer', item) });
		const answers = await answersTo(this.getInputData().length, customer);
		return [this.helpers.returnJsonArray(answers)];
	}
	const sort = endpoint === 'webhookEvents' && { sort: { field: 'date', order: 'desc' } };
	const pageFrom = (first: number) => (index: number) => ({
		page: { page: first + index, pageSize: PAGE, ...sort },
	});
	const first = await answersTo(1, pageFrom(1));
	// Trusts the total of the first page: the least that a list can cost.
	const { total } = Object(first[0]?.page);
	const rest = Math.min(Math.ceil(total / PAGE), Number(most)) - 1;
	const pages = await answersTo(rest, pageFrom(2));
	const rows = [...first, ...pages].flatMap(({ data }) => data as IDataObject[]);
	return [this.helpers.returnJsonArray(rows)];
}

const FORM = { endpoint: '', parallel: 1, pages: 1_000_000, customer: '' };
const properties = Object.entries(FORM).map(([name, value]) => {
	return { displayName: name, name, type: 'hidden' as const, default: value };
});
const credentials = [{ name: CREDENTIAL, required: true }];

export const loop = standInType(LOOP, { credentials, properties }, execute);
