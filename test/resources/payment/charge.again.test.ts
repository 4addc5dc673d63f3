import { DAY, MINUTE } from '../../durations';
import { engine, withDeduplicationStore } from '../../engine';
import { secretsIn } from '../../reliability/secrets';
import {
	CARD,
	CHARGE,
	REFERENCE,
	UNKNOWN,
	continueOnFail,
	nothingCharged,
	chargedOnce,
	retry,
	useCharges,
	withClockAhead,
	errorText,
	inSeconds,
} from './charges';

/**
 * The same charge again while no event shows it: in one run, in a loop, simultaneously, by Retry On Fail,
 * by another execution, node or workflow, after a restart and by another worker. It is made once.
 */

const { sandbox, runCharge, charge, chargeError, cart, event, counts } = useCharges();

beforeEach(() => (sandbox.settings.eventLag = Infinity));

const loseAnswer = () => sandbox.fault({ on: CHARGE, drop: 'after' });
const removeCart = (after = 0) =>
	sandbox.fault({ on: 'computeTokenizedCheckout', after, status: 404, times: Infinity });
const cartOfItem = { paymentData: '={{ $json.cart }}' };
const failStore = () => {
	throw new Error('Away');
};
const repeats = { options: { allowRepeatCharge: true } };

describe('in one process', () => {
	test('a cart is charged once in one run, and both totals are named if they differ', async () => {
		const dynamicData = { tip: '={{ $json.tip }}' };
		const items = [{ tip: '1' }, { tip: '3' }, { tip: '1' }];
		const run = await runCharge(
			{ paymentData: cart(), dynamicData },
			{ items, settings: continueOnFail },
		);
		expect(run.items).toMatchObject([
			{ charged: true, amount: 26 },
			{ error: expect.stringMatching(/^Nothing more .*\$26\.00.*\$28\.00 \[item 1\]$/) },
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(counts()).toEqual(chargedOnce);
	});

	test.each([
		['a reference', false],
		['payment data, though each computes another reference', true],
	])(
		'of simultaneous executions that share %s, one charges and the others report that charge',
		async (_, isOther) => {
			let times = 0;
			const answer = (computed: unknown) => ({ ...Object(computed), referenceID: `R${++times}` });
			if (isOther) sandbox.fault({ on: 'computeTokenizedCheckout', times: Infinity, answer });
			const shared = cart();
			const carts = [shared, shared, isOther ? shared : cart()];
			const runs = carts.map(async (paymentData) => await charge({ paymentData }));
			const rows = (await Promise.all(runs)).flat();
			const reported = rows.map(({ charged, status }) => (charged === true ? 'charged' : status));
			expect(reported.sort()).toEqual(['ALREADY_PAID', 'ALREADY_PAID', 'charged']);
			expect(new Set(rows.map(({ transactionID }) => transactionID)).size).toBe(1);
			expect(counts()).toEqual(chargedOnce);
		},
	);

	test('a charge without an answer is not sent again: nothing proves that it failed', async () => {
		loseAnswer();
		expect(await chargeError()).toMatch(UNKNOWN);
		const other = { settings: { name: 'Charge Again', id: 'node-2' }, workflow: { id: 'other' } };
		const text = await chargeError({}, other);
		expect(text).toMatch(UNKNOWN);
		expect(text).toContain('it was sent before, and no answer confirmed the outcome');
		sandbox.fault({ on: 'webhookEvents', status: 500, times: 6 });
		expect(await chargeError()).toMatch(UNKNOWN);
		sandbox.clearFaults();
		event('failed');
		expect(await chargeError()).toMatch(UNKNOWN);
		// Even if the machine's clock jumps by 41 days: this process counts the 30 days by its uptime.
		expect(await withClockAhead(41 * DAY, async () => await chargeError())).toMatch(UNKNOWN);
		expect(counts()).toEqual(chargedOnce);
	});

	test('an unclear answer names its transaction, and once that has failed the cart is charged', async () => {
		const transactionID = 'txn_unclear';
		sandbox.fault({ on: CHARGE, status: 500, body: { transactionID, status: 'PENDING' } });
		expect(await chargeError()).toMatch(UNKNOWN);
		sandbox.settings.eventLag = 0;
		event('failed', { transactionID, date: inSeconds(5) });
		expect(await charge()).toMatchObject([{ charged: true }]);
		expect(counts()).toMatchObject({ chargeRequests: 2, charges: 1 });
	});

	test('a pending charge that fails within its second can be made again, even if events have no fractions', async () => {
		sandbox.clock.set(new Date('2026-03-01T12:00:00.400Z'));
		sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_ach', status: 'PENDING' } });
		expect(await charge()).toMatchObject([{ outcome: 'pending' }]);
		event('failed', { transactionID: 'txn_ach', date: '2026-03-01T12:00:00Z' });
		expect(await charge()).toMatchObject([{ charged: true }]);
	});

	test('a pending charge is not made again because of the late failure of an attempt with its transaction ID', async () => {
		const answerWith = (status: string) =>
			sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_1', status } });
		sandbox.clock.set(new Date('2026-03-01T12:00:00.400Z'));
		answerWith('DECLINED');
		answerWith('PENDING');
		const given = { items: [{}, {}], settings: continueOnFail };
		const run = await runCharge({ paymentData: cart() }, given);
		expect(run.items).toMatchObject([{ error: expect.anything() }, { outcome: 'pending' }]);
		event('failed', { transactionID: 'txn_1', date: '2026-03-01T12:00:00.500Z' });
		expect(await charge()).toMatchObject([{ outcome: 'pending' }]);
		expect(counts()).toMatchObject({ chargeRequests: 2 });
	});

	test('a charge is reported even if its cart is gone; a cart that is gone is not charged', async () => {
		const paymentData = cart();
		const [{ transactionID } = {}] = await charge({ paymentData });
		removeCart();
		const paid = { charged: false, status: 'ALREADY_PAID', transactionID, referenceID: REFERENCE };
		expect(await charge({ paymentData })).toMatchObject([paid]);
		expect(await chargeError()).toContain("check 'Payment Data'");
		expect(counts()).toEqual(chargedOnce);
	});
});

describe('if repeats are allowed', () => {
	test('a repeated charge is reported as the payment that it is, and not the refund before it', async () => {
		sandbox.settings.eventLag = 0;
		event('success', { transactionID: 'txn_first', amount: 2500, date: inSeconds(-90) });
		event('refund', { transactionID: 'txn_refund', amount: 2500, date: inSeconds(-80) });
		sandbox.settings.eventLag = Infinity;
		const [{ transactionID } = {}] = await charge(repeats);
		const paid = { charged: false, outcome: 'alreadyPaid', amount: 25, transactionID };
		expect(await charge()).toMatchObject([paid]);
		expect(counts()).toEqual(chargedOnce);
	});

	test('each item of each run and batch is charged once, and a refused charge can be made again', async () => {
		sandbox.fault({ on: CHARGE, status: 402, body: { error: 'Card declined' } });
		expect(await chargeError(repeats)).toMatch(/^Card declined\nNothing was charged\. You can/);
		await charge(repeats, { items: [{}, {}] });
		await charge(repeats, { items: [{}, {}], batches: 2 });
		expect(counts()).toMatchObject({ chargeRequests: 5, charges: 4 });
		expect(sandbox.requestsTo('webhookEvents')).toEqual([]);
	});

	test('an unanswered charge blocks the same cart if repeats are not allowed, even without a reference', async () => {
		// An event without a reference, here one whose payload is cut off, does not count for a cart without one.
		event('success', { payload: '{"transaction":{"referenceID":"",' });
		for (const referenceID of [REFERENCE, '']) {
			loseAnswer();
			const paymentData = cart({ referenceID });
			for (const more of [repeats, {}]) {
				expect(await chargeError({ paymentData, ...more })).toMatch(
					/not known whether this payment/,
				);
			}
			// Two carts without a reference are two charges.
			await charge({ paymentData: cart({ referenceID }), ...repeats });
		}
		expect(counts()).toMatchObject({ chargeRequests: 4, charges: 4 });
	});
});

describe('Retry On Fail', () => {
	test.each([{}, repeats])('gives each item its own result back (%j)', async (more) => {
		const carts = ['C', 'B', 'A'].map((referenceID) => cart({ referenceID }));
		// n8n decides by the first item alone whether to try again.
		const items = ['none', ...carts].map((each) => ({ cart: each }));
		const run = await runCharge(
			{ ...cartOfItem, ...more },
			{ items, settings: { ...retry, ...continueOnFail } },
		);
		const own = sandbox.charges.map(({ referenceID, transactionID }) => {
			return { charged: true, amount: 25, status: 'CAPTURED', referenceID, transactionID };
		});
		const error = expect.stringContaining('cannot be decrypted');
		expect(run.items).toMatchObject([{ error }, ...own]);
		expect(counts()).toMatchObject({ chargeRequests: 3, charges: 3 });
	});

	test('finds the charge whose answer was lost', async () => {
		sandbox.settings.eventLag = 0;
		loseAnswer();
		const rows = await charge({}, { settings: retry });
		const { transactionID } = sandbox.charges[0] ?? {};
		expect(rows).toMatchObject([{ status: 'ALREADY_PAID', transactionID }]);
		expect(counts()).toEqual(chargedOnce);
	});

	test.each([{}, repeats])(
		'still reports the unknown outcome if the cart is gone (%j)',
		async (more) => {
			loseAnswer();
			removeCart(1);
			expect(await chargeError(more, { settings: retry })).toMatch(UNKNOWN);
			expect(counts()).toEqual(chargedOnce);
		},
	);
});

describe("with n8n's store", () => {
	test('neither the store nor the execution data holds payment data, reference, card or token', async () => {
		const store = await withDeduplicationStore();
		const paymentData = cart();
		const run = await runCharge({ paymentData });
		const stored = JSON.stringify([run.run.data.executionData?.contextData, [...store.rows]]);
		expect(stored).toContain('node-paymentsGateway');
		const card = [CARD.cardToken, CARD.expiryDate, JSON.stringify(CARD.cvc)];
		const secrets = [paymentData, REFERENCE, ...card, sandbox.credentials.privateToken];
		expect(secretsIn(stored, secrets)).toEqual([]);
	});

	test('a restart sends nothing again: the charge is under way, then sent, until the events show it', async () => {
		const store = await withDeduplicationStore();
		// The process dies with its charge: from then on the lock stays as it is.
		sandbox.fault({ on: CHARGE, drop: 'after', run: () => (store.step = failStore) });
		expect(await chargeError()).toMatch(UNKNOWN);
		delete store.step;
		const after = async (ms: number) => {
			engine.restart();
			return errorText(await withClockAhead(ms, async () => await runCharge()));
		};
		expect(await after(0)).toMatch(
			/^Another execution is charging the reference "ORDER-7731", so this one did not charge it\nUse Payment → Get Status in two minutes\. If it finds no payment, run this again/,
		);
		const sent = await after(2 * MINUTE);
		expect(sent).toMatch(UNKNOWN);
		expect(sent).toContain('(another execution may have sent it)');
		expect(await after(30 * DAY)).toMatch(UNKNOWN);
		sandbox.settings.eventLag = 0;
		engine.restart();
		expect(await charge()).toMatchObject([{ status: 'ALREADY_PAID' }]);
		expect(counts()).toEqual(chargedOnce);
	});

	test('a charge of another worker is reported as paid if the events show it by now', async () => {
		const store = await withDeduplicationStore();
		await charge();
		engine.restart();
		// The events show it between the look-up and the access that finds the lock.
		store.step = () => void (sandbox.settings.eventLag = 0);
		const paid = { charged: false, status: 'ALREADY_PAID', referenceID: REFERENCE };
		expect(await charge()).toMatchObject([paid]);
		expect(counts()).toEqual(chargedOnce);
	});

	test('nothing is charged if it fails, and the error says what to do', async () => {
		const store = await withDeduplicationStore();
		store.step = failStore;
		expect(await chargeError()).toMatch(
			/^Nothing was charged: n8n's database failed or was too slow.*\nRun this.* that can be the lock left by this run, which sent nothing\. Check with/,
		);
		expect(counts()).toEqual(nothingCharged);
	});
});
