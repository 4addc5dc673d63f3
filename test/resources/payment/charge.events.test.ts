import { engine } from '../../engine';
import type { Fault, RecordedRequest } from '../../sandbox';
import { REFERENCE, nothingCharged, once, useCharges } from './charges';

/**
 * A reference for which a payment ever went through is not charged again: the events tell. How they
 * are looked up is tested in eventIndex.test.ts, and what they come to in outcome.test.ts.
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

describe('what was paid is not charged again', () => {
	test('whoever asks, nor after a full refund', async () => {
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

	test('nor where the bank has returned it, at once or long ago', async () => {
		const [{ transactionID } = {}] = await charge();
		// Dated later than the charge, to the second.
		const date = new Date(sandbox.clock.now().getTime() + 2_000).toISOString();
		event('failed', { transactionID: String(transactionID), date });
		const returned = alreadyPaid(transactionID, { outcome: 'returned', status: 'RETURNED' });
		expect(await charge()).toEqual(returned);
		engine.restart();
		expect(await charge()).toEqual(returned);
		expect(seen()).toEqual(once);
	});

	test('and is told with what was refunded of it, and compared as it was before', async () => {
		event('success', { transactionID: 'txn_1' });
		for (let told = 1; told <= 2; told++) event('refund', { transactionID: 'r', amount: 1250 });
		expect(await charge()).toEqual(alreadyPaid('txn_1', { refunded: 12.5 }));
		expect(await refusal({ paymentData: cart({ amount: 1250 }) })).toMatch(
			/^Nothing more was charged: \$25\.00 was paid.*costs \$12\.50/,
		);
		expect(seen()).toEqual(nothingCharged);
	});

	test('and what only failed can be charged', async () => {
		event('failed', { transactionID: 'a' });
		expect(await charge()).toMatchObject([{ charged: true }]);
	});
});

describe('the look-up', () => {
	const when = ({ body }: RecordedRequest) => JSON.stringify(body).includes('"page":3');
	test.each<[string, Fault, RegExp]>([
		['an error later on', { status: 502, when }, /on the gateway's side \(502\)/],
		['a page that is too deep', { status: 400, when }, /'Look Back \(Days\)'/],
		['no rows in its answer', { body: { data: null, page: { total: 0 } } }, /without "data"/],
	])('that meets %s charges nothing', async (_, fault, message) => {
		event('success', { date: daysAgo(1) });
		sandbox.addEvents(299);
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		expect(await refusal()).toMatch(message);
		expect(seen()).toEqual(nothingCharged);
		sandbox.clearFaults();
		expect(await charge()).toMatchObject([{ outcome: 'alreadyPaid' }]);
	});
});
