import type { RunOptions } from '../../engine';
import { engine, output, withDeduplicationStore } from '../../engine';
import { foundIn } from '../../reliability/secrets';
import {
	CARD,
	COMMIT,
	REFERENCE,
	UNKNOWN,
	nothingCharged,
	nothingSent,
	once,
	useCharges,
	words,
} from './charges';

/**
 * The same charge again while no event shows it: in one run, in a loop, at once, by Retry On Fail, by
 * another execution, node or workflow, after a restart and by another worker. It is made once.
 */

const { sandbox, credentials, commit, cart, seen } = useCharges();

beforeEach(() => (sandbox.settings.eventLag = Infinity));

const lose = () => sandbox.fault({ on: COMMIT, drop: 'after' });
const CHARGING = new RegExp(
	`^Another execution is charging the reference "${REFERENCE}" just now, so this one did not. Do not send it again; use Payment → Get Status`,
);
const retry = { retryOnFail: true, maxTries: 3 };
const goOn = { onError: 'continueRegularOutput' as const };

describe('in one process', () => {
	test.each<[string, Partial<RunOptions>]>([
		['in one run', {}],
		['in batches of a loop', { batches: 3 }],
	])('a cart is charged once %s, and so are carts of one reference', async (_, how) => {
		const one = cart();
		const items = [one, one, cart()].map((paymentData) => ({ cart: paymentData }));
		const rows = output(await commit({ paymentData: '={{ $json.cart }}' }, { items, ...how }));
		const { transactionID } = sandbox.charges[0] ?? {};
		const paid = { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID', transactionID };
		expect(rows).toMatchObject([{ charged: true, transactionID }, paid, paid]);
		expect(seen()).toEqual(once);
	});

	test('both totals are named where they differ', async () => {
		const dynamicData = { tip: { details: { amount: '={{ $json.tip }}', type: 'fixed' } } };
		const items = [{ tip: 1 }, { tip: 3 }, { tip: 1 }];
		const run = await commit({ paymentData: cart(), dynamicData }, { items, settings: goOn });
		expect(run.items).toMatchObject([
			{ charged: true, amount: 26 },
			{ error: expect.stringMatching(/Nothing more was charged.*\$26\.00.*\$28\.00.*\[item 1\]/) },
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('of four executions at once, one charges and the others know', async () => {
		const shared = cart();
		const runs = [shared, shared, cart(), cart()].map(
			async (paymentData) => await commit({ paymentData }),
		);
		const rows = (await Promise.all(runs)).flatMap(output);
		expect(rows.filter(({ charged }) => charged === true)).toHaveLength(1);
		expect(rows.filter(({ status }) => status === 'ALREADY_PAID')).toHaveLength(3);
		expect(new Set(rows.map(({ transactionID }) => transactionID)).size).toBe(1);
		expect(seen()).toEqual(once);
	});

	test('so it is where the service computes another reference each time', async () => {
		const paymentData = cart();
		let times = 0;
		const answer = (computed: unknown) => ({ ...Object(computed), referenceID: `R${++times}` });
		sandbox.fault({ on: 'computeTokenizedCheckout', times: Infinity, answer });
		const runs = [1, 2, 3].map(async () => await commit({ paymentData }));
		const rows = (await Promise.all(runs)).flatMap(output);
		expect(new Set(rows.map(({ transactionID }) => transactionID)).size).toBe(1);
		expect(seen()).toEqual(once);
	});

	test('of two at once, the second knows that the answer was lost, or charges after a refusal', async () => {
		const paymentData = cart();
		lose();
		const lost = await Promise.all([commit({ paymentData }), commit({ paymentData })]);
		for (const run of lost) expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
		const refused = cart({ referenceID: 'OTHER' });
		sandbox.fault({ on: COMMIT, status: 402 });
		const both = [commit({ paymentData: refused }), commit({ paymentData: refused })];
		const items = (await Promise.all(both)).flatMap((run) => run.items);
		expect(items).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 3, charges: 2 });
	});

	test('charges of other references wait for none', async () => {
		sandbox.fault({ on: COMMIT, delay: 300 });
		const over: string[] = [];
		const charge = async (referenceID: string) => {
			output(await commit({ paymentData: cart({ referenceID }) }));
			over.push(referenceID);
		};
		await Promise.all(['A', 'B'].map(charge));
		expect(over).toEqual(sandbox.charges.map(({ referenceID }) => referenceID).reverse());
	});

	const elsewhere = [
		['another execution', {}],
		['another node', { settings: { name: 'Charge Again', id: 'node-2' } }],
		['another workflow', { workflow: { id: 'workflow-2' } }],
	] as const;

	test.each(elsewhere)('%s does not send what was sent, and is told of it', async (_, how) => {
		lose();
		const paymentData = cart();
		expect((await commit({ paymentData })).error?.message).toMatch(UNKNOWN);
		for (const again of [paymentData, cart()]) {
			expect((await commit({ paymentData: again }, how)).error?.message).toMatch(UNKNOWN);
		}
		const other = () => cart({ referenceID: 'OTHER' });
		const [first] = output(await commit({ paymentData: other() }));
		expect(output(await commit({ paymentData: other() }, how))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID', transactionID: first?.transactionID },
		]);
		expect(seen()).toMatchObject({ commits: 2, charges: 2 });
	});

	test('a failed lookup does not hide what was sent, nor a failure that shows prove anything', async () => {
		lose();
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		sandbox.fault({ on: 'webhookEvents', status: 500, times: 6 });
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		sandbox.clearFaults();
		sandbox.addEvent({ type: 'payment_failed', referenceID: REFERENCE });
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('a clock that is put right by days changes nothing', async () => {
		lose();
		const paymentData = cart();
		expect((await commit({ paymentData })).error?.message).toMatch(UNKNOWN);
		const now = Date.now.bind(Date);
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 4 * 86_400_000);
		const again = await commit({ paymentData });
		clock.mockRestore();
		expect(again.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('another merchant charges its own', async () => {
		sandbox.fault({ on: COMMIT, drop: 'before' });
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		const { groupID, privateToken } = sandbox.otherCredentials;
		const other = { credentials: credentials({ groupId: groupID, privateToken }) };
		expect(output(await commit({ paymentData: cart() }, other))).toMatchObject([{ charged: true }]);
	});

	test('what was charged is told when its cart is gone, and what was not is not charged', async () => {
		const paymentData = cart();
		const [{ transactionID } = {}] = output(await commit({ paymentData }));
		sandbox.fault({ on: 'computeTokenizedCheckout', status: 404, times: Infinity });
		const told = { charged: false, status: 'ALREADY_PAID', transactionID, referenceID: REFERENCE };
		expect(output(await commit({ paymentData }))).toMatchObject([told]);
		sandbox.settings.eventLag = 0;
		expect(output(await commit({ paymentData }))).toMatchObject([told]);
		const run = await commit({ paymentData: cart() });
		expect(run.error?.description).toContain("Check 'Payment Data'");
		expect(seen()).toEqual(once);
	});
});

describe('where repeats are allowed', () => {
	const options = { allowRepeatCharge: true };

	test('each item of each run and batch is charged, once', async () => {
		output(await commit({ paymentData: cart(), options }, { items: [{}, {}] }));
		output(await commit({ paymentData: cart(), options }, { items: [{}, {}], batches: 2 }));
		expect(seen()).toMatchObject({ commits: 4, charges: 4 });
		expect(sandbox.requestsTo('webhookEvents')).toEqual([]);
	});

	test('others that may not repeat know of it, also without a reference', async () => {
		for (const referenceID of [REFERENCE, '']) {
			lose();
			const paymentData = cart({ referenceID });
			for (const more of [{ options }, {}]) {
				const run = await commit({ paymentData, ...more });
				expect(run.error?.message).toMatch(/not known whether this payment was charged/);
			}
			// One without a reference is not taken for another without one.
			output(await commit({ paymentData: cart({ referenceID }), options }));
		}
		expect(seen()).toMatchObject({ commits: 4, charges: 4 });
	});

	test('no expression allows them, nor one for all options', async () => {
		const items = [{}, {}];
		const written = { allowRepeatCharge: '={{ true }}' };
		const run = await commit({ paymentData: cart(), options: written }, { items });
		expect(run.error?.message).toMatch(/['"]Allow Repeat Charge['"] must be true or false/);
		expect(seen()).toEqual(nothingSent);
		const whole = '={{ ({ allowRepeatCharge: true }) }}';
		output(await commit({ paymentData: cart(), options: whole }, { items }));
		expect(seen()).toEqual(once);
	});
});

describe('Retry On Fail', () => {
	const items = () =>
		['A', 'B', 'C']
			.map((referenceID) => ({ cart: cart({ referenceID }) }))
			.concat({ cart: 'none' });
	const paymentData = '={{ $json.cart }}';

	test.each([{}, { options: { allowRepeatCharge: true } }])(
		'charges no item again when another fails (%j)',
		async (parameters) => {
			const settings = retry;
			const run = await commit({ paymentData, ...parameters }, { items: items(), settings });
			expect(run.error?.message).toContain('cannot be decrypted');
			expect(sandbox.charges.map(({ referenceID }) => referenceID)).toEqual(['A', 'B', 'C']);
			expect(seen()).toMatchObject({ commits: 3 });
		},
	);

	test.each([Infinity, 0])('gives each item its own result back (lag %d)', async (eventLag) => {
		sandbox.settings.eventLag = eventLag;
		// n8n looks at the first item alone to see whether to try again.
		const settings = { ...retry, ...goOn };
		const run = await commit({ paymentData }, { items: items().reverse(), settings });
		const own = (referenceID: string) => ({
			charged: true,
			outcome: 'charged',
			amount: 25,
			status: 'CAPTURED',
			referenceID,
			transactionID: sandbox.charges.find((each) => each.referenceID === referenceID)
				?.transactionID,
		});
		expect(run.items).toMatchObject([
			{ error: expect.stringContaining('cannot be decrypted') },
			own('C'),
			own('B'),
			own('A'),
		]);
		expect(seen()).toMatchObject({ commits: 3, charges: 3 });
	});

	test('finds out what became of a charge whose answer was lost', async () => {
		sandbox.settings.eventLag = 0;
		lose();
		const run = await commit({ paymentData: cart() }, { settings: retry });
		const { transactionID } = sandbox.charges[0] ?? {};
		expect(output(run)).toMatchObject([{ status: 'ALREADY_PAID', transactionID }]);
		expect(seen()).toEqual(once);
	});

	test.each([{}, { options: { allowRepeatCharge: true } }])(
		'says what is known when its answer was lost and the cart is gone (%j)',
		async (parameters) => {
			lose();
			sandbox.fault({ on: 'computeTokenizedCheckout', after: 1, status: 404, times: Infinity });
			const run = await commit({ paymentData: cart(), ...parameters }, { settings: retry });
			expect(run.error?.message).toMatch(UNKNOWN);
			expect(seen()).toEqual(once);
		},
	);
});

describe("with n8n's store", () => {
	const MINUTES = 60_000;
	/** The names of claims go by the clock of the machine. */
	const later = async <T>(ms: number, run: () => Promise<T>): Promise<T> => {
		const now = Date.now.bind(Date);
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
		return await run().finally(() => clock.mockRestore());
	};

	test('holds hashes alone, and nothing is kept with the execution', async () => {
		const store = await withDeduplicationStore();
		const paymentData = cart();
		const run = await commit({ paymentData });
		const kept = JSON.stringify([run.run.data.executionData?.contextData, [...store.rows]]);
		expect(kept).toContain('node-paymentsGateway');
		const { cardToken, cvc, expiryDate } = CARD;
		const { privateToken } = sandbox.credentials;
		const secrets = [paymentData, REFERENCE, cardToken, expiryDate, JSON.stringify(cvc)];
		expect(foundIn(kept, [...secrets, privateToken])).toEqual([]);
	});

	test('a restart sends nothing again: it is under way, then sent, and after three days free', async () => {
		await withDeduplicationStore();
		lose();
		expect((await commit({ paymentData: cart() })).error?.message).toMatch(UNKNOWN);
		const after = async (ms: number) => {
			engine.restart();
			return await later(ms, async () => await commit({ paymentData: cart() }));
		};
		expect((await after(0)).error?.message).toMatch(CHARGING);
		expect((await after(2 * MINUTES)).error?.message).toMatch(UNKNOWN);
		expect((await after(3 * 24 * 60 * MINUTES)).error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
		sandbox.settings.eventLag = 0;
		expect(output(await after(2 * MINUTES))).toMatchObject([{ status: 'ALREADY_PAID' }]);
		expect(seen()).toEqual(once);
	});

	test('what another worker has just charged is paid once the events show it', async () => {
		const store = await withDeduplicationStore();
		output(await commit({ paymentData: cart() }));
		engine.restart();
		// They show it between the look-up and the refusal of the store.
		let accesses = 0;
		store.step = () => {
			if (++accesses > 3) sandbox.settings.eventLag = 0;
		};
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID', referenceID: REFERENCE },
		]);
		expect(seen()).toEqual(once);
	});

	test.each([1, 2, 3, 4, 5])('access number %d that fails lets no charge through', async (nth) => {
		const store = await withDeduplicationStore();
		let accesses = 0;
		store.step = (at) => {
			if (at === 'read' && ++accesses === nth) throw new Error('Away');
		};
		const first = await commit({ paymentData: cart() });
		expect(first.error === undefined).toBe(nth > 4);
		if (first.error) {
			expect(words(first)).toMatch(/^Nothing was charged: n8n's database failed.*Run this again/s);
			expect(first.error.message.includes('for three days it may count as sent')).toBe(nth > 2);
			expect(seen()).toEqual(nothingCharged);
		}
		delete store.step;
		// What fails as it is decided stays blocked: see the tests of the claims.
		if (nth === 4) return;
		output(await later(2 * MINUTES, async () => await commit({ paymentData: cart() })));
		expect(seen()).toEqual(once);
	});

	test('a store that stays away stops every charge, but not what is paid', async () => {
		const store = await withDeduplicationStore();
		store.failure = new Error('The database is away');
		for (let times = 0; times < 2; times++) {
			const run = await commit({ paymentData: cart() });
			expect(run.error?.message).toMatch(/^Nothing was charged: n8n's database failed/);
		}
		sandbox.addEvent({ referenceID: REFERENCE });
		sandbox.settings.eventLag = 0;
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a workflow that was never saved has no store, and charges', async () => {
		const store = await withDeduplicationStore();
		store.failure = new Error('SQLITE_CONSTRAINT: FOREIGN KEY constraint failed');
		output(await commit({ paymentData: cart() }));
		output(await commit({ paymentData: cart({ referenceID: 'OTHER' }) }, { workflow: { id: '' } }));
		expect(sandbox.charges).toHaveLength(2);
	});

	test('ten carts at once, all answers lost, all of it again: each is sent once', async () => {
		await withDeduplicationStore();
		sandbox.fault({ on: COMMIT, drop: 'after', times: Infinity });
		const carts = Array.from({ length: 10 }, (_, index) => cart({ referenceID: `ORDER-${index}` }));
		for (let delivery = 0; delivery < 3; delivery++) {
			// The last time n8n has been started anew, so that only the store is left.
			if (delivery === 2) engine.restart();
			const runs = await Promise.all(
				carts.map(async (paymentData) => await commit({ paymentData })),
			);
			for (const run of runs) {
				expect(run.error?.message).toMatch(/not known whether|^Another execution is charging/);
			}
			expect(seen()).toMatchObject({ commits: 10, charges: 10 });
		}
	});
});
