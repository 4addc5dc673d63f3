import { engine, log, withDeduplicationStore, output } from '../../engine';
import type { RunResult } from '../../engine';
import { foundIn } from '../../reliability/secrets';
import type { Fault } from '../../sandbox';
import {
	CARD,
	COMMIT,
	GARBLED,
	REFERENCE,
	UNKNOWN,
	goOn,
	once,
	retry,
	unknown,
	useCharges,
	words,
} from './charges';

/**
 * A charge is one request. It went through, was refused, or is pending, as its answer says; where
 * nobody can know, the node says so, and never sends it again.
 */

const { sandbox, runNode, commit, charge, refusal, cart, event, seen } = useCharges();

const result = {
	charged: true,
	outcome: 'charged',
	amount: 25,
	amountFormatted: '$25.00',
	transactionID: expect.stringMatching(/^txn_/),
	status: 'CAPTURED',
	referenceID: REFERENCE,
	environment: 'sandbox',
};

/** A cart with a reference of its own, the charge of which meets a fault. */
function cartThatMeets(fault: Fault) {
	const referenceID = `CART-${sandbox.carts.length}`;
	const paymentData = cart({ referenceID });
	const isIts = ({ body }: { body: unknown }) => JSON.stringify(body).includes(paymentData);
	sandbox.fault({ on: COMMIT, when: isIts, ...fault });
	return { referenceID, paymentData };
}

test('a charge that went through says what it came to, in this order', async () => {
	const [row = {}] = await charge();
	expect(row).toEqual(result);
	expect(Object.keys(row)).toEqual(Object.keys(result));
});

test('a charge that went through is not freed by the late news of an attempt before it', async () => {
	sandbox.settings.eventLag = Infinity;
	const date = sandbox.clock.now().toISOString();
	const [{ transactionID = '' } = {}] = await charge();
	// Some gateways give all attempts of a payment one ID.
	event('failed', { transactionID: String(transactionID), date });
	expect(await charge()).toMatchObject([{ outcome: 'alreadyPaid', transactionID }]);
	expect(seen()).toEqual(once);
});

test('a charge is not held back by what another request was told', async () => {
	sandbox.fault({ on: 'webhookEvents', status: 429, headers: { 'Retry-After': '600' } });
	let list: RunResult | undefined;
	const run = async () => (list = await runNode({ resource: 'event', operation: 'getAll' }));
	// Nothing is looked up then: the next request is the charge.
	sandbox.fault({ on: 'computeTokenizedCheckout', run, delay: 100 });
	await charge({ options: { allowRepeatCharge: true } });
	expect(list?.error?.message).toBe('Too Many Requests');
});

test('items are charged one by one', async () => {
	sandbox.settings.latency = 3;
	const items = ['A', 'B', 'C', 'D'].map((referenceID) => ({ cart: cart({ referenceID }) }));
	await charge({ paymentData: '={{ $json.cart }}' }, { items });
	const steps = sandbox.requests.map(({ endpoint }) => endpoint);
	expect(steps.filter((endpoint) => endpoint !== 'webhookEvents')).toEqual(
		items.flatMap(() => ['computeTokenizedCheckout', COMMIT]),
	);
	expect(sandbox.charges).toHaveLength(4);
});

describe('the outcome is unknown', () => {
	const payment = { transactionID: 'txn_1', status: 'CAPTURED' };
	const decline = { transactionID: 'txn_0', status: 'DECLINED' };
	const worked = (status: number, body: object | string): Fault => ({
		...{ status, body, workFirst: true },
	});
	const lost: Array<[string, Fault, number]> = [
		['the connection drops before the work', { drop: 'before' }, 0],
		['the connection drops after the work', { drop: 'after' }, 1],
		['it answers 502 after the work', worked(502, '<html>Bad</html>'), 1],
		['it points elsewhere', { status: 302, headers: { Location: '/api/gateway/' + COMMIT } }, 0],
		['it speaks of a conflict', worked(409, { error: 'Conflict' }), 1],
		['it speaks of a failed request', worked(409, { status: 'failed', message: 'Conflict' }), 1],
		['it answers without an ID', { answer: () => ({ status: 'CAPTURED' }) }, 1],
		['it answers an error beside it', { answer: () => ({ ...payment, error: 'Declined' }) }, 1],
		['it refuses with a payment', worked(400, payment), 1],
		['it refuses with one under review', worked(422, { ...payment, status: 'HELD_FOR_REVIEW' }), 1],
		['it refuses with a payment below a decline', worked(400, { ...decline, data: payment }), 1],
		['it answers half of it', worked(200, '{"transactionID": "txn_1'), 1],
	];

	test('when an answer is lost, broken or says two things: that is said, and nothing is sent again', async () => {
		sandbox.settings.eventLag = Infinity;
		const settings = { ...retry, ...goOn };
		const charges = lost.map(async ([name, fault, charged]) => {
			const { referenceID, paymentData } = cartThatMeets(fault);
			const { items } = await commit({ paymentData }, { items: [{}, {}], settings });
			const error = expect.stringMatching(unknown(referenceID));
			expect([name, items]).toMatchObject([name, [{ error }, { error }]]);
			expect(JSON.stringify(items)).not.toMatch(GARBLED);
			expect([name, seen(paymentData)]).toMatchObject([name, { commits: 1, charges: charged }]);
		});
		await Promise.all(charges);
	});

	const repeats = { options: { allowRepeatCharge: true } };
	test.each<[object, string, RegExp]>([
		[{}, REFERENCE, UNKNOWN],
		[repeats, REFERENCE, UNKNOWN],
		[repeats, '', /not known .*Do not send it again; look for it with Event → Get Many$/],
	])('and where it leads (%j, reference "%s")', async (more, referenceID, message) => {
		sandbox.settings.eventLag = Infinity;
		sandbox.fault({ on: COMMIT, drop: 'after' });
		const parameters = { paymentData: cart({ referenceID }), ...more };
		const { error } = await commit(parameters, { items: [{}, {}], settings: retry });
		expect(error?.message.replace(' [item 0]', '')).toMatch(message);
		expect(error?.description).toMatch(/nothing shows for a day.*'Allow Repeat Charge'/);
		expect(error?.context?.itemIndex).toBe(0);
		expect(seen()).toEqual(once);
	});

	test('when it is canceled under way, and it is not sent again', async () => {
		sandbox.settings.eventLag = Infinity;
		const stop = new AbortController();
		await withDeduplicationStore();
		const abort = () => setImmediate(() => stop.abort());
		sandbox.fault({ on: COMMIT, delay: Infinity, run: abort });
		const paymentData = cart();
		const canceled = { signal: stop.signal, settings: retry };
		for (const how of [canceled, {}]) {
			expect(await refusal({ paymentData }, how)).toMatch(UNKNOWN);
		}
		expect(seen()).toEqual(once);
	});
});

describe('a plain refusal', () => {
	const declined = (word: string) => ({ transactionID: 'txn_1', status: word, message: 'Not so' });
	// In each of them stands a word for a charge that has moved money.
	const said = ['NOT_AUTHORIZED', 'unsuccessful', 'Processing error', 'DISAPPROVED'];
	const refused: Array<[number, unknown]> = [
		[400, { message: 'No such card' }],
		[402, { error: { message: 'Card declined' } }],
		[404, { errors: [{ message: 'No such cart' }] }],
		[429, { error: 'Not so fast' }],
		[400, { transactionID: '', status: 'PENDING', message: 'Not so' }],
		[200, { transactionID: 'txn_1', status: 'DECLINED' }],
		[200, { status: 'DECLINED', message: 'Not so' }],
		[409, { status: 'DECLINED', message: 'Not so' }],
		...['PROCESSOR_DECLINED', 'PROCESSOR_LIMIT', 'WITHHELD', 'REQUIRES_ACTION'].map(
			(word): [number, unknown] => [402, declined(word)],
		),
		...said.map((word): [number, unknown] => [402, declined(word)]),
		[402, { data: declined('VOIDED'), message: 'Not so' }],
		[500, declined('Failed')],
	];

	test('says why, and it can be sent again, also after a restart', async () => {
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		const carts = refused.map(async ([status, body]) => {
			const { paymentData } = cartThatMeets({ status, body });
			const { message, description } = (await commit({ paymentData })).error ?? {};
			const isDecline = /"status":"(declined|failed|voided)/i.test(JSON.stringify(body));
			const mayBeTried = isDecline || [200, 400, 402, 422].includes(status);
			const what = mayBeTried ? /^Nothing was charged; it may/ : /^Nothing was charged\./;
			expect([status, body, message, description]).toEqual([
				...[status, body],
				expect.stringMatching(/^(No such|Card declined|Not |The gateway answered DECLINED)/),
				expect.stringMatching(what),
			]);
			return { paymentData };
		});
		const again = await Promise.all(carts);
		expect(seen()).toMatchObject({ commits: refused.length, charges: 0 });
		engine.restart();
		await Promise.all(
			again.map(async (each) => expect(await charge(each)).toMatchObject([{ charged: true }])),
		);
		expect(seen()).toMatchObject({ commits: 2 * refused.length, charges: refused.length });
	});

	test.each([
		[422, { message: 'Duplicate transaction' }],
		[403, { message: 'This link has already been paid' }],
		[404, { message: 'The order was paid' }],
		[422, { code: 'DUPLICATE_TRANSACTION' }],
		[402, { error: 'Payment Required', message: 'A payment has already been made' }],
		[200, { transactionID: 'txn_1', status: 'DECLINED', message: 'It was already processed' }],
		[422, { message: 'You have not been charged again' }],
		[200, { message: 'It has been paid, not by this', transactionID: 'txn_1', status: 'DECLINED' }],
		[
			200,
			{
				message: 'It has already been processed',
				data: { transactionID: 'txn_1', status: 'DECLINED' },
			},
		],
		[200, { message: 'Already paid', data: { transactionID: 'txn_1', status: 'DECLINED' } }],
	])('that says it was charged before leads to Get Status (%d %j)', async (status, body) => {
		sandbox.fault({ on: COMMIT, status, body });
		const { error } = await commit();
		expect(error?.description).toMatch(
			/gateway says that it was before: look with Payment → Get Status/,
		);
	});

	const data = { transactionID: 'txn_1', status: 'DECLINED' };
	test.each([
		[422, { message: 'Discount code SAVE10 has already been used' }],
		[402, { message: 'The card was declined. You have not been charged.' }],
		[402, { message: 'Declined, so no payment has been processed' }],
		[200, { message: "The card wasn't accepted; it hasn't been charged", ...data }],
		[200, { message: 'The request has been processed', data }],
		[200, { message: 'Transaction was successfully completed', data }],
	])('that says it of something else, or denies it, does not (%d %j)', async (status, body) => {
		sandbox.fault({ on: COMMIT, status, body });
		expect((await commit()).error?.description).toMatch(/^Nothing was charged; it may be tried/);
	});

	test('is tried again by Retry On Fail, and by the next item with another card', async () => {
		sandbox.fault({ on: COMMIT, body: declined('DECLINED') });
		await charge({ paymentData: cart({ referenceID: 'R' }) }, { settings: retry });
		const card = { details: { ...CARD, cardToken: '={{ $json.token }}' } };
		const items = [{ token: 'tok_declined' }, { token: CARD.cardToken }, { token: CARD.cardToken }];
		const run = await commit({ paymentData: cart(), card }, { items, settings: goOn });
		expect(run.items).toMatchObject([
			{ error: 'Card declined' },
			{ charged: true },
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toMatchObject({ commits: 4, charges: 2 });
	});
});

describe('a charge that the gateway has yet to settle', () => {
	const transactionID = expect.any(String);
	const state = { charged: null, outcome: 'pending', status: 'PENDING' };
	const pending = { ...result, ...state, transactionID };
	beforeEach(() => {
		sandbox.settings.chargeStatus = 'PENDING';
		sandbox.settings.eventLag = Infinity;
	});

	test.each(['PENDING', 'Captured?'])(
		'is a result, with its status %s, and is not sent again; later it is as the events say',
		async (status) => {
			sandbox.settings.chargeStatus = status;
			const rows = [...(await charge({}, { items: [{}, {}] })), ...(await charge())];
			expect(rows).toEqual(rows.map(() => ({ ...pending, status })));
			sandbox.settings.eventLag = 0;
			const told = { charged: false, transactionID: rows[0]?.transactionID };
			expect(await charge()).toMatchObject([{ ...told, outcome: 'alreadyPaid' }]);
			expect(seen()).toEqual(once);
		},
	);

	test.each([true, false])(
		'is free again once the events say that it failed (with a store: %j)',
		async (hasStore) => {
			if (hasStore) await withDeduplicationStore();
			sandbox.fault({ on: COMMIT, body: { transactionID: 'txn_ach', status: 'PENDING' } });
			const paymentData = cart();
			expect(await charge({ paymentData })).toEqual([pending]);
			// Not when something else has failed.
			event('failed', { transactionID: 'txn_other' });
			expect(await charge()).toEqual([pending]);
			event('failed', { transactionID: 'txn_ach' });
			sandbox.settings.chargeStatus = 'CAPTURED';
			sandbox.fault({ on: 'computeTokenizedCheckout', status: 404 });
			expect(await refusal({ paymentData })).toContain("Check 'Payment Data'");
			expect(await charge()).toMatchObject([{ charged: true }]);
			expect(await charge()).toMatchObject([{ status: 'ALREADY_PAID' }]);
			expect(seen()).toMatchObject({ commits: 2, charges: 1 });
		},
	);

	test('is not told by what failed before it, under an ID that both share', async () => {
		const record = { id: 'txn_1', pmt_id: 'pmt_1', status: 'DECLINED', referenceID: REFERENCE };
		event('failed', { payload: { transaction: record } });
		sandbox.fault({ on: COMMIT, body: { transactionID: 'pmt_1', status: 'PENDING' } });
		for (let times = 0; times < 2; times++) expect(await charge()).toEqual([pending]);
		expect(seen()).toMatchObject({ commits: 1 });
	});

	test('is what Get Status waits for, not for what failed before it', async () => {
		event('failed', { transactionID: 'txn_0' });
		const [charged] = await charge();
		const shows = () => void Object.assign(sandbox.settings, { eventLag: 0 });
		sandbox.fault({ on: 'webhookEvents', after: 2, run: shows, headers: {} });
		const getStatus = { operation: 'getStatus', referenceId: REFERENCE, waitForOutcome: true };
		const [told] = output(await runNode({ resource: 'payment', ...getStatus }));
		const { transactionID } = charged ?? {};
		expect(told).toMatchObject({ outcome: 'succeeded', transactionID });
	});
});

describe('no detail of a card leaves', () => {
	test('be it in errors or logs, whatever the gateway repeats', async () => {
		const { cardToken, cvc } = CARD;
		const message = `Bad card ${cardToken}, code ${cvc}`;
		sandbox.fault({ on: COMMIT, body: { transactionID: 'txn_1', status: 'DECLINED', message } });
		const run = await commit();
		const told = `${words(run)} ${JSON.stringify(run.error)} ${log.lines.join('\n')}`;
		expect(told).toContain('Bad card');
		expect(foundIn(told, [cardToken])).toEqual([]);
		expect(foundIn(words(run), [cvc])).toEqual([]);
	});

	test('but a reference that is the same as its code is itself', async () => {
		const referenceID = CARD.cvc;
		const paid = { paymentData: cart({ referenceID }) };
		expect(await charge(paid)).toMatchObject([{ charged: true, referenceID }]);
		sandbox.fault({ on: COMMIT, status: 500, body: `Code ${CARD.cvc} is wrong` });
		const lost = await refusal({ paymentData: cart({ referenceID: `${referenceID} b` }) });
		expect(lost).toContain(`with the reference "${referenceID} b"`);
		expect(lost).toContain('Code •••• is wrong');
	});
});
