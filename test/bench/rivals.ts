import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IVersionedNodeType,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { standInType } from '../engine/standInNodes';

/**
 * What the package is measured against: n8n's own HTTP Request node, set up as a user would set it up
 * for this service; and a loop over n8n's request helper, as most would write it.
 */

const CREDENTIAL = 'paymentsGatewayApi';
const PAGE = 100;

export const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

/** Where `npm start` puts n8n. */
const RUNTIME = process.env.N8N_E2E_DIR ?? resolve(__dirname, '../../.n8n/runtime');

export interface HttpRequestNode {
	type: INodeType;
	/** Of the package that it comes from. */
	version: string;
}

/** The newest version of the node. */
export function httpRequestNode(): HttpRequestNode {
	const manifest = join(RUNTIME, 'node_modules/n8n-nodes-base/package.json');
	// Resolved from there: it brings its own dependencies, this package does not have them.
	const load = createRequire(manifest);
	const { version } = load(manifest) as { version: string };
	const loaded = load('./dist/nodes/HttpRequest/HttpRequest.node.js') as {
		HttpRequest: new () => IVersionedNodeType;
	};
	return { type: NodeHelpers.getVersionedNodeType(new loaded.HttpRequest()), version };
}

/** A POST with the package's credential, which n8n lets this node use. */
export function post(url: string, jsonBody: string, options: IDataObject = {}): INodeParameters {
	return {
		...{ method: 'POST', url, sendBody: true, contentType: 'json', specifyBody: 'json', jsonBody },
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL,
		options: options as INodeParameters,
	};
}

/** All customers, with the fewest requests that its pagination can do with. */
export function allCustomers(gateway: string): INodeParameters {
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

export const LOOP = 'bench.loop';

/** One request after another, or `parallel` of them at once, and no more. */
async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const { baseUrl } = await this.getCredentials<{ baseUrl: string }>(CREDENTIAL);
	const call = async (endpoint: string, data: IDataObject) =>
		(await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
			method: 'POST',
			url: `${baseUrl}/api/gateway/${endpoint}`,
			body: { data },
			json: true,
		})) as IDataObject;

	const parallel = this.getNodeParameter('parallel', 0) as number;
	const each = async (tasks: number, run: (task: number) => Promise<void>) => {
		let next = 0;
		const worker = async () => {
			while (next < tasks) await run(next++);
		};
		await Promise.all(Array.from({ length: parallel }, worker));
	};

	/** Trusts the total of the first page: the least that a list can cost. */
	const list = async (endpoint: string, most: number) => {
		const sort = endpoint === 'webhookEvents' && { sort: { field: 'date', order: 'desc' } };
		const read = async (page: number) => {
			const answer = await call(endpoint, { page: { page, pageSize: PAGE, ...sort } });
			return answer as { data: IDataObject[]; page: { total: number } };
		};
		const first = await read(1);
		const pages = [first.data];
		await each(Math.min(Math.ceil(first.page.total / PAGE), most) - 1, async (index) => {
			pages[index + 1] = (await read(index + 2)).data;
		});
		return pages.flat();
	};

	const task = this.getNodeParameter('task', 0) as string;
	if (task !== 'get') {
		const rows = await list(task, this.getNodeParameter('pages', 0) as number);
		return [rows.map((json) => ({ json, pairedItem: { item: 0 } }))];
	}
	const output: INodeExecutionData[] = [];
	await each(this.getInputData().length, async (item) => {
		const json = await call('customer', { customerID: this.getNodeParameter('customer', item) });
		output[item] = { json, pairedItem: { item } };
	});
	return [output];
}

const form = [
	{ displayName: 'Task', name: 'task', type: 'string', default: '' },
	{ displayName: 'Parallel', name: 'parallel', type: 'number', default: 1 },
	{ displayName: 'Customer', name: 'customer', type: 'string', default: '' },
	{ displayName: 'Pages', name: 'pages', type: 'number', default: 1_000_000 },
] as const;
const credentials = [{ name: CREDENTIAL, required: true }];

export const loop = standInType(LOOP, { credentials, properties: [...form] }, execute);
