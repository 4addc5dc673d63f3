import { log, output } from '../../engine';
import type { Fault } from '../../sandbox';
import { REFERENCE, nothingCharged, once, words, useCharges } from './charges';

/** A reference that is paid is not charged again: what is paid is told by the service's events. */

const { sandbox, commit, cart, paid, refunded, seen } = useCharges();

/** As a list answers, with rows among its own that are no records. */
function withOddRows(answer: unknown): unknown {
	const { data, ...rest } = answer as { data: unknown[] };
	return { data: [null, 'text', ...data, 7, [{}]], ...rest };
}

describe('5. the reference', () => {
	test('charges nothing without one, unless repeats are allowed', async () => {
		const paymentData = cart({ referenceID: '' });
		const run = await commit({ paymentData });
		expect(words(run)).toMatch(/has no reference.*Allow Repeat Charge/s);
		expect(seen()).toEqual(nothingCharged);
		output(await commit({ paymentData, options: { allowRepeatCharge: true } }));
		expect(seen()).toEqual(once);
	});

	test('a blank reference is none', async () => {
		const run = await commit({ paymentData: cart({ referenceID: '   ' }) });
		expect(words(run)).toMatch(/has no reference/);
		expect(seen()).toEqual(nothingCharged);
	});

	const alreadyPaid = (transactionID: unknown) => [
		{
			charged: false,
			status: 'ALREADY_PAID',
			transactionID,
			referenceID: REFERENCE,
			computedTotal: 2500,
			amountFormatted: '$25.00',
			environment: 'sandbox',
		},
	];

	test('charges nothing when it is paid', async () => {
		const first = output(await commit({ paymentData: cart() }));
		const second = output(await commit({ paymentData: cart() }));
		expect(second).toEqual(alreadyPaid(first[0]?.transactionID));
		expect(seen()).toEqual(once);
	});

	test.each<[string, () => void]>([
		['ignores the search', () => (sandbox.settings.ignoreSearch = true)],
		[
			'knows no search',
			() => sandbox.fault({ on: 'webhookEvents', status: 400, times: Infinity, when: isSearch }),
		],
		[
			'finds nothing by searching',
			() =>
				sandbox.fault({
					on: 'webhookEvents',
					times: Infinity,
					when: isSearch,
					answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
				}),
		],
		[
			'ignores the order',
			() =>
				Object.assign(sandbox.settings, {
					ignoreSort: true,
					ignoreSearch: true,
					eventOrder: 'asc',
				}),
		],
		[
			'serves few rows',
			() => Object.assign(sandbox.settings, { pageSizeCap: 7, ignoreSearch: true }),
		],
		[
			'tells no total',
			() => Object.assign(sandbox.settings, { total: 'zero', ignoreSearch: true }),
		],
		[
			'shuffles equal dates',
			() => Object.assign(sandbox.settings, { tieOrder: 'random', ignoreSearch: true }),
		],
	])('finds a payment among hundreds when the service %s', async (_, bend) => {
		const date = new Date(sandbox.clock.now().getTime() - 20 * 86_400_000).toISOString();
		paid({ transactionID: 'txn_old', date });
		sandbox.addEvents(260);
		bend();
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	const isSearch = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"search"');

	test('looks as far back as it is told', async () => {
		const date = new Date(sandbox.clock.now().getTime() - 40 * 86_400_000).toISOString();
		paid({ transactionID: 'txn_old', date });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		const options = { lookBackDays: 60 };
		expect(output(await commit({ paymentData: cart(), options }))).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	test('counts the look-back by the clock of the service', async () => {
		sandbox.clock.set('2021-05-01T12:00:00Z');
		paid({ transactionID: 'txn_old', date: '2021-04-20T12:00:00Z' });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		for (const headers of [{}, { Date: '' }]) {
			sandbox.fault({ on: 'webhookEvents', times: Infinity, headers });
			expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_old'));
		}
		expect(seen()).toEqual(nothingCharged);
	});

	test('charges nothing when another amount is paid, and names both', async () => {
		paid({ amount: 1999 });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/Nothing was charged.*1999.*2500/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('charges nothing while a part of a payment is kept', async () => {
		paid({ transactionID: 'txn_1' });
		refunded({ amount: 1000 });
		refunded({ amount: 500 });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/1000 cents are paid.*2500/);
		const same = await commit({ paymentData: cart({ amount: 1000 }) });
		expect(output(same)).toMatchObject([{ charged: false, status: 'ALREADY_PAID' }]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a refund that is told twice goes back once', async () => {
		paid({ transactionID: 'txn_1' });
		refunded({ transactionID: 'txn_2', amount: 1250 });
		refunded({ transactionID: 'txn_2', amount: 1250 });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/1250 cents are paid/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a part of a payment older than the look-back is still paid', async () => {
		const date = new Date(sandbox.clock.now().getTime() - 40 * 86_400_000).toISOString();
		paid({ date });
		sandbox.addEvents(150);
		refunded({ amount: 500 });
		sandbox.settings.ignoreSearch = true;
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/2000 cents are paid/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a full refund lets it be charged anew, once', async () => {
		output(await commit({ paymentData: cart() }));
		sandbox.refund(sandbox.charges[0]?.transactionID ?? '');
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
		const again = output(await commit({ paymentData: cart() }));
		expect(again).toEqual(alreadyPaid(sandbox.charges[1]?.transactionID));
		expect(sandbox.charges).toHaveLength(2);
	});

	test('a payment that failed can be made again', async () => {
		sandbox.addEvent({ type: 'payment_failed', referenceID: REFERENCE });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	test('a payment whose amount nobody can read is a payment', async () => {
		paid({ payload: { transaction: { id: 'txn_x', amount: '25.00', referenceID: REFERENCE } } });
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_x'));
		expect(seen()).toEqual(nothingCharged);
	});

	test('a payment whose record broke off is a payment', async () => {
		paid({ payload: `{"transaction":{"id":"txn_x","referenceID":"${REFERENCE}","amount":25` });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a reference of digits is the same when it comes as a number', async () => {
		const referenceID = '10023';
		paid({ payload: { transaction: { id: 'txn_x', amount: 2500, referenceID: 10023 } } });
		const paymentData = cart({ referenceID });
		expect(output(await commit({ paymentData }))).toMatchObject([
			{ status: 'ALREADY_PAID', referenceID },
		]);
		const asNumber = (answer: unknown) => ({ ...(answer as object), referenceID: 10023 });
		sandbox.fault({ on: 'computeTokenizedCheckout', answer: asNumber });
		expect(output(await commit({ paymentData }))).toMatchObject([
			{ status: 'ALREADY_PAID', referenceID },
		]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a reference that only begins alike is another one', async () => {
		paid({ referenceID: `${REFERENCE}1` });
		paid({ referenceID: REFERENCE.toLowerCase() });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	const page = { total: 0, range: { from: 0, to: 0 }, page: 1, pageSize: 100 };

	test.each<[string, Fault]>([
		['an error', { status: 500 }],
		['a refusal', { status: 403 }],
		['an empty object', { body: {} }],
		['a list of nothing but a list', { body: [] }],
		['data that is no list', { body: { data: { 0: {} }, page } }],
		['a web page', { body: '<html><body>Sign in</body></html>' }],
		['an empty body', { body: '' }],
		['an error beside an empty list', { body: { error: { message: 'Later' }, data: [], page } }],
		['a failure beside an empty list', { body: { success: false, data: [], page } }],
		['an empty list that counts 450', { body: { data: [], page: { ...page, total: 450 } } }],
		['a broken connection', { drop: 'before' }],
		['a way to elsewhere', { status: 302, headers: { Location: '/api/gateway/customers' } }],
	])('never charges blindly: the lookup meets %s', async (_, fault) => {
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		const run = await commit({ paymentData: cart() });
		expect(run.error).toBeDefined();
		expect(words(run)).not.toMatch(/undefined|NaN|\[object|Cannot/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a payment among rows that are no records is seen, and they are told of', async () => {
		paid({});
		sandbox.fault({
			on: 'webhookEvents',
			times: Infinity,
			answer: withOddRows,
		});
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(nothingCharged);
		expect(log.lines.filter((line) => /^warn .*no records/.test(line))).toHaveLength(1);
	});

	test('never charges blindly: a later page of the lookup is lost', async () => {
		paid({ date: new Date(sandbox.clock.now().getTime() - 86_400_000).toISOString() });
		sandbox.addEvents(250);
		sandbox.settings.ignoreSearch = true;
		const isLater = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"page":3');
		sandbox.fault({ on: 'webhookEvents', times: Infinity, status: 502, when: isLater });
		const run = await commit({ paymentData: cart() });
		expect(run.error).toBeDefined();
		expect(seen()).toEqual(nothingCharged);
	});

	test('never charges blindly: a page that is counted has no rows', async () => {
		paid({ date: new Date(sandbox.clock.now().getTime() - 86_400_000).toISOString() });
		sandbox.addEvents(299);
		sandbox.settings.ignoreSearch = true;
		sandbox.fault({
			on: 'webhookEvents',
			times: Infinity,
			when: ({ body }) => JSON.stringify(body).includes('"page":3'),
			answer: (answer) => ({ ...(answer as object), data: [] }),
		});
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/counts events that it does not show/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('charges nothing for a payment on a later page of a list that leaves rows out', async () => {
		paid({ date: new Date(sandbox.clock.now().getTime() - 86_400_000).toISOString() });
		sandbox.addEvents(278);
		sandbox.settings.ignoreSearch = true;
		const everyThird = (answer: unknown) => {
			const { data, ...rest } = answer as { data: unknown[] };
			return { ...rest, data: data.filter((_, index) => index % 3 === 0) };
		};
		sandbox.fault({ on: 'webhookEvents', times: Infinity, answer: everyThird });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('is charged where the service has no page after the last one', async () => {
		sandbox.addEvents(100);
		const isLater = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"page":2');
		sandbox.fault({ on: 'webhookEvents', times: Infinity, status: 404, when: isLater });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	test.each(['', 'yesterday'])(
		'charges nothing for a payment with the date %j, which the list shows last',
		async (date) => {
			const day = 86_400_000;
			const now = sandbox.clock.now().getTime();
			sandbox.addEvents(250, (index) => ({
				date: new Date(now - (250 - index) * day).toISOString(),
			}));
			paid({ transactionID: 'txn_old', date });
			sandbox.settings.ignoreSearch = true;
			expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_old'));
			expect(seen()).toEqual(nothingCharged);
		},
	);

	test('never charges blindly: every page brings the same rows', async () => {
		paid({ date: new Date(sandbox.clock.now().getTime() - 86_400_000).toISOString() });
		sandbox.addEvents(250);
		Object.assign(sandbox.settings, { ignoreSearch: true, ignorePage: true });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/events that it does not show/);
		expect(seen()).toEqual(nothingCharged);
	});
});
