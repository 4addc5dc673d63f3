import { ClientRequest } from 'node:http';

import { engine, log, output, withDeduplicationStore } from '../../engine';
import { foundIn } from '../../reliability/secrets';
import type { Fault } from '../../sandbox';
import {
	CARD,
	COMMIT,
	REFERENCE,
	UNKNOWN,
	nothingCharged,
	once,
	useCharges,
	words,
} from './charges';
import { openFront } from './front';

/**
 * A charge is one request. It went through, was refused, or is pending, as its answer says; where
 * nobody can know, the node says so, and never sends it again.
 */

const { sandbox, credentials, commit, cart, seen } = useCharges();

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

test('a charge that went through says what it came to, in this order', async () => {
	const [row = {}] = output(await commit({ paymentData: cart() }));
	expect(row).toEqual(result);
	expect(Object.keys(row)).toEqual(Object.keys(result));
});

test('items are charged one by one', async () => {
	sandbox.settings.latency = 3;
	const items = ['A', 'B', 'C', 'D'].map((referenceID) => ({ cart: cart({ referenceID }) }));
	output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
	const steps = sandbox.requests.filter(({ endpoint }) => endpoint !== 'webhookEvents');
	expect(steps.map(({ endpoint }) => endpoint)).toEqual(
		items.flatMap(() => ['computeTokenizedCheckout', COMMIT]),
	);
	for (const { startedAt, answeredAt = Infinity } of steps) {
		const meanwhile = sandbox.requests.filter(
			(other) => other.startedAt < answeredAt && (other.answeredAt ?? Infinity) > startedAt,
		);
		expect(meanwhile).toHaveLength(1);
	}
	expect(sandbox.charges).toHaveLength(4);
});

describe('the outcome is unknown', () => {
	const payment = { transactionID: 'txn_1', status: 'CAPTURED' };
	const worked = (status: number, body: object | string): Fault => ({
		status,
		body,
		workFirst: true,
	});
	const lost: Array<[string, Fault, number]> = [
		['the connection drops before the work', { drop: 'before' }, 0],
		['the connection drops after the work', { drop: 'after' }, 1],
		['no answer comes in time', { delay: Infinity }, 1],
		['it answers 500', { status: 500 }, 0],
		['it answers 502 after the work', worked(502, '<html>Bad</html>'), 1],
		['it answers 503 and when to come back', { status: 503, headers: { 'Retry-After': '0' } }, 0],
		['it points elsewhere', { status: 302, headers: { Location: '/api/gateway/' + COMMIT } }, 0],
		['it points elsewhere for good', { status: 308, headers: { Location: '/' } }, 0],
		['it speaks of a conflict', worked(409, { error: 'Conflict' }), 1],
		['it answers without an ID', { answer: () => ({ status: 'CAPTURED' }) }, 1],
		['it answers without a status', { answer: () => ({ transactionID: 'txn_1' }) }, 1],
		['it answers an error beside it', { answer: () => ({ ...payment, error: 'Declined' }) }, 1],
		['it answers without success', { answer: () => ({ ...payment, success: false }) }, 1],
		['it refuses with a payment', worked(400, payment), 1],
		['it refuses with a pending payment', worked(400, { ...payment, status: 'PENDING' }), 1],
		[
			'it refuses with a payment below one that did not go through',
			worked(400, { transactionID: 'txn_0', status: 'DECLINED', data: payment }),
			1,
		],
		['it fails, by a word that is no status', worked(500, { status: 'failed' }), 1],
		['it answers an empty object', { answer: () => ({}) }, 1],
		['it answers a web page', worked(200, '<!doctype html><p>Hello'), 1],
		['it answers nothing', worked(200, ''), 1],
		['it answers half of it', worked(200, '{"transactionID": "txn_1'), 1],
	];

	beforeEach(() => {
		sandbox.settings.eventLag = Infinity;
		// The clock of the longest wait runs faster, so that nobody waits two minutes.
		const { setTimeout } = ClientRequest.prototype;
		jest.spyOn(ClientRequest.prototype, 'setTimeout').mockImplementation(function (
			this: ClientRequest,
			ms,
			callback,
		) {
			return setTimeout.call(this, ms === 120_000 ? 50 : ms, callback);
		});
	});
	afterEach(() => jest.mocked(ClientRequest.prototype.setTimeout).mockRestore());

	const settings = { retryOnFail: true, maxTries: 2 };

	test.each(lost)('when %s, it is said, and nothing is sent again', async (_, fault, charges) => {
		sandbox.fault({ on: COMMIT, ...fault });
		const goOn = { ...settings, onError: 'continueRegularOutput' as const };
		const run = await commit({ paymentData: cart() }, { items: [{}, {}], settings: goOn });
		expect(run.items).toHaveLength(2);
		for (const { error } of run.items) expect(error).toMatch(UNKNOWN);
		expect(JSON.stringify(run.items)).not.toMatch(/undefined|NaN|\[object/);
		expect(seen()).toMatchObject({ commits: 1, charges });
	});

	test.each([false, true])(
		'and where it leads (repeats allowed: %j)',
		async (allowRepeatCharge) => {
			sandbox.fault({ on: COMMIT, drop: 'after' });
			const parameters = { paymentData: cart(), options: { allowRepeatCharge } };
			const run = await commit(parameters, { items: [{}, {}], settings });
			expect(run.error?.message).toMatch(UNKNOWN);
			expect(run.error?.description).toMatch(/nothing shows for a day.*'Allow Repeat Charge'/);
			expect(run.error?.context?.itemIndex).toBe(0);
			expect(seen()).toEqual(once);
		},
	);

	test('and without a reference, the events are the place to look', async () => {
		sandbox.fault({ on: COMMIT, drop: 'after' });
		const options = { allowRepeatCharge: true };
		const run = await commit({ paymentData: cart({ referenceID: '' }), options });
		expect(run.error?.message).toMatch(
			/not known .*Do not send it again; look for it with Event → Get Many$/,
		);
		expect(seen()).toEqual(once);
	});

	test('when it is canceled under way, and it is not sent again', async () => {
		const stop = new AbortController();
		await withDeduplicationStore();
		const abort = () => setImmediate(() => stop.abort());
		sandbox.fault({ on: COMMIT, delay: Infinity, run: abort });
		const paymentData = cart();
		const settings = { retryOnFail: true, maxTries: 3 };
		const run = await commit({ paymentData }, { signal: stop.signal, settings });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect((await commit({ paymentData })).error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});
});

describe('a plain refusal', () => {
	const declined = (word: string) => ({ transactionID: 'txn_1', status: word, message: 'Not so' });

	test.each<[number, unknown]>([
		[400, { message: 'No such card' }],
		[401, { error: 'Not you' }],
		[402, { error: { message: 'Card declined' } }],
		[403, { error: 'Not for you' }],
		[404, { errors: [{ message: 'No such cart' }] }],
		[405, 'Not so'],
		[422, 'Not like this'],
		[429, { error: 'Not so fast' }],
		[400, { transactionID: '', status: 'PENDING', message: 'Not so' }],
		[402, { transactionID: 'txn_1', message: 'Not so' }],
		[422, { data: { transactionID: 7 }, error: 'Not so' }],
		...['DECLINED', 'Failed', 'REFUSED', 'rejected', 'VOIDED'].flatMap(
			(word): Array<[number, unknown]> => [
				[200, declined(word)],
				[402, { data: declined(word), message: 'Not so' }],
				[500, declined(word)],
			],
		),
	])('(%d, %j) says why, and it can be sent again', async (status, body) => {
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		sandbox.fault({ on: COMMIT, status, body });
		const paymentData = cart();
		const run = await commit({ paymentData });
		expect(run.error?.message).toMatch(/No such|declined|Not /);
		expect(run.error?.description).toMatch(/^Nothing was charged/);
		expect(words(run)).not.toMatch(/not known/);
		expect(seen()).toMatchObject({ commits: 1, charges: 0 });
		engine.restart();
		expect(output(await commit({ paymentData }))).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('is tried again by Retry On Fail, and by the next item with another card', async () => {
		sandbox.fault({ on: COMMIT, status: 400 });
		const settings = { retryOnFail: true, maxTries: 3 };
		output(await commit({ paymentData: cart({ referenceID: 'R' }) }, { settings }));
		const card = { details: { ...CARD, cardToken: '={{ $json.token }}' } };
		const items = [{ token: 'tok_declined' }, { token: CARD.cardToken }, { token: CARD.cardToken }];
		const goOn = { onError: 'continueRegularOutput' as const };
		const run = await commit({ paymentData: cart(), card }, { items, settings: goOn });
		expect(run.items).toMatchObject([
			{ error: 'Card declined' },
			{ charged: true },
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toMatchObject({ commits: 4, charges: 2 });
	});

	test('is a connection that is refused', async () => {
		const front = await openFront(sandbox.url);
		sandbox.fault({ headers: { Connection: 'close' }, times: Infinity });
		const isLast = () => sandbox.requestsTo('webhookEvents').length === 2;
		sandbox.fault({ on: 'webhookEvents', times: Infinity, when: isLast, run: front.shut });
		const paymentData = cart();
		const run = await commit({ paymentData }, { credentials: credentials({ baseUrl: front.url }) });
		expect(words(run)).toMatch(/refused the connection/);
		expect(words(run)).not.toMatch(/not known/);
		expect(seen()).toEqual(nothingCharged);
		expect(output(await commit({ paymentData }))).toMatchObject([{ charged: true }]);
	});

	test('is an execution that is canceled before it leaves, and holds up nobody', async () => {
		const store = await withDeduplicationStore();
		const stop = new AbortController();
		store.step = (at) => {
			if (at === 'written') stop.abort();
		};
		const items = ['A', 'B', 'C'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		const run = await commit({ paymentData: '={{ $json.cart }}' }, { items, signal: stop.signal });
		expect(run.status).not.toBe('success');
		expect(seen()).toEqual(nothingCharged);
		delete store.step;
		output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
		expect(sandbox.charges).toHaveLength(3);
	});
});

describe('a charge that the service has yet to settle', () => {
	const pending = {
		...result,
		charged: null,
		outcome: 'pending',
		status: 'PENDING',
		transactionID: expect.any(String),
	};
	beforeEach(() => {
		sandbox.settings.chargeStatus = 'PENDING';
		sandbox.settings.eventLag = Infinity;
	});

	test.each(['PENDING', 'submitted', 'AUTHORIZED', 'Captured?'])(
		'is a result, with its status %s, and is not sent again',
		async (status) => {
			sandbox.settings.chargeStatus = status;
			for (let times = 0; times < 2; times++) {
				const rows = output(await commit({ paymentData: cart() }, { items: [{}, {}] }));
				expect(rows).toEqual([
					{ ...pending, status },
					{ ...pending, status },
				]);
			}
			expect(seen()).toEqual(once);
		},
	);

	test('is told as the events say, once they do', async () => {
		const [{ transactionID } = {}] = output(await commit({ paymentData: cart() }));
		sandbox.settings.eventLag = 0;
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, outcome: 'alreadyPaid', transactionID },
		]);
		expect(seen()).toEqual(once);
	});

	test.each([true, false])(
		'is free again once the events say that it failed (with a store: %j)',
		async (hasStore) => {
			if (hasStore) await withDeduplicationStore();
			const answer = { transactionID: 'txn_ach', status: 'PENDING' };
			sandbox.fault({ on: COMMIT, body: answer });
			expect(output(await commit({ paymentData: cart() }))).toEqual([pending]);
			const failed = (transactionID: string) =>
				sandbox.addEvent({ type: 'payment_failed', referenceID: REFERENCE, transactionID });
			// Not when something else has failed.
			failed('txn_other');
			expect(output(await commit({ paymentData: cart() }))).toEqual([pending]);
			failed('txn_ach');
			sandbox.settings.chargeStatus = 'CAPTURED';
			expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
			expect(output(await commit({ paymentData: cart() }))).toMatchObject([
				{ status: 'ALREADY_PAID' },
			]);
			expect(seen()).toMatchObject({ commits: 2, charges: 1 });
		},
	);

	test('is not told by what failed before it, under an ID that both share', async () => {
		const record = { id: 'txn_1', pmt_id: 'pmt_1', status: 'DECLINED', referenceID: REFERENCE };
		sandbox.addEvent({ type: 'payment_failed', payload: { transaction: record } });
		sandbox.fault({ on: COMMIT, body: { transactionID: 'pmt_1', status: 'PENDING' } });
		for (let times = 0; times < 2; times++) {
			expect(output(await commit({ paymentData: cart() }))).toEqual([pending]);
		}
		expect(seen()).toMatchObject({ commits: 1 });
	});

	test('is not known to another worker, which does not send it', async () => {
		await withDeduplicationStore();
		output(await commit({ paymentData: cart() }));
		engine.restart();
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/^Another execution is charging/);
		expect(seen()).toEqual(once);
	});
});

describe('no detail of a card leaves', () => {
	test('be it in results, errors or logs', async () => {
		const { cardToken, cvc } = CARD;
		const echo = { status: 422, body: { message: `Bad card ${cardToken}, code ${cvc}` } };
		sandbox.fault({ on: COMMIT, ...echo });
		const run = await commit({ paymentData: cart() });
		const told = `${words(run)} ${JSON.stringify(run.error)} ${log.lines.join('\n')}`;
		expect(told).toContain('Bad card');
		expect(foundIn(told, [cardToken])).toEqual([]);
		expect(foundIn(words(run), [cvc])).toEqual([]);
	});

	test.each(['INV 987', '987'])('but the reference %s is itself', async (referenceID) => {
		const run = await commit({ paymentData: cart({ referenceID }) });
		expect(output(run)).toMatchObject([{ charged: true, referenceID }]);
		sandbox.fault({ on: COMMIT, status: 500, body: `Code ${CARD.cvc} is wrong` });
		const lost = await commit({ paymentData: cart({ referenceID: `${referenceID} b` }) });
		expect(lost.error?.message).toContain(`with the reference "${referenceID} b"`);
		expect(lost.error?.message).toContain('Code •••• is wrong');
	});
});
