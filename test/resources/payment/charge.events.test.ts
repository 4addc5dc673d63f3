import { engine, withDeduplicationStore } from '../../engine';
import type { Fault, RecordedRequest } from '../../sandbox';
import { REFERENCE, nothingCharged, chargedOnce, useCharges } from './charges';

/**
 * A reference for which a payment ever went through is not charged again: the events tell. How they
 * are looked up is tested in test/events.
 */

const { sandbox, charge, refusal, cart, event, counts } = useCharges();

const paid = {
	...{ charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
	...{ amount: 25, amountFormatted: '$25.00' },
	...{ referenceID: REFERENCE, environment: 'sandbox' },
};
const computedWith = (referenceID: unknown) => {
	const answer = (computed: unknown) => ({ ...Object(computed), referenceID });
	sandbox.fault({ on: 'computeTokenizedCheckout', answer });
};

test.each(['   ', 77.31, undefined])(
	'%j is no reference: nothing is charged, unless repeats are allowed',
	async (referenceID) => {
		const paymentData = cart();
		computedWith(referenceID);
		expect(await refusal({ paymentData })).toMatch(/has no reference.*Allow Repeat Charge/s);
		expect(counts()).toEqual(nothingCharged);
		computedWith(referenceID);
		await charge({ paymentData, options: { allowRepeatCharge: true } });
		expect(counts()).toEqual(chargedOnce);
	},
);

test.each<[string, unknown, unknown]>([
	[REFERENCE, ` ${REFERENCE}\n`, REFERENCE],
	['10023', 10023, '10023'],
])('%s is the same as %j in the cart and %j in an event', async (referenceID, computed, told) => {
	event('success', { payload: { transaction: { id: 'x', amount: 2500, referenceID: told } } });
	computedWith(computed);
	expect(await charge()).toEqual([{ ...paid, transactionID: 'x', referenceID }]);
	expect(counts()).toEqual(nothingCharged);
});

describe('what was paid is not charged again', () => {
	// Dated later than the charge, to the second.
	const later = () => new Date(sandbox.clock.now().getTime() + 2_000).toISOString();
	test.each<[string, (transactionID: string) => unknown, object]>([
		['right after it was charged', () => undefined, {}],
		[
			'after a full refund',
			(transactionID) => sandbox.refund(transactionID),
			{ outcome: 'refunded', status: 'REFUNDED', refunded: 25 },
		],
		[
			'after the bank has returned it',
			(transactionID) => event('failed', { transactionID, date: later() }),
			{ outcome: 'returned', status: 'RETURNED' },
		],
	])('%s, in this process and after a restart', async (_, become, told) => {
		const [{ transactionID } = {}] = await charge();
		become(String(transactionID));
		const its = { ...paid, transactionID, ...told };
		expect(await charge()).toEqual([its]);
		// A new process knows nothing of it.
		engine.restart();
		expect(await charge()).toEqual([its]);
		expect(counts()).toEqual(chargedOnce);
	});

	test('and a partly refunded payment shows its refund, and its amount before that is compared with the cart', async () => {
		event('success', { transactionID: 'txn_1' });
		event('refund', { transactionID: 'r', amount: 1250 });
		expect(await charge()).toEqual([{ ...paid, transactionID: 'txn_1', refunded: 12.5 }]);
		expect(await refusal({ paymentData: cart({ amount: 1250 }) })).toMatch(
			/^Nothing more was charged: \$25\.00 was already paid.*costs \$12\.50/,
		);
		expect(counts()).toEqual(nothingCharged);
	});

	const record = (more: object) => ({
		payload: { transaction: { id: 'x', referenceID: REFERENCE, status: 'CAPTURED', ...more } },
	});
	const nobodyKnows = { ...paid, amount: null, amountFormatted: null };

	test('and an amount that nobody knows is null, never that of the cart', async () => {
		event('success', record({ amount: 4000, currency: 'EUR' }));
		event('success', record({ id: 'y', amount: 1000, currency: 'USD' }));
		const mixed = { ...nobodyKnows, transactionID: expect.stringMatching(/^[xy]$/) };
		expect(await charge()).toEqual([mixed]);
		sandbox.reset();
		engine.restart();
		event('success', record({}));
		const its = { ...nobodyKnows, transactionID: 'x' };
		expect(await charge()).toEqual([its]);
		event('refund', { transactionID: 'r', amount: 500 });
		engine.restart();
		expect(await charge()).toEqual([{ ...its, refunded: 5 }]);
		event('refund', { payload: { refund: { id: 's', referenceID: REFERENCE } } });
		engine.restart();
		expect(await charge()).toEqual([{ ...its, refunded: null }]);
		expect(counts()).toEqual(nothingCharged);
	});

	test('and after a refund and a second payment, the net amount is compared with the cart', async () => {
		const minute = (at: number) => ({ date: new Date(Date.now() - 600_000 + at).toISOString() });
		event('success', { transactionID: 'first', ...minute(1) });
		event('refund', { transactionID: 'r', ...minute(2) });
		event('success', { transactionID: 'second', ...minute(3) });
		expect(await charge()).toEqual([{ ...paid, refunded: 25, transactionID: 'second' }]);
		expect(counts()).toEqual(nothingCharged);
	});

	test('and what only failed can be charged', async () => {
		event('failed', { transactionID: 'a' });
		expect(await charge()).toMatchObject([{ charged: true }]);
	});
});

describe('what is paid meanwhile is not charged', () => {
	/** Pays the reference by a link, and lets ten seconds pass. */
	const isPaid = () => {
		event('success', { transactionID: 'link' });
		const [start, before] = [performance.now(), Date.now()];
		const later = () => start + (Date.now() - before) + 10_000;
		jest.spyOn(performance, 'now').mockImplementation(later);
	};
	/** A store in which the lock's first access is followed by this. */
	const storeThen = async (happens: () => void) => {
		const store = await withDeduplicationStore();
		store.step = (at) => {
			if (at !== 'written') return;
			delete store.step;
			// In the pause before the next access.
			setTimeout(happens, 20);
		};
		return store;
	};
	const told = [{ ...paid, transactionID: 'link' }];
	afterEach(() => jest.restoreAllMocks());

	test('while the charge waits for its lock, which is then free again', async () => {
		const store = await storeThen(isPaid);
		expect(await charge()).toEqual(told);
		expect(counts()).toEqual(nothingCharged);
		expect([...store.rows.values()].flat()).toEqual([]);
	});

	test('while the first look-up reads the list', async () => {
		sandbox.addEvents(250);
		const isPage2 = ({ body }: RecordedRequest) => JSON.stringify(body).includes('"page":2');
		sandbox.fault({ on: 'webhookEvents', when: isPage2, run: isPaid, headers: {} });
		expect(await charge()).toEqual(told);
		expect(counts()).toEqual(nothingCharged);
	});

	test('and if the events cannot be read once more, the lock is free again', async () => {
		const store = await storeThen(() => {
			isPaid();
			sandbox.fault({ on: 'webhookEvents', status: 502, times: 3 });
		});
		expect(await refusal()).toMatch(/on the gateway's side \(502\)/);
		expect(counts()).toEqual(nothingCharged);
		expect([...store.rows.values()].flat()).toEqual([]);
	});
});

const when = ({ body }: RecordedRequest) => JSON.stringify(body).includes('"page":3');
test.each<[string, Fault, RegExp]>([
	['fails later on', { status: 502, when }, /on the gateway's side \(502\)/],
	['is refused at page 3', { status: 400, when }, /'Look Back \(Days\)'/],
	[
		'is answered with null instead of a list',
		{ body: { data: null, page: { total: 0 } } },
		/without "data"/,
	],
])('a look-up that %s charges nothing', async (_, fault, message) => {
	sandbox.addEvents(299);
	sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
	expect(await refusal()).toMatch(message);
	expect(counts()).toEqual(nothingCharged);
});
