import { engine, log, output } from '../../engine';
import type { Fault } from '../../sandbox';
import { REFERENCE, nothingCharged, once, useCharges, words } from './charges';

/** A reference for which a payment ever went through is not charged again: the events tell. */

const { sandbox, commit, cart, paid, refunded, seen } = useCharges();

const DAY = 86_400_000;
const daysAgo = (days: number) =>
	new Date(sandbox.clock.now().getTime() - days * DAY).toISOString();
const alreadyPaid = (transactionID: unknown, more: object = {}) => [
	{
		charged: false,
		outcome: 'alreadyPaid',
		status: 'ALREADY_PAID',
		amount: 25,
		amountFormatted: '$25.00',
		transactionID,
		referenceID: REFERENCE,
		environment: 'sandbox',
		...more,
	},
];
const isSearch = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"search"');
const isPage = (page: number) => {
	return ({ body }: { body: unknown }) => JSON.stringify(body).includes(`"page":${page}`);
};
const computedWith = (referenceID: unknown) =>
	sandbox.fault({
		on: 'computeTokenizedCheckout',
		answer: (answer) => ({ ...(answer as object), referenceID }),
	});

describe('the reference', () => {
	test.each(['', '   ', null, 77.31, { id: 7731 }, undefined])(
		'%j is none: nothing is charged, unless repeats are allowed',
		async (referenceID) => {
			const paymentData = cart();
			computedWith(referenceID);
			const run = await commit({ paymentData });
			expect(words(run)).toMatch(/has no reference.*Allow Repeat Charge/s);
			expect(seen()).toEqual(nothingCharged);
			computedWith(referenceID);
			output(await commit({ paymentData, options: { allowRepeatCharge: true } }));
			expect(seen()).toEqual(once);
		},
	);

	test.each<[string, unknown, unknown]>([
		[REFERENCE, ` ${REFERENCE}\n`, REFERENCE],
		['10023', 10023, '10023'],
		['10023', '10023', 10023],
	])('%s is the same as %j in the cart and %j in an event', async (reference, computed, told) => {
		paid({ payload: { transaction: { id: 'txn_x', amount: 2500, referenceID: told } } });
		computedWith(computed);
		expect(output(await commit({ paymentData: cart() }))).toMatchObject(
			alreadyPaid('txn_x', { referenceID: reference }),
		);
		expect(seen()).toEqual(nothingCharged);
	});

	test('that only begins alike is another one', async () => {
		paid({ referenceID: `${REFERENCE}1` });
		paid({ referenceID: REFERENCE.toLowerCase() });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});
});

describe('what was paid', () => {
	test('is not charged again, whoever asks', async () => {
		const [first] = output(await commit({ paymentData: cart() }));
		expect(output(await commit({ paymentData: cart() }))).toEqual(
			alreadyPaid(first?.transactionID),
		);
		engine.restart();
		expect(output(await commit({ paymentData: cart() }))).toEqual(
			alreadyPaid(first?.transactionID),
		);
		expect(seen()).toEqual(once);
	});

	test('is not charged again after a full refund, nor by a process that knows nothing of it', async () => {
		const [{ transactionID } = {}] = output(await commit({ paymentData: cart() }));
		sandbox.refund(String(transactionID));
		const told = { outcome: 'refunded', status: 'REFUNDED', refunded: 25 };
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid(transactionID, told));
		engine.restart();
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid(transactionID, told));
		expect(seen()).toEqual(once);
	});

	test('is told with what was refunded of it, once, and compared as it was before', async () => {
		paid({ transactionID: 'txn_1' });
		refunded({ transactionID: 'txn_2', amount: 1250 });
		refunded({ transactionID: 'txn_2', amount: 1250 });
		expect(output(await commit({ paymentData: cart() }))).toEqual(
			alreadyPaid('txn_1', { refunded: 12.5 }),
		);
		const rest = await commit({ paymentData: cart({ amount: 1250 }) });
		expect(rest.error?.message).toMatch(
			/^Nothing more was charged: \$25\.00 was paid.*costs \$12\.50/,
		);
		expect(seen()).toEqual(nothingCharged);
	});

	test('with another amount fails with both', async () => {
		paid({ amount: 1999 });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(
			/^Nothing more was charged: \$19\.99 was paid.*costs \$25\.00/,
		);
		expect(seen()).toEqual(nothingCharged);
	});

	test('is what a refund gives back, also where its payment does not show', async () => {
		refunded({ amount: 500 });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, outcome: 'refunded', refunded: 5 },
		]);
		expect(seen()).toEqual(nothingCharged);
	});

	test.each<[string, object | string]>([
		[
			'whose amount nobody can read',
			{ transaction: { id: 'x', amount: '?', referenceID: REFERENCE } },
		],
		['whose record broke off', `{"transaction":{"id":"x","referenceID":"${REFERENCE}","amount":25`],
		[
			'in JSON in JSON',
			{ data: JSON.stringify({ payment: `{"id":"x","referenceID":"${REFERENCE}"}` }) },
		],
	])('is a payment %s', async (_, payload) => {
		paid({ payload });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID', amount: 25 },
		]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('and what failed or came back can be charged', async () => {
		sandbox.addEvent({ type: 'payment_failed', referenceID: REFERENCE });
		output(await commit({ paymentData: cart() }));
		const referenceID = 'RETURNED';
		paid({ transactionID: 'txn_ach', referenceID, date: daysAgo(2) });
		sandbox.addEvent({
			type: 'payment_failed',
			transactionID: 'txn_ach',
			referenceID,
			date: daysAgo(1),
		});
		expect(output(await commit({ paymentData: cart({ referenceID }) }))).toMatchObject([
			{ charged: true },
		]);
		expect(sandbox.charges).toHaveLength(2);
	});
});

describe('the look-up', () => {
	test.each<[string, object, Fault]>([
		['can be searched', {}, { headers: {} }],
		['ignores the search', { ignoreSearch: true }, { headers: {} }],
		['knows no search', {}, { status: 400, when: isSearch }],
		[
			'finds nothing by searching',
			{},
			{
				when: isSearch,
				answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
			},
		],
		[
			'ignores the order',
			{ ignoreSort: true, ignoreSearch: true, eventOrder: 'asc' },
			{ headers: {} },
		],
		['serves few rows', { pageSizeCap: 7, ignoreSearch: true }, { headers: {} }],
		['tells no total', { total: 'zero', ignoreSearch: true }, { headers: {} }],
		['shuffles equal dates', { tieOrder: 'random', ignoreSearch: true }, { headers: {} }],
	])('finds a payment among hundreds when the service %s', async (_, settings, fault) => {
		paid({ transactionID: 'txn_old', date: daysAgo(20) });
		sandbox.addEvents(260);
		Object.assign(sandbox.settings, settings);
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	test('reaches as far back as it is told', async () => {
		paid({ transactionID: 'txn_old', date: daysAgo(40) });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		const options = { lookBackDays: 60 };
		expect(output(await commit({ paymentData: cart(), options }))).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	test('takes a list without its page, and skips rows that are no records', async () => {
		paid({ transactionID: 'txn_1' });
		const odd = (answer: unknown) => ({
			data: [null, 'text', ...(answer as { data: unknown[] }).data, 7, [{}]],
		});
		sandbox.fault({ on: 'webhookEvents', times: Infinity, answer: odd });
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_1'));
		expect(seen()).toEqual(nothingCharged);
		expect(log.lines.filter((line) => /^warn .*no records/.test(line))).not.toEqual([]);
	});

	const page = { total: 0, range: { from: 0, to: 0 }, page: 1, pageSize: 100 };

	test.each<[string, Fault]>([
		['an error', { status: 500 }],
		['a refusal', { status: 403 }],
		['an empty object', { body: {} }],
		['data that is no list', { body: { data: { 0: {} }, page } }],
		['a web page', { body: '<html><body>Sign in</body></html>' }],
		['an empty body', { body: '' }],
		['an error beside an empty list', { body: { error: { message: 'Later' }, data: [], page } }],
		['a failure beside an empty list', { body: { success: false, data: [], page } }],
		['an empty list that counts 450', { body: { data: [], page: { ...page, total: 450 } } }],
		['a broken connection', { drop: 'before' }],
		['a way to elsewhere', { status: 302, headers: { Location: '/api/gateway/customers' } }],
	])('that meets %s charges nothing', async (_, fault) => {
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		const run = await commit({ paymentData: cart() });
		expect(run.error).toBeDefined();
		expect(words(run)).not.toMatch(/undefined|NaN|\[object|Cannot|not known/);
		expect(seen()).toEqual(nothingCharged);
		sandbox.clearFaults();
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	test.each<[string, object, Fault]>([
		['loses a later page', {}, { status: 502, when: isPage(3) }],
		[
			'counts a page that has no rows',
			{},
			{ when: isPage(3), answer: (answer) => ({ ...(answer as object), data: [] }) },
		],
		['gets the same rows on every page', { ignorePage: true }, { headers: {} }],
	])('that %s charges nothing', async (_, settings, fault) => {
		paid({ date: daysAgo(1) });
		sandbox.addEvents(299);
		Object.assign(sandbox.settings, { ignoreSearch: true, ...settings });
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		const run = await commit({ paymentData: cart() });
		expect(run.error).toBeDefined();
		expect(seen()).toEqual(nothingCharged);
	});
});
