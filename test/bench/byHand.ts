import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { standInType } from '../engine/standInNodes';

/**
 * What the package is measured against: a node as people wire it by hand, with the same credential
 * and n8n's own request helper. It does what `work` says.
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

/** Every customer at once; those that the gateway refused are missing. */
export const allAtOnce: Work = async (send, items) => {
	const asked = items.map(async ({ id }) => await send('customer', { customerID: id }));
	const answers = await Promise.allSettled(asked);
	return answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
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
		return await (customerID === undefined
			? send('addCustomer', { form })
			: send('updateCustomer', { customerID, form }));
	});
	return await Promise.all(written);
};
