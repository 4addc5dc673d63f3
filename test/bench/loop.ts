import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { standInType } from '../engine/standInNodes';

/**
 * What most would write with n8n's request helper: one request after another, and no more. The
 * bench measures the package against it; `parallel` sends several at once.
 */

export const USUAL = 'bench.loop';
const CREDENTIAL = 'paymentsGatewayApi';
const PAGE = 100;

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
		const count = Math.min(Math.ceil(first.page.total / PAGE), most);
		await each(count - 1, async (index) => {
			pages[index + 1] = (await read(index + 2)).data;
		});
		return pages.flat();
	};

	const task = this.getNodeParameter('task', 0) as string;
	if (task === 'customers' || task === 'webhookEvents') {
		const rows = await list(task, this.getNodeParameter('pages', 0) as number);
		return [rows.map((json) => ({ json, pairedItem: { item: 0 } }))];
	}
	const items = this.getInputData();
	const output: INodeExecutionData[] = [];
	await each(items.length, async (item) => {
		const customerID = this.getNodeParameter('customer', item) as string;
		const json = await call('customer', { customerID });
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

export const loop = standInType(USUAL, { credentials, properties: [...form] }, execute);
