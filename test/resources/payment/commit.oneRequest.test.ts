import { ClientRequest } from 'node:http';

import { output, withDeduplicationStore } from '../../engine';
import type { Fault } from '../../sandbox';
import { COMMIT, CARD, UNKNOWN, nothingCharged, once, words, useCharges } from './charges';
import { openFront } from './front';

/** A charge is one request; when its outcome is unknown, it says so and is never sent again. */

const { sandbox, credentials, commit, cart, seen } = useCharges();

describe('7. one request', () => {
	test('items are charged one by one', async () => {
		sandbox.settings.latency = 3;
		const items = ['A', 'B', 'C', 'D'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
		// An item asks for the newest events and searches them at once; nothing else overlaps.
		const lookUp = 'webhookEvents';
		const steps = sandbox.requests.filter(({ endpoint }) => endpoint !== lookUp);
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

	const lost: Array<[string, Fault, number]> = [
		['the connection drops before the work', { drop: 'before' }, 0],
		['the connection drops after the work', { drop: 'after' }, 1],
		['no answer comes in time', { delay: Infinity }, 1],
		['it answers 500', { status: 500 }, 0],
		['it answers 500 after the work', { status: 500, workFirst: true }, 1],
		[
			'it answers 502 after the work',
			{ status: 502, body: '<html>Bad</html>', workFirst: true },
			1,
		],
		['it answers 503 and when to come back', { status: 503, headers: { 'Retry-After': '0' } }, 0],
		['it points elsewhere', { status: 302, headers: { Location: '/api/gateway/' + COMMIT } }, 0],
		[
			'it points elsewhere for good',
			{ status: 308, headers: { Location: '/api/gateway/' + COMMIT } },
			0,
		],
		['it speaks of a conflict', { status: 409, workFirst: true }, 1],
		['it answers without an ID', { answer: () => ({ status: 'CAPTURED' }) }, 1],
		['it answers without a status', { answer: () => ({ transactionID: 'txn_1' }) }, 1],
		[
			'it answers another status',
			{ answer: () => ({ transactionID: 'txn_1', status: 'PENDING' }) },
			1,
		],
		[
			'it answers an error beside the payment',
			{ answer: (answer) => ({ ...(answer as object), error: { message: 'Declined' } }) },
			1,
		],
		[
			'it answers a payment without success',
			{ answer: (answer) => ({ ...(answer as object), success: false }) },
			1,
		],
		[
			'it refuses with the words of a payment',
			{ status: 400, body: { transactionID: 'txn_1', status: 'CAPTURED' }, workFirst: true },
			1,
		],
		[
			'it refuses and names a payment that is pending',
			{
				status: 400,
				body: { error: 'Too slow', transactionID: 'txn_1', status: 'PENDING' },
				workFirst: true,
			},
			1,
		],
		[
			'it refuses and names a payment',
			{ status: 402, body: { error: 'Too slow', transactionID: 'txn_1' }, workFirst: true },
			1,
		],
		[
			'it refuses and names a payment by a number, beside a status of the refusal',
			{ status: 422, body: { status: 'error', data: { transactionID: 7 } }, workFirst: true },
			1,
		],
		[
			'it refuses and names a payment that went through, below one that did not',
			{
				status: 400,
				body: {
					...{ error: 'Twice', transactionID: 'txn_1', status: 'DECLINED' },
					data: { transactionID: 'txn_2', status: 'CAPTURED' },
				},
				workFirst: true,
			},
			1,
		],
		[
			'it refuses with a payment that has no ID',
			{ status: 400, body: { error: 'Odd', data: { status: 'captured' } }, workFirst: true },
			1,
		],
		['it answers an empty object', { answer: () => ({}) }, 1],
		['it answers a web page', { status: 200, body: '<!doctype html><p>Hello', workFirst: true }, 1],
		['it answers nothing', { status: 200, body: '', workFirst: true }, 1],
		['it answers 204', { status: 204, body: '', workFirst: true }, 1],
		[
			'it answers half of it',
			{ status: 200, body: '{"transactionID": "txn_1', workFirst: true },
			1,
		],
	];

	describe.each(lost)('the outcome is unknown when %s', (_, fault, charges) => {
		beforeEach(() => {
			sandbox.settings.eventLag = Infinity;
			sandbox.fault({ on: COMMIT, ...fault });
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

		test('says so, and what not to do, after one request', async () => {
			const run = await commit({ paymentData: cart() });
			expect(run.error?.message).toMatch(UNKNOWN);
			expect(words(run)).not.toMatch(/undefined|NaN|\[object/);
			expect(run.error?.context?.itemIndex).toBe(0);
			expect(seen()).toMatchObject({ commits: 1, charges });
		});

		test('sends it no second time, whatever n8n tries', async () => {
			const items = [{}, {}];
			const retry = { retryOnFail: true, maxTries: 3 };
			const first = await commit({ paymentData: cart() }, { items, settings: retry });
			expect(first.error?.message).toMatch(UNKNOWN);
			expect(seen()).toMatchObject({ commits: 1, charges });
		});

		test('sends it no second time, also when n8n goes on or a loop does', async () => {
			const items = [{}, {}];
			const settings = { retryOnFail: true, onError: 'continueRegularOutput' as const };
			const run = await commit({ paymentData: cart() }, { items, settings, batches: 2 });
			expect(run.items).toHaveLength(2);
			for (const item of run.items)
				expect(item).toMatchObject({ error: expect.stringMatching(UNKNOWN) });
			expect(seen()).toMatchObject({ commits: 1, charges });
		});

		test('sends it no second time where repeats are allowed', async () => {
			const options = { allowRepeatCharge: true };
			const settings = { retryOnFail: true, maxTries: 3 };
			const run = await commit({ paymentData: cart(), options }, { settings });
			expect(run.error?.message).toMatch(UNKNOWN);
			expect(seen()).toMatchObject({ commits: 1, charges });
		});
	});

	test('a status that nobody knows is told, with its transaction', async () => {
		sandbox.fault({ on: COMMIT, answer: () => ({ transactionID: 'txn_1', status: 'PENDING' }) });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toContain('the status "PENDING" for the transaction txn_1');
	});

	test.each<[number, unknown]>([
		[400, { message: 'No such card' }],
		[401, { error: 'Not you' }],
		[402, { error: { message: 'Card declined' } }],
		[403, { error: 'Not for you' }],
		[404, { errors: [{ message: 'No such cart' }] }],
		[402, { transactionID: 'txn_1', status: 'DECLINED', message: 'Card declined' }],
		...['Failed', 'REFUSED', 'rejected', 'VOIDED'].map((word): [number, unknown] => [
			400,
			{ data: { transactionID: 'txn_1', status: word }, message: 'Not so' },
		]),
		[400, { transactionID: '', status: 'PENDING', message: 'Not so' }],
		[422, 'Not like this'],
	])('a plain refusal (%d) says why, and it can be sent again', async (status, body) => {
		sandbox.fault({ on: COMMIT, status, body });
		const paymentData = cart();
		const run = await commit({ paymentData });
		expect(run.error?.message).toMatch(/No such|declined|Not /);
		expect(run.error?.description).toMatch(
			[400, 402, 422].includes(status)
				? /^Nothing was charged; it may be tried again, also with another payment method\.$/
				: /^Nothing was charged\. Check the /,
		);
		expect(words(run)).not.toMatch(/not known/);
		expect(seen()).toMatchObject({ commits: 1, charges: 0 });
		expect(output(await commit({ paymentData }))).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('another card can be tried in the same run after a declined one', async () => {
		const card = { details: { ...CARD, cardToken: '={{ $json.token }}' } };
		const items = [{ token: 'tok_declined' }, { token: CARD.cardToken }, { token: CARD.cardToken }];
		const settings = { onError: 'continueRegularOutput' as const };
		const run = await commit({ paymentData: cart(), card }, { items, settings });
		expect(run.items).toMatchObject([
			{ error: 'Card declined' },
			{ charged: true },
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('a connection that is refused has charged nothing, and it can be sent again', async () => {
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

	test('an execution that is cancelled between two items charges no more of them', async () => {
		const stop = new AbortController();
		const isSecond = () => sandbox.requestsTo(COMMIT).length === 1;
		sandbox.fault({ on: 'computeTokenizedCheckout', when: isSecond, run: () => stop.abort() });
		const items = ['A', 'B', 'C'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		const run = await commit({ paymentData: '={{ $json.cart }}' }, { items, signal: stop.signal });
		expect(run.status).not.toBe('success');
		expect(sandbox.charges.map(({ referenceID }) => referenceID)).toEqual(['A']);
		expect(seen()).toMatchObject({ commits: 1 });
	});

	test('a charge that is cancelled under way is not sent again', async () => {
		const stop = new AbortController();
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		const abort = () => setImmediate(() => stop.abort());
		sandbox.fault({ on: COMMIT, delay: Infinity, run: abort });
		const paymentData = cart();
		const settings = { retryOnFail: true, maxTries: 3 };
		const run = await commit({ paymentData }, { signal: stop.signal, settings });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
		expect((await commit({ paymentData })).error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});
});
