import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { log, output } from '../engine';
import { by } from '../resources/locator';
import { continueOnFail } from '../resources/payment/charges';
import type { Fault } from '../sandbox';
import { nodeCredentials } from '../sandbox';
import { useNode } from '../useNode';
import { useSandbox } from '../useSandbox';
import { chargeWithoutCart, get, paylink as anyPaylink } from './operationOfEndpoint';

/**
 * Expressions in the credential are evaluated for each item: each item goes to its own merchant, and
 * what the process remembers is kept apart by merchant.
 */

const { sandbox, credentials, run } = useNode();
const { sandbox: elsewhere } = useSandbox();

const byItem = () =>
	Object.fromEntries(
		Object.keys(credentials()).map((name) => [name, `={{ $json.merchant.${name} }}`]),
	);
/** Two groups at one address, and a third merchant at another. */
const merchants = () => [
	nodeCredentials(sandbox),
	nodeCredentials({ url: sandbox.url, credentials: sandbox.otherCredentials }),
	{
		...nodeCredentials(elsewhere),
		headerToken: 'the-third-header',
		privateToken: 'the-third-private',
	},
];
const itemsOf = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ index, merchant: merchants()[index % 3] }));
const paylink = { ...anyPaylink, referenceId: '={{ $json.index }}' };
/** Runs items of these merchants. */
const runOf = async (parameters: INodeParameters, items: IDataObject[]) =>
	await run(parameters, { items, credentials: byItem(), settings: continueOnFail });

describe('items of different merchants', () => {
	test('each go to their own merchant, with its tokens', async () => {
		const { id } = sandbox.addCustomer();
		elsewhere.fault({ times: 2, body: { data: { payLinkID: 'x', url: 'y' } } });
		elsewhere.fault({ on: 'customer', body: { id } });
		output(await runOf(paylink, itemsOf(6)));
		output(await runOf({ ...get, customerId: by('id', id) }, itemsOf(3)));
		for (const [index, merchant] of merchants().entries()) {
			const { requestsTo } = merchant.baseUrl === elsewhere.url ? elsewhere : sandbox;
			const made = requestsTo('createCheckoutData').filter(
				({ body }) => body.token === merchant.privateToken,
			);
			const found = made.map(({ body }) => [body.groupID, body.data.form.referenceID]);
			expect(found.sort()).toEqual([index, index + 3].map((each) => [merchant.groupId, `${each}`]));
		}
		const read = [sandbox, elsewhere].flatMap(({ requestsTo }) => requestsTo('customer'));
		expect(read.map(({ headers }) => headers.token)).toEqual(
			merchants().map(({ headerToken }) => headerToken),
		);
	});

	test('charge the same reference once for each', async () => {
		const cart = sandbox.addCart({ referenceID: 'ORDER-1', amount: 1_900 });
		const items = [0, 1, 0, 1].map((index) => ({ cart, merchant: merchants()[index] }));
		const result = await runOf({ ...chargeWithoutCart, paymentData: '={{ $json.cart }}' }, items);
		expect(result.items.map(({ charged }) => charged)).toEqual([true, true, false, false]);
		const commits = sandbox.requestsTo('createTokenizedManualEntry');
		expect(commits.map(({ body }) => body.groupID)).toEqual([
			sandbox.credentials.groupID,
			sandbox.otherCredentials.groupID,
		]);
	});
});

test.each<[string, (words: string) => Fault]>([
	['output', (url) => ({ body: { data: { payLinkID: 'x', url } } })],
	['error', (message) => ({ status: 400, body: { message } })],
])('the tokens of each merchant are masked in every %s of its items', async (_, fault) => {
	const tokens = merchants().map(({ headerToken, privateToken }) => [headerToken, privateToken]);
	for (const [index, own] of tokens.entries()) {
		const isOwn: Fault['when'] = ({ body }) => JSON.stringify(body).includes(own[1] ?? '');
		const gateway = index === 2 ? elsewhere : sandbox;
		gateway.fault({ times: Infinity, when: isOwn, ...fault(own.join(' and ')) });
	}
	const { items, run } = await runOf(paylink, itemsOf(3));
	expect(items).toHaveLength(3);
	const shown = run.data.resultData.runData['Payments Gateway'];
	const kept = JSON.stringify(shown) + log.lines.join('\n');
	expect(kept).toContain('•••• and ••••');
	for (const token of tokens.flat()) expect(kept).not.toContain(token);
});

test('an item whose expression cannot be evaluated fails alone', async () => {
	const { items } = await runOf(paylink, [...itemsOf(2), { index: 2 }]);
	expect(items.map(({ error }) => error !== undefined)).toEqual([false, false, true]);
	expect(sandbox.requests).toHaveLength(2);
});
