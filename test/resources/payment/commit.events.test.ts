import { engine, log } from '../../engine';
import type { EventInput, Fault, RecordedRequest } from '../../sandbox';
import { COMMIT, REFERENCE, nothingCharged, once, useCharges } from './charges';

/**
 * A reference for which a payment ever went through is not charged again: the events tell. How they
 * are looked up is tested in lookUp.test.ts, and what they come to in outcome.test.ts.
 */

const { sandbox, charge, refusal, cart, event, daysAgo, seen } = useCharges();

const alreadyPaid = (transactionID: unknown, more: object = {}) => [
	{
		...{ charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
		...{ amount: 25, amountFormatted: '$25.00', transactionID },
		...{ referenceID: REFERENCE, environment: 'sandbox' },
		...more,
	},
];
const asks = (words: string) => (request: RecordedRequest) =>
	JSON.stringify(request.body).includes(words);
const computedWith = (referenceID: unknown) => {
	const answer = (computed: unknown) => ({ ...Object(computed), referenceID });
	sandbox.fault({ on: 'computeTokenizedCheckout', answer });
};
const listMeets = (fault: Fault) =>
	sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });

describe('the reference', () => {
	test.each(['   ', 77.31, { id: 7731 }, undefined])(
		'%j is none: nothing is charged, unless repeats are allowed',
		async (referenceID) => {
			const paymentData = cart();
			computedWith(referenceID);
			expect(await refusal({ paymentData })).toMatch(/has no reference.*Allow Repeat Charge/s);
			expect(seen()).toEqual(nothingCharged);
			computedWith(referenceID);
			await charge({ paymentData, options: { allowRepeatCharge: true } });
			expect(seen()).toEqual(once);
		},
	);

	test.each<[string, unknown, unknown]>([
		[REFERENCE, ` ${REFERENCE}\n`, REFERENCE],
		['10023', 10023, '10023'],
		['10023', '10023', 10023],
	])('%s is the same as %j in the cart and %j in an event', async (reference, computed, told) => {
		event('success', { payload: { transaction: { id: 'x', amount: 2500, referenceID: told } } });
		computedWith(computed);
		expect(await charge()).toEqual(alreadyPaid('x', { referenceID: reference }));
		expect(seen()).toEqual(nothingCharged);
	});
});

describe('what was paid', () => {
	test('is not charged again, whoever asks, nor after a full refund', async () => {
		const [{ transactionID } = {}] = await charge();
		const asked = async () => {
			const known = await charge();
			// A new process knows nothing of it.
			engine.restart();
			return [known, await charge()];
		};
		const paid = alreadyPaid(transactionID);
		expect(await asked()).toEqual([paid, paid]);
		sandbox.refund(String(transactionID));
		const more = { outcome: 'refunded', status: 'REFUNDED', refunded: 25 };
		const back = alreadyPaid(transactionID, more);
		expect(await asked()).toEqual([back, back]);
		expect(seen()).toEqual(once);
	});

	test('is told in the order of a charge, with null for what its event does not say', async () => {
		const [charged = {}] = await charge({ paymentData: cart({ referenceID: 'another' }) });
		event('success', { payload: { transaction: { amount: 2500, referenceID: REFERENCE } } });
		const [paid = {}] = await charge();
		expect([paid]).toEqual(alreadyPaid(null));
		expect(Object.keys(paid)).toEqual(Object.keys(charged));
	});

	test('is told with what was refunded of it, once, and compared as it was before', async () => {
		event('success', { transactionID: 'txn_1' });
		for (let told = 1; told <= 2; told++) event('refund', { transactionID: 'r', amount: 1250 });
		expect(await charge()).toEqual(alreadyPaid('txn_1', { refunded: 12.5 }));
		expect(await refusal({ paymentData: cart({ amount: 1250 }) })).toMatch(
			/^Nothing more was charged: \$25\.00 was paid.*costs \$12\.50/,
		);
		expect(seen()).toEqual(nothingCharged);
	});

	const unread = { payload: `{"transaction":{"id":"x","referenceID":"${REFERENCE}","amount":25` };
	const inEuro = { id: 'x', amount: 2500, currency: 'EUR', referenceID: REFERENCE };
	test.each<[string, EventInput, object]>([
		['success', { payload: { transaction: inEuro } }, { amountFormatted: '€25.00' }],
		['refund', { amount: 500 }, { outcome: 'refunded', refunded: 5 }],
		['success', unread, { outcome: 'alreadyPaid', amount: 25 }],
	])(
		'is shown by a %s alone, be it broken off or in another currency',
		async (type, more, told) => {
			event(type, more);
			expect(await charge()).toMatchObject([{ charged: false, ...told }]);
			expect(seen()).toEqual(nothingCharged);
		},
	);

	test('and what failed or came back can be charged', async () => {
		event('failed');
		await charge();
		const returned = { transactionID: 'txn_ach', referenceID: 'RETURNED' };
		event('success', { ...returned, date: daysAgo(2) });
		event('failed', { ...returned, date: daysAgo(1) });
		const paymentData = cart({ referenceID: 'RETURNED' });
		expect(await charge({ paymentData })).toMatchObject([{ charged: true }]);
		expect(sandbox.charges).toHaveLength(2);
	});
});

describe('the look-up', () => {
	const Date = new globalThis.Date(globalThis.Date.now() + 40 * 86_400_000).toUTCString();
	const odd = (answer: unknown) => ({
		data: [null, 'text', ...(answer as { data: unknown[] }).data, 7, [{}]],
	});

	test.each<[string, Fault]>([
		['can be searched', { headers: {} }],
		['has a search that is broken', { status: 500, when: asks('"search"') }],
		['has a clock that runs ahead', { headers: { Date } }],
		['lists rows that are no records', { answer: odd }],
	])('finds a payment among hundreds when the service %s', async (name, fault) => {
		event('success', { transactionID: 'txn_old', date: daysAgo(20) });
		sandbox.addEvents(260);
		sandbox.settings.ignoreSearch = name !== 'can be searched';
		listMeets(fault);
		expect(await charge()).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
		const warnings = log.lines.filter((line) => /^warn .*no records/.test(line));
		expect(warnings.length > 0).toBe(fault.answer === odd);
	});

	test('reaches as far back as it is told', async () => {
		event('success', { transactionID: 'txn_old', date: daysAgo(40) });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		expect(await charge({ options: { lookBackDays: 60 } })).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	const page = { total: 0, page: 1, pageSize: 100 };
	const onPage3 = asks('"page":3');
	const noRows = (answer: unknown) => ({ ...Object(answer), data: [] });
	test.each<[string, Fault, RegExp?]>([
		['an error', { status: 500 }],
		['a refusal', { status: 403 }],
		['data that is no list', { body: { data: { 0: {} }, page } }],
		['a web page', { body: '<html><body>Sign in</body></html>' }],
		['an error beside an empty list', { body: { data: [], page, error: { message: 'Later' } } }],
		['an empty list that counts 450', { body: { data: [], page: { total: 450 } } }],
		['a broken connection', { drop: 'before' }],
		['an error later on', { status: 502, when: onPage3 }],
		['a page that is counted and has no rows', { when: onPage3, answer: noRows }],
		['a page that is too deep', { status: 400, when: onPage3 }, /'Look Back \(Days\)'/],
	])('that meets %s charges nothing', async (_, fault, message = /./) => {
		event('success', { date: daysAgo(1) });
		sandbox.addEvents(299);
		sandbox.settings.ignoreSearch = true;
		listMeets(fault);
		const said = await refusal();
		expect(said).toMatch(message);
		expect(said).not.toMatch(/Cannot|not known/);
		expect(seen()).toEqual(nothingCharged);
		sandbox.clearFaults();
		expect(await charge()).toMatchObject([{ outcome: 'alreadyPaid' }]);
	});

	const carts = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ cart: cart({ referenceID: `CART-${index}` }) }));
	const chargeAll = async (items: Array<{ cart: string }>) =>
		await charge({ paymentData: '={{ $json.cart }}' }, { items });
	const month = (count: number) =>
		sandbox.addEvents(count, (index) => ({
			...{ referenceID: `SALE-${index}`, date: daysAgo(29.9 - (index * 29.8) / count) },
		}));

	test('of twelve references takes four requests each and a few to try the search', async () => {
		month(250);
		await chargeAll(carts(12));
		expect(sandbox.charges).toHaveLength(12);
		expect(sandbox.requests.length).toBeLessThanOrEqual(4 * 12 + 10);
	});

	test('reads anew for each charge', async () => {
		month(250);
		sandbox.settings.ignoreSearch = true;
		const [first] = sandbox.events;
		const late = () => {
			// Late and with an old date, while another goes, so that no count changes.
			sandbox.removeEvent(first?.eventID ?? '');
			event('success', { referenceID: 'CART-1', transactionID: 'txn_late', date: daysAgo(29) });
		};
		sandbox.fault({ on: COMMIT, run: late, headers: {} });
		const paid = { status: 'ALREADY_PAID', transactionID: 'txn_late' };
		expect(await chargeAll(carts(2))).toMatchObject([{ charged: true }, paid]);
	});
});
