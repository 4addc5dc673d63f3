import { engine, log, output, withDeduplicationStore } from '../../engine';
import { foundIn } from '../../reliability/secrets';
import type { Fault } from '../../sandbox';
import {
	COMMIT,
	REFERENCE,
	CARD,
	UNKNOWN,
	nothingCharged,
	once,
	words,
	useCharges,
} from './charges';

/** What a charge leaves behind, in the execution, in the store and in logs, and what that is good for. */

const { sandbox, credentials, commit, cart, paid, seen } = useCharges();

describe('6. what is kept', () => {
	/** The code in quotes, as any hash may hold three digits. */
	const secrets = (paymentData: string) => {
		const { cardToken, cvc, expiryDate } = CARD;
		return [paymentData, REFERENCE, cardToken, expiryDate, JSON.stringify(cvc)];
	};

	test('is hashes, in the contexts and in the store', async () => {
		const store = await withDeduplicationStore();
		const paymentData = cart();
		for (const options of [{}, { allowRepeatCharge: true }]) {
			const run = await commit({ paymentData, options });
			const { contextData } = run.run.data.executionData ?? {};
			const kept = JSON.stringify([contextData, [...store.rows]]);
			// Of the cart and of its reference.
			expect(Object.keys(contextData?.['node:Payments Gateway'] ?? {})).toHaveLength(2);
			const { privateToken } = sandbox.credentials;
			expect(foundIn(kept, [...secrets(paymentData), privateToken])).toEqual([]);
		}
	});

	test('never are details of a card, be it in results, errors or logs', async () => {
		const paymentData = cart();
		const { cardToken, cvc } = CARD;
		const echo = { status: 422, body: { message: `Bad card ${cardToken}, code ${cvc}` } };
		sandbox.fault({ on: COMMIT, ...echo });
		const run = await commit({ paymentData });
		const told = `${words(run)} ${JSON.stringify(run.error)} ${log.lines.join('\n')}`;
		expect(told).toContain('Bad card');
		expect(foundIn(told, [cardToken])).toEqual([]);
		expect(foundIn(words(run), [cvc])).toEqual([]);
	});

	test.each(['INV 987', '987', 'INV/987/2026'])(
		'never is a reference taken for a security code (%s)',
		async (referenceID) => {
			const run = await commit({ paymentData: cart({ referenceID }) });
			expect(output(run)).toMatchObject([{ charged: true, referenceID }]);
			sandbox.fault({ on: COMMIT, status: 500, body: `Code ${CARD.cvc} is wrong` });
			const lost = await commit({ paymentData: cart({ referenceID: `${referenceID} b` }) });
			expect(lost.error?.message).toContain(`with the reference "${referenceID} b"`);
			expect(lost.error?.message).toContain('Code •••• is wrong');
		},
	);

	test('the store carries it into later executions', async () => {
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		output(await commit({ paymentData: cart() }));
		engine.restart();
		const later = await commit({ paymentData: cart() });
		expect(later.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
		sandbox.settings.eventLag = 0;
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('what another worker has just charged is told as paid once the events show it', async () => {
		const store = await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		output(await commit({ paymentData: cart() }));
		engine.restart();
		// They show it between the look-up and the refusal of the store.
		store.step = () => {
			sandbox.settings.eventLag = 0;
		};
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID', referenceID: REFERENCE },
		]);
		expect(seen()).toEqual(once);
	});

	test.each([
		['is still paid', false, { status: 'ALREADY_PAID' }],
		['was refunded', true, { charged: true }],
	])('what was sent before the look-back and %s is found by a longer one', async (...given) => {
		const [, isRefunded, found] = given;
		await withDeduplicationStore();
		sandbox.settings.ignoreSearch = true;
		const day = 86_400_000;
		sandbox.clock.set(new Date(Date.now() - 40 * day));
		const [first] = output(await commit({ paymentData: cart() }));
		if (isRefunded) sandbox.refund(String(first?.transactionID));
		sandbox.clock.useReal();
		sandbox.addEvents(400, (index) => ({
			date: new Date(Date.now() - 39 * day + index * 60_000).toISOString(),
		}));
		sandbox.addEvents(2);
		engine.restart();
		const again = await commit({ paymentData: cart() });
		expect(again.error?.message).toMatch(UNKNOWN);
		expect(again.error?.message).toContain('more than 30 "Look Back (Days)"');
		expect(again.error?.description).toContain('set Look Back (Days) higher here too');
		expect(sandbox.charges).toHaveLength(1);
		const options = { lookBackDays: 60 };
		expect(output(await commit({ paymentData: cart(), options }))).toMatchObject([found]);
	});

	test('the store forgets what was plainly refused', async () => {
		await withDeduplicationStore();
		sandbox.fault({ on: COMMIT, status: 402 });
		expect((await commit({ paymentData: cart() })).error).toBeDefined();
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	test('the store lets a refunded payment be made anew, once', async () => {
		await withDeduplicationStore();
		output(await commit({ paymentData: cart() }));
		sandbox.refund(sandbox.charges[0]?.transactionID ?? '');
		sandbox.settings.eventLag = 0;
		output(await commit({ paymentData: cart() }));
		// The second payment lags behind, and a repetition of the first event is no new payment.
		const [, , second] = sandbox.events;
		sandbox.removeEvent(second?.eventID ?? '');
		paid({ transactionID: sandbox.charges[0]?.transactionID ?? '' });
		const third = await commit({ paymentData: cart() });
		expect(output(third)).toMatchObject([{ status: 'ALREADY_PAID' }]);
		engine.restart();
		const fourth = await commit({ paymentData: cart() });
		expect(fourth.error?.message).toMatch(UNKNOWN);
		expect(sandbox.charges).toHaveLength(2);
	});

	test.each([1, 2, 3, 4, 5, 6, 7, 8])(
		'a store whose access number %d fails lets no charge through, and blocks none for good',
		async (nth) => {
			const store = await withDeduplicationStore();
			sandbox.settings.eventLag = Infinity;
			let accesses = 0;
			// Twice: a first row that collides is tried again.
			store.step = (at) => {
				if (at !== 'written' && [nth, nth + 1].includes(++accesses)) throw new Error('Away');
			};
			const first = await commit({ paymentData: cart() });
			if (first.error) {
				expect(words(first)).toMatch(
					/^Nothing was charged: n8n's database failed.*Run this again/s,
				);
				expect(seen()).toEqual(nothingCharged);
			}
			delete store.step;
			const second = output(await commit({ paymentData: cart() }));
			expect(second).toMatchObject([first.error ? { charged: true } : { status: 'ALREADY_PAID' }]);
			engine.restart();
			expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
			expect(seen()).toEqual(once);
		},
	);

	test('a store that stays away stops every charge before it is sent', async () => {
		const store = await withDeduplicationStore();
		store.failure = new Error('The database is away');
		for (let times = 0; times < 2; times++) {
			const run = await commit({ paymentData: cart() });
			expect(run.error?.message).toMatch(/^Nothing was charged: n8n's database failed/);
		}
		expect(seen()).toEqual(nothingCharged);
	});

	test('a workflow that was never saved has no store, and charges', async () => {
		const store = await withDeduplicationStore();
		store.failure = new Error('SQLITE_CONSTRAINT: FOREIGN KEY constraint failed');
		output(await commit({ paymentData: cart() }));
		output(await commit({ paymentData: cart({ referenceID: 'OTHER' }) }, { workflow: { id: '' } }));
		expect(sandbox.charges).toHaveLength(2);
	});

	test('two workers whose first rows collide: the one that failed finds it, and charges once', async () => {
		const store = await withDeduplicationStore();
		let collisions = 1;
		// The other worker has written the row for another cart in between.
		store.step = (at) => {
			if (at !== 'write' || collisions-- <= 0) return;
			store.rows.set('workflow-1 n:node-paymentsGateway', ['other']);
		};
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
		expect(seen()).toEqual(once);
	});

	test('ten carts at once, all answers lost, all of it again while events lag: each once', async () => {
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		sandbox.fault({ on: COMMIT, drop: 'after', times: Infinity });
		const carts = Array.from({ length: 10 }, (_, index) => cart({ referenceID: `ORDER-${index}` }));
		const deliver = async () =>
			await Promise.all(
				carts.map(async (paymentData, index) => {
					return await commit({ paymentData }, { executionId: `execution-${index}` });
				}),
			);
		for (let delivery = 0; delivery < 3; delivery++) {
			// The last time n8n has been started anew, so that only the store is left.
			if (delivery === 2) engine.restart();
			for (const run of await deliver()) {
				expect(run.error?.message).toMatch(/not known whether this payment was charged/);
			}
			expect(seen()).toMatchObject({ commits: 10, charges: 10 });
		}
	});
});

describe('6. what this process remembers, without any store', () => {
	const lose = () => {
		sandbox.settings.eventLag = Infinity;
		sandbox.fault({ on: COMMIT, drop: 'after' });
	};
	const elsewhere = [
		['another execution', {}],
		['another node', { settings: { name: 'Charge Again', id: 'node-2' } }],
		['another workflow', { workflow: { id: 'workflow-2' } }],
	] as const;

	test.each(elsewhere)('%s does not send what was sent', async (_, how) => {
		lose();
		const paymentData = cart();
		expect((await commit({ paymentData })).error?.message).toMatch(UNKNOWN);
		for (const again of [paymentData, cart()]) {
			const run = await commit({ paymentData: again }, { ...how, executionId: 'execution-2' });
			expect(run.error?.message).toMatch(UNKNOWN);
		}
		expect(seen()).toEqual(once);
	});

	test.each(elsewhere)('%s is told of what went through', async (_, how) => {
		sandbox.settings.eventLag = Infinity;
		const [first] = output(await commit({ paymentData: cart() }));
		const rows = output(await commit({ paymentData: cart() }, how));
		expect(rows).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID', transactionID: first?.transactionID },
		]);
		const other = await commit({ paymentData: cart({ amount: 100 }) }, how);
		expect(other.error?.message).toMatch(/Nothing more was charged: 2500 cents.*costs 100 cents/);
		expect(seen()).toEqual(once);
	});

	test('a charge that may be repeated keeps others that may not from being made', async () => {
		lose();
		const options = { allowRepeatCharge: true };
		expect((await commit({ paymentData: cart(), options })).error?.message).toMatch(UNKNOWN);
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('is given up once the events show it, so that what was refunded is charged anew', async () => {
		lose();
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		sandbox.settings.eventLag = 0;
		sandbox.refund(sandbox.charges[0]?.transactionID ?? '');
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
		expect(sandbox.charges).toHaveLength(2);
	});

	test('is what it was when the clock of the machine is put right by days', async () => {
		lose();
		const paymentData = cart();
		expect((await commit({ paymentData })).error?.message).toMatch(UNKNOWN);
		const now = Date.now.bind(Date);
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 4 * 86_400_000);
		const again = await commit({ paymentData }, { executionId: 'execution-2' });
		clock.mockRestore();
		expect(again.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('is of one merchant', async () => {
		sandbox.fault({ on: COMMIT, drop: 'before' });
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		const { groupID, privateToken } = sandbox.otherCredentials;
		const run = await commit(
			{ paymentData: cart() },
			{ credentials: credentials({ groupId: groupID, privateToken }) },
		);
		expect(output(run)).toMatchObject([{ charged: true }]);
	});
});

describe.each<[string, Fault]>([
	[
		'is declined with a good status',
		{ body: { transactionID: 'txn_declined', status: 'DECLINED' } },
	],
	[
		'is perhaps declined, by an error that names it',
		{ status: 402, body: { error: 'Too slow', data: { transactionID: 'txn_declined' } } },
	],
	['has no status', { body: { transactionID: 'txn_declined' } }],
])('6. a charge that %s', (_, fault) => {
	const decline = (run = () => {}) => sandbox.fault({ on: COMMIT, run, ...fault });
	const failed = (transactionID: string) =>
		sandbox.addEvent({ type: 'payment_failed', referenceID: REFERENCE, transactionID });

	test.each([
		['without a store', false, false],
		['with a store', true, false],
		['by another worker', true, true],
	])('may be tried again once the events say that it failed, %s', async (...given) => {
		const [, hasStore, isOther] = given;
		if (hasStore) await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		decline();
		const again = async () => {
			if (isOther) engine.restart();
			sandbox.settings.chargeOutcome = 'paid';
			return await commit({ paymentData: cart() });
		};
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		// Neither while nothing shows, nor when something else has failed.
		if (!isOther || hasStore) expect((await again()).error?.message).toMatch(UNKNOWN);
		failed('txn_other');
		expect((await again()).error?.message).toMatch(UNKNOWN);
		expect(seen()).toMatchObject({ commits: 1, charges: 0 });
		failed('txn_declined');
		expect(output(await again())).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
		// And it ends there.
		const [last] = (await again()).items;
		expect([undefined, 'ALREADY_PAID']).toContain(last?.status);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('is tried again in the same run', async () => {
		decline(() => void failed('txn_declined'));
		sandbox.settings.eventLag = Infinity;
		const settings = { onError: 'continueRegularOutput' as const };
		const run = await commit({ paymentData: cart() }, { items: [{}, {}, {}], settings });
		expect(run.items).toMatchObject([
			{ error: expect.stringMatching(UNKNOWN) },
			{ charged: true },
			{ status: 'ALREADY_PAID' },
		]);
	});
});
