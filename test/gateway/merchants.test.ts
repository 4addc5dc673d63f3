import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Context } from '../../nodes/PaymentsGateway/gateway/connection';
import { merchantsOf } from '../../nodes/PaymentsGateway/gateway/merchants';
import { log, output } from '../engine';
import { standIn } from '../engine/instance';
import { nodeCredentials } from '../sandbox';
import { useNode } from '../useNode';
import { useSandbox } from '../useSandbox';

/**
 * Fields of the credential that an expression fills are worked out for each item: each item goes to
 * its own merchant, and what is kept is kept for each merchant.
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
const paylink = {
	resource: 'paylink',
	operation: 'create',
	amount: 25,
	referenceId: '={{ $json.index }}',
};

/** Who was asked, and with whose tokens, in no order. */
const asked = () =>
	[sandbox, elsewhere].flatMap(({ url, requests }) =>
		requests.map(({ body, headers }) => ({
			url,
			body: body as { groupID?: string; token?: string; data: { form: { referenceID?: string } } },
			header: headers.token,
		})),
	);

describe('items of different merchants', () => {
	test('go each to their own', async () => {
		elsewhere.fault({ times: Infinity, body: { data: { payLinkID: 'x', url: 'y' } } });
		const items = itemsOf(12);
		const result = await run(paylink, { items, credentials: byItem() });
		expect(output(result)).toHaveLength(12);
		expect(asked()).toHaveLength(12);
		for (const { url, body } of asked()) {
			const { groupId, privateToken, baseUrl } =
				merchants()[Number(body.data.form.referenceID) % 3] ?? {};
			expect([body.groupID, body.token, url]).toEqual([groupId, privateToken, baseUrl]);
		}
	});

	test('sign with the header token of their own', async () => {
		const { id } = sandbox.addCustomer();
		elsewhere.fault({ times: Infinity, body: { id } });
		const customerId = { __rl: true, mode: 'id', value: id };
		const get = { resource: 'customer', operation: 'get', customerId };
		output(await run(get, { items: itemsOf(3), credentials: byItem() }));
		expect(asked().map(({ header, url }) => [header, url])).toEqual(
			[0, 1, 2].map((index) => {
				const { headerToken, baseUrl } = merchants()[index] ?? {};
				return [headerToken, baseUrl];
			}),
		);
	});

	test('are told apart by the production switch', async () => {
		const items = itemsOf(2).map((item, index) => ({
			...item,
			cart: sandbox.addCart({ referenceID: `ORDER-${index}`, amount: 1_900 }),
			environment: ['sandbox', 'Sandbox'][index],
		}));
		const card = { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } };
		const commit: INodeParameters = {
			resource: 'payment',
			operation: 'commit',
			customerConsent: true,
			paymentData: '={{ $json.cart }}',
			card,
		};
		const result = await run(commit, {
			items,
			credentials: { ...byItem(), environment: '={{ $json.environment }}' },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(result.items[0]).toMatchObject({ charged: true, environment: 'sandbox' });
		expect(result.items[1]?.error).toMatch(/[Pp]roduction/);
		expect(sandbox.charges).toHaveLength(1);
	});

	test('charge the same reference once for each', async () => {
		const cart = sandbox.addCart({ referenceID: 'ORDER-1', amount: 1_900 });
		const items = [0, 1, 0, 1].map((index) => ({ merchant: merchants()[index] }));
		const result = await run(
			{
				resource: 'payment',
				operation: 'commit',
				customerConsent: true,
				paymentData: cart,
				card: { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } },
			},
			{ items, credentials: byItem(), settings: { onError: 'continueRegularOutput' } },
		);
		expect(result.items.map(({ charged }) => charged)).toEqual([true, true, false, false]);
		const commits = sandbox.requestsTo('createTokenizedManualEntry');
		expect(commits.map(({ body }) => body.groupID)).toEqual([
			sandbox.credentials.groupID,
			sandbox.otherCredentials.groupID,
		]);
	});

	test('make a customer of the same email once for each', async () => {
		const items = [0, 2, 0, 2].map((index) => ({ merchant: merchants()[index] }));
		items.forEach(({ merchant }) =>
			Object.assign(merchant ?? {}, { headerToken: sandbox.credentials.headerToken }),
		);
		const upsert = {
			resource: 'customer',
			operation: 'upsert',
			email: 'ada@example.com',
			customerFields: { nameOnCard: 'Ada' },
		};
		const result = await run(upsert, { items, credentials: byItem() });
		expect(output(result).filter(({ outcome }) => outcome === 'created')).toHaveLength(2);
		expect([sandbox.customers.length, elsewhere.customers.length]).toEqual([1, 1]);
	});
});

describe('a token of any merchant of the run', () => {
	const tokens = () =>
		merchants().flatMap(({ headerToken, privateToken }) => [headerToken, privateToken]);
	const echo = () => tokens().join(' and ');
	const kept = ({ tasks }: Awaited<ReturnType<typeof run>>) =>
		JSON.stringify(tasks) + log.lines.join('\n');

	test('is masked in every output', async () => {
		for (const one of [sandbox, elsewhere]) {
			one.fault({ times: Infinity, body: { data: { payLinkID: 'x', url: 'y', note: echo() } } });
		}
		const result = await run(paylink, { items: itemsOf(3), credentials: byItem() });
		expect(output(result)).toHaveLength(3);
		for (const token of tokens()) expect(kept(result)).not.toContain(token);
	});

	test('is masked in every error', async () => {
		for (const one of [sandbox, elsewhere]) {
			one.fault({ times: Infinity, status: 400, body: { message: echo() } });
		}
		const settings = { onError: 'continueRegularOutput' as const };
		const result = await run(paylink, { items: itemsOf(3), credentials: byItem(), settings });
		expect(result.items).toHaveLength(3);
		for (const token of tokens()) expect(kept(result)).not.toContain(token);
	});
});

test('an item whose expression cannot be worked out fails alone', async () => {
	const items = [...itemsOf(2), { index: 2 }];
	const settings = { onError: 'continueRegularOutput' as const };
	const result = await run(paylink, { items, credentials: byItem(), settings });
	expect(result.items.map(({ error }) => typeof error)).toEqual([
		'undefined',
		'undefined',
		'string',
	]);
	expect(sandbox.requests).toHaveLength(2);
});

test('a client knows how many items the run has, whosever they are', async () => {
	const context = standIn<Context>('context', {
		getInputData: (() => Array.from({ length: 12 }, () => ({ json: {} }))) as never,
		getCredentials: (async () => await Promise.resolve(credentials())) as never,
	});
	expect((await merchantsOf(context).clientFor(0)).items).toBe(12);
});
