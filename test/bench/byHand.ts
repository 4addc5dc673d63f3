import { createRequire } from 'node:module';
import { join } from 'node:path';

import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IVersionedNodeType,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { HTTP_REQUEST, standInType } from '../engine/standInNodes';

/**
 * What the package is compared with, using the same credential: n8n's HTTP Request node and, for work
 * that takes several nodes, a node that runs a `Work` with n8n's request helper.
 */

export interface Answer extends IDataObject {
	data: IDataObject[];
	page: { total: number };
}

export type Send = (endpoint: string, data: IDataObject) => Promise<Answer>;
export type Work = (send: Send, items: IDataObject[]) => Promise<IDataObject[]>;
/** A node with its parameters, by default this package's; or work by hand. */
export type Task = { nodeType?: string; parameters: INodeParameters } | Work;

export const BY_HAND = 'bench.byHand';
const CREDENTIAL = 'paymentsGatewayApi';
export const PAGE = 100;

let currentWork: Work;

/** A task for a node that does this work, until the next call. */
export function byHandTask(work: Work) {
	currentWork = work;
	return { nodeType: BY_HAND, parameters: {} };
}

async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const { baseUrl } = await this.getCredentials<{ baseUrl: string }>(CREDENTIAL);
	const send: Send = async (endpoint, data) =>
		await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
			method: 'POST',
			url: `${baseUrl}/api/gateway/${endpoint}`,
			body: { data },
			json: true,
		});
	const items = this.getInputData().map(({ json }) => json);
	return [this.helpers.returnJsonArray(await currentWork(send, items))];
}

const credentials = [{ name: CREDENTIAL, required: true }];
export const byHandType = standInType(BY_HAND, { credentials }, execute);

/** Reads page after page, until there are as many rows as the latest page's total. */
export const everyPage =
	(endpoint: string): Work =>
	async (send) => {
		const rows: IDataObject[] = [];
		for (let page = 1, total = 1; rows.length < total; page++) {
			const answer = await send(endpoint, { page: { page, pageSize: PAGE } });
			rows.push(...answer.data);
			total = answer.page.total;
		}
		return rows;
	};

/** The newest version of the HTTP Request node, from the n8n that `npm start` has installed. */
export function httpRequestType(home: string): INodeType {
	const load = createRequire(join(home, '.n8n/runtime/node_modules/n8n-nodes-base/package.json'));
	const { HttpRequest }: { HttpRequest: new () => IVersionedNodeType } = load(
		'./dist/nodes/HttpRequest/HttpRequest.node.js',
	);
	return NodeHelpers.getVersionedNodeType(new HttpRequest());
}

/** How people use that node to read the customer of each item. It sends all requests immediately. */
export const readCustomer: Task = {
	nodeType: HTTP_REQUEST,
	parameters: {
		method: 'POST',
		url: '={{ $json.url }}/api/gateway/customer',
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ { data: { customerID: $json.id } } }}',
		options: {},
	},
};

/** Looks up all customers in parallel, then creates or updates all of them in parallel. */
export const lookUpThenWrite: Work = async (send, items) => {
	const found = items.map(async ({ email }) => {
		const filter = [{ field: 'email', operation: 'equals', value: email }];
		return (await send('customers', { page: { page: 1, filter } })).data[0]?.id;
	});
	const ids = await Promise.all(found);
	const written = items.map(async ({ email, name }, index) => {
		const form = { email, nameOnCard: name };
		const customerID = ids[index];
		if (customerID === undefined) return await send('addCustomer', { form });
		return await send('updateCustomer', { customerID, form });
	});
	return await Promise.all(written);
};
