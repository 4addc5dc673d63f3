import { output, withDeduplicationStore } from '../../engine';
import { COMMIT, REFERENCE, UNKNOWN, nothingCharged, once, useCharges } from './charges';

/** What is said of a charge later, when the service says less than before, or something else. */

const { sandbox, commit, cart, paid, refunded, seen } = useCharges();

describe('a charge that went through', () => {
	beforeEach(() => (sandbox.settings.eventLag = Infinity));

	test('is told as paid when its cart is gone', async () => {
		const paymentData = cart();
		const [first] = output(await commit({ paymentData }));
		sandbox.fault({ on: 'computeTokenizedCheckout', status: 404 });
		const later = output(await commit({ paymentData }));
		expect(later).toEqual([
			{
				charged: false,
				status: 'ALREADY_PAID',
				transactionID: first?.transactionID,
				referenceID: REFERENCE,
				environment: 'sandbox',
			},
		]);
		expect(seen()).toEqual(once);
	});

	test('is not made again because an event calls it failed', async () => {
		const [first] = output(await commit({ paymentData: cart() }));
		const transactionID = String(first?.transactionID);
		sandbox.addEvent({ type: 'payment_failed', referenceID: REFERENCE, transactionID });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID', transactionID },
		]);
		expect(seen()).toEqual(once);
	});
});

test('a payment that is known is told when its cart is gone', async () => {
	sandbox.fault({ on: COMMIT, drop: 'after' });
	const paymentData = cart();
	expect((await commit({ paymentData })).error).toBeDefined();
	sandbox.fault({ on: 'computeTokenizedCheckout', status: 404 });
	const { transactionID } = sandbox.charges[0] ?? {};
	expect(output(await commit({ paymentData }))).toMatchObject([
		{ charged: false, status: 'ALREADY_PAID', transactionID, referenceID: REFERENCE },
	]);
	expect(seen()).toEqual(once);
});

test('a cart that is gone after the events have shown its payment says where to look', async () => {
	sandbox.fault({ on: COMMIT, drop: 'after' });
	sandbox.fault({ on: 'computeTokenizedCheckout', after: 2, status: 404 });
	const settings = { onError: 'continueRegularOutput' as const };
	const run = await commit({ paymentData: cart() }, { items: [{}, {}, {}], settings });
	expect(run.items).toMatchObject([
		{ error: expect.stringMatching(UNKNOWN) },
		{ status: 'ALREADY_PAID', referenceID: REFERENCE },
		{ error: expect.stringContaining('look for it with Webhook Event → Get Many') },
	]);
	expect(seen()).toEqual(once);
});

test('a cart that is gone and was never charged is not charged', async () => {
	sandbox.fault({ on: 'computeTokenizedCheckout', status: 404 });
	paid();
	const run = await commit({ paymentData: cart() });
	expect(run.error?.description).toContain('Check the Payment Data');
	expect(seen()).toEqual(nothingCharged);
});

test('a charge without a reference whose answer is lost says where to look', async () => {
	sandbox.fault({ on: COMMIT, drop: 'after' });
	const options = { allowRepeatCharge: true };
	const run = await commit({ paymentData: cart({ referenceID: '' }), options });
	expect(run.error?.message).toMatch(
		/^It is not known whether this payment was charged .*Do not send it again; look for it with Webhook Event → Get Many$/,
	);
	expect(seen()).toEqual(once);
});

test('a charge without a reference is not taken for another without one', async () => {
	const options = { allowRepeatCharge: true };
	output(await commit({ paymentData: cart({ referenceID: '' }), options }));
	sandbox.fault({ on: COMMIT, drop: 'after' });
	const paymentData = cart({ referenceID: '' });
	const lost = await commit({ paymentData, options });
	expect(lost.error?.message).toMatch(/not known whether this payment was charged/);
	const again = await commit({ paymentData });
	expect(again.error?.message).toMatch(/not known whether this payment was charged/);
	expect(seen()).toMatchObject({ commits: 2, charges: 2 });
});

describe('the reference that a cart carries', () => {
	const answers = (referenceID: unknown) =>
		sandbox.fault({
			on: 'computeTokenizedCheckout',
			answer: (answer) => ({ ...(answer as object), referenceID }),
		});

	test.each([null, 77.31, { id: 7731 }, undefined])(
		'is none when it is %j',
		async (referenceID) => {
			answers(referenceID);
			const run = await commit({ paymentData: cart() });
			expect(run.error?.message).toMatch(/the cart has no reference/);
			expect(seen()).toEqual(nothingCharged);
		},
	);

	test('is the same with spaces around it', async () => {
		paid({ transactionID: 'txn_paid' });
		answers(` ${REFERENCE}\n`);
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID', transactionID: 'txn_paid', referenceID: REFERENCE },
		]);
		expect(seen()).toEqual(nothingCharged);
	});
});

test('a payment whose record is JSON in JSON is a payment', async () => {
	const record = { id: 'txn_x', referenceID: REFERENCE };
	for (const payload of [
		JSON.stringify({ transaction: record }),
		{ transaction: JSON.stringify(record) },
		{ data: JSON.stringify({ payment: JSON.stringify(record) }) },
	]) {
		sandbox.reset();
		paid({ payload: JSON.stringify(payload) });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(nothingCharged);
	}
});

test('a refund whose payment no event shows leaves nobody sure, so nothing is charged', async () => {
	refunded({ amount: 500 });
	const run = await commit({ paymentData: cart() });
	expect(run.error?.message).toMatch(/^Nothing was charged: more was refunded/);
	expect(seen()).toEqual(nothingCharged);
});

test('an execution that is cancelled while its claim is written charges nothing, and holds up nobody', async () => {
	const store = await withDeduplicationStore();
	const stop = new AbortController();
	store.step = (at) => {
		if (at === 'written') stop.abort();
	};
	const paymentData = cart();
	const run = await commit({ paymentData }, { signal: stop.signal });
	expect(run.status).not.toBe('success');
	expect(seen()).toEqual(nothingCharged);
	delete store.step;
	expect(output(await commit({ paymentData }))).toMatchObject([{ charged: true }]);
});
