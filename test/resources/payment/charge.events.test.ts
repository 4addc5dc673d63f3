import { engine, withDeduplicationStore } from '../../engine';
import type { Fault, RecordedRequest } from '../../sandbox';
import { REFERENCE, nothingCharged, chargedOnce, inSeconds, useCharges } from './charges';

/**
 * A reference for which the events show a payment is not charged again. How they are looked up is tested
 * in test/events.
 */

const { sandbox, startOver, charge, chargeError, cart, event, counts } = useCharges();

const paid = {
	charged: false,
	outcome: 'alreadyPaid',
	status: 'ALREADY_PAID',
	amount: 25,
	amountFormatted: '$25.00',
	referenceID: REFERENCE,
	environment: 'sandbox',
};
const isPage =
	(page: number) =>
	({ body }: RecordedRequest) =>
		JSON.stringify(body).includes(`"page":${page}`);
const computeCartWith = (referenceID: unknown) => {
	const answer = (computed: unknown) => ({ ...Object(computed), referenceID });
	sandbox.fault({ on: 'computeTokenizedCheckout', answer });
};

test.each(['   ', 77.31, undefined])(
	'%j is no reference: nothing is charged, unless repeats are allowed',
	async (referenceID) => {
		const paymentData = cart();
		computeCartWith(referenceID);
		expect(await chargeError({ paymentData })).toMatch(/has no reference.*Allow Repeat Charge/s);
		expect(counts()).toEqual(nothingCharged);
		computeCartWith(referenceID);
		await charge({ paymentData, options: { allowRepeatCharge: true } });
		expect(counts()).toEqual(chargedOnce);
	},
);

test.each<[string, unknown, unknown]>([
	[REFERENCE, ` ${REFERENCE}\n`, REFERENCE],
	['10023', 10023, '10023'],
])('%s is the same as %j in the cart and %j in an event', async (referenceID, inCart, inEvent) => {
	event('success', { payload: { transaction: { id: 'x', amount: 2500, referenceID: inEvent } } });
	computeCartWith(inCart);
	expect(await charge()).toEqual([{ ...paid, transactionID: 'x', referenceID }]);
	expect(counts()).toEqual(nothingCharged);
});

describe('a paid reference is not charged again', () => {
	test.each<[string, (transactionID: string) => unknown, object]>([
		['right after it was charged', () => undefined, {}],
		[
			'after a full refund',
			(transactionID) => sandbox.refund(transactionID),
			{ outcome: 'refunded', status: 'REFUNDED', refunded: 25 },
		],
		[
			'after the bank has returned it',
			// Later than the charge, even in whole seconds.
			(transactionID) => event('failed', { transactionID, date: inSeconds(2) }),
			{ outcome: 'returned', status: 'RETURNED' },
		],
	])('%s, in this process and after a restart', async (_, thenHappens, expected) => {
		const [{ transactionID } = {}] = await charge();
		thenHappens(String(transactionID));
		const row = { ...paid, transactionID, ...expected };
		expect(await charge()).toEqual([row]);
		engine.restart();
		expect(await charge()).toEqual([row]);
		expect(counts()).toEqual(chargedOnce);
	});

	test('a partly refunded payment shows its refund, and its full amount is compared with the cart', async () => {
		event('success', { transactionID: 'txn_1' });
		event('refund', { transactionID: 'r', amount: 1250 });
		expect(await charge()).toEqual([{ ...paid, transactionID: 'txn_1', refunded: 12.5 }]);
		expect(await chargeError({ paymentData: cart({ amount: 1250 }) })).toMatch(
			/^Nothing more was charged: \$25\.00 was already paid.*costs \$12\.50/,
		);
		expect(counts()).toEqual(nothingCharged);
	});

	const record = (more: object) => ({
		payload: { transaction: { id: 'x', referenceID: REFERENCE, status: 'CAPTURED', ...more } },
	});
	const unknownAmount = { ...paid, amount: null, amountFormatted: null };

	test('an unknown amount is null, never that of the cart', async () => {
		event('success', record({ amount: 4000, currency: 'EUR' }));
		event('success', record({ id: 'y', amount: 1000, currency: 'USD' }));
		const mixed = { ...unknownAmount, transactionID: expect.stringMatching(/^[xy]$/) };
		expect(await charge()).toEqual([mixed]);
		startOver();
		event('success', record({}));
		const row = { ...unknownAmount, transactionID: 'x' };
		expect(await charge()).toEqual([row]);
		event('refund', { transactionID: 'r', amount: 500 });
		engine.restart();
		expect(await charge()).toEqual([{ ...row, refunded: 5 }]);
		event('refund', { payload: { refund: { id: 's', referenceID: REFERENCE } } });
		engine.restart();
		expect(await charge()).toEqual([{ ...row, refunded: null }]);
		expect(counts()).toEqual(nothingCharged);
	});

	test('after a refund and a second payment, the net amount is compared with the cart', async () => {
		event('success', { transactionID: 'first', date: inSeconds(-30) });
		event('refund', { transactionID: 'r', date: inSeconds(-20) });
		event('success', { transactionID: 'second', date: inSeconds(-10) });
		expect(await charge()).toEqual([{ ...paid, refunded: 25, transactionID: 'second' }]);
		expect(counts()).toEqual(nothingCharged);
	});
});

test('a charge looks its reference up once, if that is quick', async () => {
	await charge();
	// The list has one page, and its tail is read before and after it.
	expect(sandbox.requestsTo('webhookEvents')).toHaveLength(3);
});

describe('a reference that is paid meanwhile is not charged', () => {
	/** Pays the reference by a link, and lets ten seconds pass. */
	const payByLink = () => {
		event('success', { transactionID: 'link' });
		const start = performance.now();
		const before = Date.now();
		const now = () => start + (Date.now() - before) + 10_000;
		jest.spyOn(performance, 'now').mockImplementation(now);
	};
	/** A store in which this happens in the pause after the lock's first access. */
	const storeThen = async (happens: () => void) => {
		const store = await withDeduplicationStore();
		store.step = (at) => {
			if (at !== 'written') return;
			delete store.step;
			setTimeout(happens, 20);
		};
		return store;
	};
	const paidByLink = [{ ...paid, transactionID: 'link' }];
	afterEach(() => jest.restoreAllMocks());

	test('while the charge waits for its lock, which is then free again', async () => {
		const store = await storeThen(payByLink);
		expect(await charge()).toEqual(paidByLink);
		expect(counts()).toEqual(nothingCharged);
		expect([...store.rows.values()].flat()).toEqual([]);
	});

	test('while the first look-up reads the list', async () => {
		sandbox.addEvents(250);
		sandbox.fault({ on: 'webhookEvents', when: isPage(2), run: payByLink });
		expect(await charge()).toEqual(paidByLink);
		expect(counts()).toEqual(nothingCharged);
	});

	test('if the events cannot be read once more, nothing is charged and the lock is free again', async () => {
		const store = await storeThen(() => {
			payByLink();
			sandbox.fault({ on: 'webhookEvents', status: 502, times: 3 });
		});
		expect(await chargeError()).toMatch(/on the gateway's side \(502\)/);
		expect(counts()).toEqual(nothingCharged);
		expect([...store.rows.values()].flat()).toEqual([]);
	});
});

test.each<[string, Fault, RegExp]>([
	['fails at page 3', { status: 502, when: isPage(3) }, /on the gateway's side \(502\)/],
	['is refused at page 3', { status: 400, when: isPage(3) }, /'Look Back \(Days\)'/],
	['gets null instead of a list', { body: { data: null, page: { total: 0 } } }, /without "data"/],
])('a look-up that %s charges nothing', async (_, fault, message) => {
	sandbox.addEvents(299);
	sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
	expect(await chargeError()).toMatch(message);
	expect(counts()).toEqual(nothingCharged);
});
