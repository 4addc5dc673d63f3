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

import { standInType } from '../engine/standInNodes';

/**
 * What the package is measured against, with the same credential: n8n's HTTP Request node; and a node
 * over n8n's request helper that does what `work` says, for what takes several nodes.
 */

export interface Answer extends IDataObject {
	data: IDataObject[];
	page: { total: number };
}

export type Send = (endpoint: string, data: IDataObject) => Promise<Answer>;
export type Work = (send: Send, items: IDataObject[]) => Promise<IDataObject[]>;

export const BY_HAND = 'bench.byHand';
const CREDENTIAL = 'paymentsGatewayApi';
export const PAGE = 100;

let current: Work;

export function byHand(work: Work): string {
	current = work;
	return BY_HAND;
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
	return [this.helpers.returnJsonArray(await current(send, items))];
}

const credentials = [{ name: CREDENTIAL, required: true }];
export const byHandType = standInType(BY_HAND, { credentials }, execute);

/** One page after another, until the total that the first page says. */
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

/** The newest version of the HTTP Request node, from where `npm start` has put n8n. */
export function httpRequestType(home: string): INodeType {
	const load = createRequire(join(home, '.n8n/runtime/node_modules/n8n-nodes-base/package.json'));
	const { HttpRequest }: { HttpRequest: new () => IVersionedNodeType } = load(
		'./dist/nodes/HttpRequest/HttpRequest.node.js',
	);
	return NodeHelpers.getVersionedNodeType(new HttpRequest());
}

/** How people set that node up to read the customer of each item. It sends all at once. */
export const readCustomer: INodeParameters = {
	method: 'POST',
	url: '={{ $json.url }}/api/gateway/customer',
	authentication: 'predefinedCredentialType',
	nodeCredentialType: CREDENTIAL,
	sendBody: true,
	specifyBody: 'json',
	jsonBody: '={{ { data: { customerID: $json.id } } }}',
	options: {},
};

/** All customers are looked up at once, and then all are created or updated at once. */
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
