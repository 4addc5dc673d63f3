import { engine } from '../../engine';
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
const computedWith = (referenceID: unknown) => {
	const answer = (computed: unknown) => ({ ...Object(computed), referenceID });
	sandbox.fault({ on: 'computeTokenizedCheckout', answer });
};
describe('the reference', () => {
	test.each(['   ', 77.31, undefined])(
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
	])('%s is the same as %j in the cart and %j in an event', async (reference, computed, told) => {
		event('success', { payload: { transaction: { id: 'x', amount: 2500, referenceID: told } } });
		computedWith(computed);
		expect(await charge()).toEqual(alreadyPaid('x', { referenceID: reference }));
		expect(seen()).toEqual(nothingCharged);
	});
});

describe('what was paid', () => {
	const transaction = { id: 'a', amount: 2500, currency: 'USD', referenceID: REFERENCE };
	const failedRefund = { ...transaction, status: 'FAILED' };

	test.each<[object]>([
		[{ refund: failedRefund, transaction }],
		[{ transaction: { ...failedRefund, type: 'REFUND' } }],
		[{ transaction: { ...failedRefund, type: 'VOID', status: 'DECLINED' } }],
		[{ resource: { refund: failedRefund } }],
		[{ transaction, refunds: [{ id: 'r', status: 'FAILED', amount: 2500 }] }],
		[{ id: 'r', kind: 'refund', transaction_id: 'a', amount: 500, referenceID: REFERENCE }],
	])('is not charged again where its refund failed, told as %j', async (payload) => {
		event('success', { payload: { transaction }, date: daysAgo(3) });
		event('failed', { payload, date: daysAgo(1) });
		expect(await charge()).toEqual(alreadyPaid('a'));
		expect(seen()).toEqual(nothingCharged);
	});

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
	const of = (more: object) => ({ payload: { transaction: { referenceID: REFERENCE, ...more } } });
	test.each<[string, EventInput, object]>([
		['success', of({ amount: 2500 }), { amount: 25, transactionID: null }],
		['success', of({ amount: 2500, currency: 'EUR' }), { amountFormatted: '€25.00' }],
		['refund', { amount: 500 }, { outcome: 'refunded', refunded: 5 }],
		['success', unread, { outcome: 'alreadyPaid', amount: 25 }],
	])('is shown by a %s alone (%j), and told in the order of a charge', async (type, more, told) => {
		const [charged = {}] = await charge({ paymentData: cart({ referenceID: 'another' }) });
		event(type, more);
		const [paid = {}] = await charge();
		expect(paid).toMatchObject({ charged: false, ...told });
		const always = Object.keys(paid).filter((name) => name !== 'refunded');
		expect(always).toEqual(Object.keys(charged));
		expect(seen()).toEqual(once);
	});

	test.each([
		{ type: 'REVERSAL', status: 'RETURNED' },
		{ type: 'VOID', status: 'VOIDED' },
		{ status: 'RETURNED', refunds: [{ id: 'r', amount: 500, status: 'REVERSED' }] },
		{ status: 'RETURNED', refund: { status: 'NOT_REFUNDED', amount: '$0.00' } },
	])('can be charged where it came back, told as %j', async (told) => {
		event('success', { payload: { transaction }, date: daysAgo(2) });
		event('failed', { payload: { transaction: { ...transaction, ...told } }, date: daysAgo(1) });
		expect(await charge()).toMatchObject([{ charged: true }]);
	});

	test.each<[string, object]>([
		['a', { id: 'b', parentTransactionId: 'a' }],
		['pmt_a', { transactionID: 'a' }],
	])(
		'can be charged at once where it was answered as %s and came back as %j',
		async (id, names) => {
			sandbox.fault({ on: COMMIT, body: { transactionID: id, status: 'PENDING' } });
			expect(await charge()).toMatchObject([{ outcome: 'pending' }]);
			const inSeconds = (count: number) => new Date(Date.now() + count * 1_000).toISOString();
			const settled = { ...transaction, pmt_id: 'pmt_a', created_at: inSeconds(1) };
			event('success', { payload: { transaction: settled }, date: inSeconds(5) });
			expect(await charge()).toEqual(alreadyPaid('a'));
			const back = { ...transaction, id: '', status: 'RETURNED', ...names };
			event('failed', { payload: { transaction: back }, date: inSeconds(10) });
			expect(await charge()).toMatchObject([{ charged: true }]);
			expect(seen()).toMatchObject({ commits: 2, charges: 1 });
		},
	);

	test('is not charged again where the decline of its first try is told late, under a shared name', async () => {
		sandbox.settings.eventLag = Infinity;
		const made = new Date(Date.now() - 60_000).toISOString();
		for (const [referenceID, known] of Object.entries({ L1: { created_at: made }, L2: {} })) {
			const paymentData = cart({ referenceID });
			const answer = { transactionID: 'pmt_1', status: 'PENDING' };
			sandbox.fault({ on: COMMIT, workFirst: true, body: answer });
			expect(await charge({ paymentData })).toMatchObject([{ outcome: 'pending' }]);
			const record = { ...transaction, id: '', pmt_id: 'pmt_1', ...known, referenceID };
			const payload = { transaction: record };
			event('failed', { payload, date: new Date(Date.now() + 5_000).toISOString() });
			expect(await charge({ paymentData })).toMatchObject([{ outcome: 'pending' }]);
		}
		expect(sandbox.charges).toHaveLength(2);
	});

	test('and what failed or came back can be charged', async () => {
		// What says nothing of a refund, or only how long one may be asked for, is none.
		const none = { id: '', amount: 0, currency: 'USD', status: '', refundable: false };
		event('failed', { payload: { transaction, refund: none } });
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
	test('reaches as far back as it is told', async () => {
		event('success', { transactionID: 'txn_old', date: daysAgo(40) });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		expect(await charge({ options: { lookBackDays: 60 } })).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	const when = ({ body }: RecordedRequest) => JSON.stringify(body).includes('"page":3');
	test.each<[string, Fault, RegExp]>([
		['an error', { status: 500 }, /on the gateway's side \(500\)/],
		['an error later on', { status: 502, when }, /on the gateway's side \(502\)/],
		['a page that is too deep', { status: 400, when }, /'Look Back \(Days\)'/],
	])('that meets %s charges nothing', async (_, fault, message) => {
		event('success', { date: daysAgo(1) });
		sandbox.addEvents(299);
		sandbox.settings.ignoreSearch = true;
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		expect(await refusal()).toMatch(message);
		expect(seen()).toEqual(nothingCharged);
		sandbox.clearFaults();
		expect(await charge()).toMatchObject([{ outcome: 'alreadyPaid' }]);
	});

	test('is made anew for each charge', async () => {
		const carts = ['FIRST', REFERENCE].map((referenceID) => ({ cart: cart({ referenceID }) }));
		const run = () => void event('success', { transactionID: 'txn_late', date: daysAgo(29) });
		sandbox.fault({ on: COMMIT, run, headers: {} });
		const rows = await charge({ paymentData: '={{ $json.cart }}' }, { items: carts });
		expect(rows).toMatchObject([{ charged: true }, ...alreadyPaid('txn_late')]);
	});
});
