import type { Poller } from '../engine';
import { log } from '../engine';
import type { Fault } from '../sandbox';
import { HOUR, MINUTE, SECOND } from './durations';
import { expectOnce, fired, ids, kept, useTrigger } from './useTrigger';

const { sandbox, poller, add, pass, requestsOf, drain, active } = useTrigger();

test.each(['default', 'durable', 'scheduled'] as const)(
	'costs one request for ten rows while idle, by date, newest first, and changes nothing (%s engine)',
	async (engine) => {
		add(500);
		const trigger = await active({ engine });
		await trigger.poll();
		const before = kept(trigger);
		expect(before).not.toContain(sandbox.credentials.privateToken);
		for (let polls = 0; polls < 3; polls++) {
			pass();
			expect(await requestsOf(async () => await trigger.poll())).toBe(1);
			expect(sandbox.requestsTo('webhookEvents').at(-1)?.body.data.page).toEqual({
				page: 1,
				pageSize: 10,
				sort: { field: 'date', order: 'desc' },
			});
		}
		expect(kept(trigger)).toBe(before);
		expect(trigger.isUnstored).toBe(false);
		expect(log.lines.join()).not.toContain('warn');
	},
);

test('changes nothing while there is no event at all', async () => {
	const trigger = await active();
	const before = kept(trigger);
	pass();
	expect(await requestsOf(async () => await trigger.poll())).toBe(1);
	expect(kept(trigger)).toBe(before);
});

test('after an empty first answer fires what comes, and what came just before', async () => {
	add(500, MINUTE);
	pass(2 * MINUTE);
	const made = add(1);
	pass(9 * MINUTE);
	sandbox.fault({ body: { data: [], page: { total: 0, page: 1, pageSize: 100 } } });
	const trigger = await active();
	made.push(...add(1));
	await drain(trigger);
	expectOnce(trigger, made);
});

describe('when the gateway fails', () => {
	test.each<[Fault, string, string]>([
		[{ after: 2, status: 503, body: { message: 'under repair' } }, '503', 'under repair'],
		[{ status: 404 }, '404', ''],
		[{ status: 200, body: { error: 'later' } }, '200', 'later'],
	])(
		'throws what lasts, without a pause, and changes nothing: %j',
		async (fault, httpCode, words) => {
			add(150);
			const trigger = await active();
			const before = kept(trigger);
			const fresh = add(250, 10);
			sandbox.fault({ ...fault, times: Infinity });
			for (let polls = 0; polls < 2; polls++) {
				await expect(trigger.poll()).rejects.toMatchObject({
					message: expect.stringContaining(words),
					httpCode,
					failure: { cause: 'temporarily-unavailable' },
				});
			}
			expect(kept(trigger)).toBe(before);
			sandbox.clearFaults();
			expect(ids(await trigger.poll())).toEqual(fresh);
		},
	);

	test.each([
		[429, 600, 'rate-limited'],
		[503, 90, 'temporarily-unavailable'],
	])('%i with Retry-After %i: says what n8n backs off by', async (status, seconds, cause) => {
		add(150);
		const trigger = await active();
		sandbox.fault({ status, headers: { 'Retry-After': String(seconds) }, times: Infinity });
		await expect(trigger.poll()).rejects.toMatchObject({
			httpCode: String(status),
			failure: { cause, retryAfterMs: seconds * 1000 },
		});
	});

	test('is not paused by a credential that is refused once, but by one that is refused again', async () => {
		add(150);
		const trigger = await active({ engine: 'durable' });
		sandbox.fault({ status: 500, times: 3 });
		await expect(trigger.poll()).rejects.toMatchObject({ httpCode: '500' });
		for (const cause of ['temporarily-unavailable', 'credential-invalid']) {
			sandbox.fault({ status: 401, body: { error: 'unknown token' } });
			await expect(trigger.poll()).rejects.toMatchObject({
				message:
					"The gateway refused the 'Private Token' or 'Group ID' of the credential: unknown token",
				httpCode: '401',
				failure: { cause },
			});
		}
		const fresh = add(1);
		expect(ids(await trigger.poll())).toEqual(fresh);
		sandbox.fault({ status: 403 });
		await expect(trigger.poll()).rejects.toMatchObject({
			message: expect.stringContaining("refused the 'Private Token'"),
			failure: { cause: 'temporarily-unavailable' },
		});
	});

	test('ends within its budget when an answer does not end, and polls again', async () => {
		add(150);
		const trigger = await active({ budgetMs: 1_000 });
		const fresh = add(3);
		sandbox.fault({ drip: 'body' });
		await expect(trigger.poll()).rejects.toThrow(/did not answer/);
		expect(ids(await trigger.poll())).toEqual(fresh);
	});

	test('fires nothing from a poll that was given up, and that another one has followed', async () => {
		add(150);
		const trigger = await active();
		const made = add(2);
		let gone = 0;
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => Date.now() + gone);
		let second: Promise<unknown> = Promise.resolve();
		sandbox.fault({
			run: () => {
				if (gone > 0) return;
				gone = HOUR;
				second = trigger.poll();
			},
		});
		await trigger.poll();
		await second;
		clock.mockRestore();
		expectOnce(trigger, made);
	});
});

describe('what n8n does around it', () => {
	test('starts nothing anew when the workflow is published again or was off for three days', async () => {
		add(150);
		const trigger = await active();
		const fresh = add(2);
		await trigger.poll();
		trigger.deactivate();
		pass(72 * HOUR);
		fresh.push(...add(30));
		expect(ids(await trigger.activate('update'))).toEqual(fresh.slice(2));
	});

	test.each(['default', 'durable', 'scheduled'] as const)(
		'fires once when polls overlap (%s engine)',
		async (kind) => {
			add(150);
			const trigger = await active({ engine: kind });
			await trigger.poll();
			const fresh = add(250, 10);
			sandbox.settings.latency = 30;
			await Promise.all([trigger.poll(), trigger.poll(), trigger.poll()]);
			await drain(trigger);
			expect(fired(trigger)).toEqual(fresh);
		},
	);

	describe('with a durable cursor from before what was handed over last', () => {
		let trigger: Poller;
		let handedOver: string[];
		let copy: Poller['state'];
		let stored: Poller['state'];

		beforeEach(async () => {
			add(5);
			trigger = await active({ engine: 'durable', budgetMs: 48_000 });
			add(1);
			await trigger.poll();
			copy = trigger.state;
			pass();
			handedOver = add(2);
			expect(ids(await trigger.poll())).toEqual(handedOver);
			stored = trigger.state;
			trigger.setState(copy);
		});

		test.each([true, false])(
			'holds polls back for the minute in which n8n may be storing it (it was stored: %s)',
			async (isStored) => {
				// Scheduled polls, and that of an activation, as after a restart.
				for (let behind = 1; behind <= 4; behind++) {
					expect(await requestsOf(async () => await trigger.poll())).toBe(0);
					trigger.setState(copy);
				}
				if (isStored) trigger.setState(stored);
				pass();
				const fresh = add(1);
				expect(ids(await trigger.poll())).toEqual(isStored ? fresh : [...handedOver, ...fresh]);
			},
		);

		test('fires again what died with n8n before it was stored', async () => {
			await trigger.restart();
			expect(ids(await trigger.poll())).toEqual(handedOver);
		});
	});

	test('works where n8n gives no budget', async () => {
		const trigger = await active({ withoutBudget: true });
		const fresh = add(3);
		expect(ids(await trigger.poll())).toEqual(fresh);
	});

	test('starts anew, and says so, on a broken state', async () => {
		add(150);
		const trigger = poller({ engine: 'durable', staticData: { cursor: { v: 1 } } });
		expect(await trigger.activate()).toBeNull();
		expect(log.lines.some((line) => /^warn .*cannot be read/.test(line))).toBe(true);
	});
});

describe('what the user chooses', () => {
	test('neither repeats nor loses anything when the types are widened', async () => {
		add(150);
		const trigger = await active({ form: { events: ['payment_refund'] } });
		add(3_000, 10);
		const [refund] = add(1, 0, { type: 'payment_refund' });
		await drain(trigger);
		expect(fired(trigger)).toEqual([refund]);
		trigger.edit({ events: ['payment_refund', 'payment_success'] });
		await trigger.activate('update');
		const fresh = add(2, 10);
		await drain(trigger);
		expect(fired(trigger)).toEqual([refund, ...fresh]);
	});

	test.each([
		['* payment_refund payment_success', [[0], [1], [2, 3]]],
		['* payment_refund payment_failed payment_success', [[0], [2], [1], [3]]],
	])('sends each event to one output, in a fixed order: %s', async (events, wanted) => {
		const form = { outputMode: 'perEvent', events: events.split(' ') };
		const trigger = await active({ form });
		const types = ['payment_success', 'payment.refund', 'payment_failed', 'dispute_opened'];
		const sent = types.map((type) => {
			pass(SECOND);
			return sandbox.addEvent({ type }).eventID;
		});
		const polled = await trigger.poll();
		expect(polled?.map((items) => ids([items]))).toEqual(
			wanted.map((output) => output.map((index) => sent[index])),
		);
	});

	test.each([
		['no older than that', { options: { skipOlderThanHours: 2 } }, [1, 2, 3]],
		['of any age', { options: { skipOlderThanHours: 0 } }, [0, 1, 2, 3]],
		['so many at once', { options: { maxEventsPerPoll: 3 } }, [0, 1, 2]],
		['of unknown types with * alone', { events: ['*'] }, [0, 1, 2, 3, 4]],
		['of the documented types', {}, [0, 1, 2, 3]],
	])('fires those %s: %j', async (_, form, wanted) => {
		const trigger = await active({ form });
		const made = add(1);
		pass(3 * HOUR);
		for (const more of [{}, {}, {}, { type: 'dispute_opened' }]) {
			pass();
			made.push(...add(1, 0, more));
		}
		expect(ids(await trigger.poll())).toEqual(wanted.map((index) => made[index]));
	});

	test('refuses a dotted type, which the editor would draw no output for', async () => {
		const trigger = poller({ form: { events: ['payment.success', 'payment_failed'] } });
		await expect(trigger.poll()).rejects.toThrow('\'Trigger On\' cannot be "payment.success"');
		expect(sandbox.requests).toEqual([]);
	});

	test('no event at all is told with every poll', async () => {
		const message = "Choose at least one event under 'Trigger On'";
		for (const mode of ['manual', 'trigger'] as const) {
			const trigger = poller({ form: { events: [] } });
			await expect(trigger.poll({ mode })).rejects.toMatchObject({ message });
		}
		expect(sandbox.requests).toEqual([]);
	});

	test('masks account numbers and tokens, also where the event is not simplified', async () => {
		const trigger = await active({ form: { simplify: false } });
		const { privateToken, headerToken } = sandbox.credentials;
		const message = `by ${privateToken}`;
		sandbox.addEvent({ payload: { accountNumber: '000123456789', message, headerToken } });
		const said = JSON.stringify(await trigger.poll());
		expect(said).toContain('"accountNumber":"••••6789"');
		expect(said).toContain('"message":"by ');
		for (const secret of [privateToken, headerToken]) expect(said).not.toContain(secret);
	});

	test.each([
		[{}, 71, 1],
		[{}, 75, 0],
		[{ lookBackHours: 1.5 }, 1.4, 1],
		[{ lookBackHours: 1.5 }, 4, 0],
	])(
		'looks back so far: with %j, what is %d hours late fires %d times',
		async (options, hours, times) => {
			add(1);
			pass(100 * HOUR);
			const trigger = await active({ form: { options } });
			// The hourly late scan lets the watermark rise.
			for (let scans = 0; scans < 3; scans++) {
				pass(HOUR);
				add(1);
				await trigger.poll();
			}
			const date = new Date(sandbox.clock.now().getTime() - hours * HOUR).toISOString();
			const { eventID } = sandbox.addEvent({ date });
			await drain(trigger);
			expect(fired(trigger).filter((id) => id === eventID)).toHaveLength(times);
		},
	);

	test('hands on the simplified event, or all of it', async () => {
		const simple = await active();
		const raw = await active({ form: { simplify: false } });
		sandbox.addEvent({ referenceID: 'order-7', amount: 1_999 });
		const said = { type: 'payment_success', referenceID: 'order-7', amount: 19.99 };
		expect((await simple.poll())?.[0]?.[0]?.json).toMatchObject(said);
		expect((await raw.poll())?.[0]?.[0]?.json).toMatchObject({
			payload: { transaction: { amount: 1_999 } },
		});
	});
});

describe('Fetch Test Event', () => {
	test('shows the newest matching event, also from a page below, and changes no state', async () => {
		add(150);
		const trigger = await active({ form: { events: ['payment_refund'] } });
		const [refund] = add(1, 0, { type: 'payment_refund' });
		add(195, 10);
		const before = kept(trigger);
		expect(ids(await trigger.poll({ mode: 'manual' }))).toEqual([refund]);
		expect(kept(trigger)).toBe(before);
		expect(ids(await trigger.poll())).toEqual([refund]);
	});

	test('says what to do when there is none', async () => {
		const error = {
			message: 'There is no event to show yet',
			description: expect.stringMatching(/make a payment.*webhook endpoint/),
		};
		await expect(poller().poll({ mode: 'manual' })).rejects.toMatchObject(error);
		expect(sandbox.requests).toHaveLength(1);
	});
});
