import { inspect } from 'node:util';

import { HOUR, MINUTE, SECOND } from '../durations';
import { log } from '../engine';
import type { Fault } from '../sandbox';
import { ENGINES } from './engines';
import { expectFiredOnce, firedIds, idsOf, stateInMemory, useTrigger } from './useTrigger';

const {
	sandbox,
	credentials,
	poller,
	addEvents,
	passTime,
	countRequests,
	pollUntilQuiet,
	activeTrigger,
} = useTrigger();

test.each([...ENGINES.map((engine) => [engine, 500] as const), ['default', 0] as const])(
	'an idle poll sends one request for the ten newest rows and changes nothing (%s engine, %i events)',
	async (engine, events) => {
		addEvents(events);
		const trigger = await activeTrigger({ engine });
		await trigger.poll();
		const before = stateInMemory(trigger);
		expect(before).not.toContain(sandbox.credentials.privateToken);
		for (let polls = 0; polls < 3; polls++) {
			passTime();
			expect(await countRequests(async () => await trigger.poll())).toBe(1);
			expect(sandbox.requestsTo('webhookEvents').at(-1)?.body.data.page).toEqual({
				page: 1,
				pageSize: 10,
				sort: { field: 'date', order: 'desc' },
			});
		}
		expect(stateInMemory(trigger)).toBe(before);
		expect(trigger.isUnstored).toBe(false);
		expect(log.lines.join()).not.toContain('warn');
	},
);

test('after an empty first answer, new events fire, and those of the ten minutes before the activation', async () => {
	addEvents(500, MINUTE);
	passTime(2 * MINUTE);
	const made = addEvents(1);
	passTime(9 * MINUTE);
	sandbox.fault({ body: { data: [], page: { total: 0, page: 1, pageSize: 100 } } });
	const trigger = await activeTrigger();
	made.push(...addEvents(1));
	await pollUntilQuiet(trigger);
	expectFiredOnce(trigger, made);
});

describe('when the gateway fails', () => {
	const retryAfter = (status: number, seconds: number): Fault => ({
		status,
		headers: { 'Retry-After': String(seconds) },
	});
	const isTemporary = { failure: { cause: 'temporarily-unavailable' } };

	test.each<[Fault, object]>([
		[{ after: 2, status: 503, body: { error: 'under repair' } }, { message: 'under repair' }],
		[{ status: 404 }, isTemporary],
		[
			{ status: 200, body: { error: 'later' } },
			{ message: 'later', ...isTemporary },
		],
		[retryAfter(429, 600), { failure: { cause: 'rate-limited', retryAfterMs: 600_000 } }],
		[retryAfter(503, 90), { failure: { ...isTemporary.failure, retryAfterMs: 90_000 } }],
	])(
		'throws a lasting failure, does not make n8n pause the trigger, and changes nothing: %j',
		async (fault, error) => {
			addEvents(150);
			const trigger = await activeTrigger();
			const before = stateInMemory(trigger);
			const fresh = addEvents(250, 10);
			sandbox.fault({ ...fault, times: Infinity });
			for (let polls = 0; polls < 2; polls++) {
				const httpCode = String(fault.status);
				await expect(trigger.poll()).rejects.toMatchObject({ httpCode, ...error });
			}
			expect(stateInMemory(trigger)).toBe(before);
			sandbox.clearFaults();
			expect(idsOf(await trigger.poll())).toEqual(fresh);
		},
	);

	test('lets n8n pause the trigger only if the credential is refused twice in a row', async () => {
		const trigger = await activeTrigger({ engine: 'durable' });
		const expectCause = async (
			status: number,
			cause: string,
			message: unknown = expect.anything(),
		) => {
			sandbox.fault({ status, body: { error: 'unknown token' }, times: Infinity });
			const error = { message, httpCode: String(status), failure: { cause } };
			await expect(trigger.poll()).rejects.toMatchObject(error);
			sandbox.clearFaults();
		};
		const title = "The gateway refused the 'Private Token' or 'Group ID' of the credential";
		await expectCause(500, 'temporarily-unavailable');
		await expectCause(401, 'temporarily-unavailable', `${title}: unknown token`);
		await expectCause(401, 'credential-invalid');
		await trigger.poll();
		await expectCause(403, 'temporarily-unavailable');
	});

	test('ends within its budget if an answer does not end, and polls again', async () => {
		addEvents(150);
		const trigger = await activeTrigger({ budgetMs: 1_000 });
		const fresh = addEvents(3);
		sandbox.fault({ drip: 'body' });
		await expect(trigger.poll()).rejects.toThrow(/did not answer/);
		expect(idsOf(await trigger.poll())).toEqual(fresh);
	});

	test('fires nothing from a poll that has lost its lease to another one', async () => {
		addEvents(150);
		const trigger = await activeTrigger();
		const made = addEvents(2);
		const polls: Array<Promise<unknown>> = [];
		const run = () => {
			passTime(HOUR);
			polls.push(trigger.poll());
		};
		sandbox.fault({ run });
		polls.push(trigger.poll());
		await polls[0];
		await Promise.all(polls);
		expectFiredOnce(trigger, made);
	});
});

describe('whatever n8n does', () => {
	test.each(ENGINES)('fires once when polls overlap (%s engine)', async (kind) => {
		addEvents(150);
		const trigger = await activeTrigger({ engine: kind });
		await trigger.poll();
		const fresh = addEvents(250, 10);
		sandbox.settings.latency = 30;
		const polls = await Promise.all([trigger.poll(), trigger.poll(), trigger.poll()]);
		expect(polls.slice(1)).toEqual([null, null]);
		await pollUntilQuiet(trigger);
		expect(firedIds(trigger)).toEqual(fresh);
	});

	test.each([true, false])(
		'fires nothing while n8n may still be saving an emission; after a minute it continues from the state that n8n has (saved: %s)',
		async (isStored) => {
			addEvents(5);
			const trigger = await activeTrigger({ engine: 'durable', budgetMs: 48_000 });
			addEvents(1);
			await trigger.poll();
			const older = trigger.state;
			passTime();
			const lastFired = addEvents(2);
			expect(idsOf(await trigger.poll())).toEqual(lastFired);
			const stored = trigger.state;
			for (let polls = 0; polls < 4; polls++) {
				trigger.setState(older);
				expect(await countRequests(async () => await trigger.poll())).toBe(0);
			}
			trigger.setState(isStored ? stored : older);
			passTime();
			const fresh = addEvents(1);
			expect(idsOf(await trigger.poll())).toEqual(isStored ? fresh : [...lastFired, ...fresh]);
		},
	);

	test('works if n8n gives no budget', async () => {
		const trigger = await activeTrigger({ withoutBudget: true });
		const fresh = addEvents(3);
		expect(idsOf(await trigger.poll())).toEqual(fresh);
	});

	test('starts from now if the state cannot be read, and logs that', async () => {
		addEvents(150);
		const trigger = poller({ engine: 'durable', staticData: { cursor: { v: 1 } } });
		expect(await trigger.activate()).toBeNull();
		expect(log.lines.some((line) => /^warn .*cannot be read/.test(line))).toBe(true);
	});
});

describe('the settings', () => {
	test.each([
		['* payment_refund payment_success', [[0], [1], [2, 3]]],
		['* payment_refund payment_failed payment_success', [[0], [2], [1], [3]]],
	])('send each event to one output, in a fixed order: %s', async (events, wanted) => {
		const form = { outputMode: 'perEvent', events: events.split(' ') };
		const trigger = await activeTrigger({ form });
		const types = ['payment_success', 'payment.refund', 'payment_failed', 'dispute_opened'];
		const sent = types.map((type) => {
			passTime(SECOND);
			return sandbox.addEvent({ type }).eventID;
		});
		const polled = await trigger.poll();
		expect(polled?.map((items) => idsOf([items]))).toEqual(
			wanted.map((output) => output.map((index) => sent[index])),
		);
	});

	test.each([
		['that are not older', { options: { skipOlderThanHours: 2 } }, [1, 2, 3]],
		['of any age', { options: { skipOlderThanHours: 0 } }, [0, 1, 2, 3]],
		['of any age', { options: { skipOlderThanHours: '' } }, [0, 1, 2, 3]],
		['of any age', { options: { skipOlderThanHours: '={{ null }}' } }, [0, 1, 2, 3]],
		['up to the maximum per poll', { options: { maxEventsPerPoll: 3 } }, [0, 1, 2]],
		['of unknown types with * alone', { events: ['*'] }, [0, 1, 2, 3, 4]],
		['of the documented types', {}, [0, 1, 2, 3]],
	])('fire the events %s: %j', async (_, form, wanted) => {
		const trigger = await activeTrigger({ form });
		const made = addEvents(1);
		passTime(3 * HOUR);
		for (const more of [{}, {}, {}, { type: 'dispute_opened' }]) {
			passTime();
			made.push(...addEvents(1, 0, more));
		}
		expect(idsOf(await trigger.poll())).toEqual(wanted.map((index) => made[index]));
	});

	test('fail every poll if no event is selected', async () => {
		const message = "'Trigger On' is empty: choose at least one event";
		for (const mode of ['manual', 'trigger'] as const) {
			const trigger = poller({ form: { events: [] } });
			await expect(trigger.poll({ mode })).rejects.toMatchObject({ message });
		}
		expect(sandbox.requests).toEqual([]);
	});

	test.each(['trigger', 'manual'] as const)(
		'do not show a token that was typed into the wrong field (mode %s)',
		async (mode) => {
			// Longer than what an error quotes of a value.
			const privateToken = 'private-token-'.repeat(4);
			const form = { startFrom: 'date', startDate: privateToken };
			const trigger = poller({ form, credentials: credentials({ privateToken }) });
			const error: unknown = await trigger.poll({ mode }).catch((thrown: unknown) => thrown);
			expect(error).toMatchObject({ message: expect.stringMatching(/^'Start Date' .*"••••"$/) });
			const shown = inspect(error, { depth: 10, showHidden: true });
			expect(shown).not.toContain(privateToken.slice(0, 20));
		},
	);

	test.each([
		[{}, 71, 1],
		[{}, 75, 0],
		[{ lookBackHours: 1.5 }, 1.4, 1],
		[{ lookBackHours: 1.5 }, 4, 0],
	])(
		'look back as far as %j says: an event that is %d hours late fires %d times',
		async (options, hours, times) => {
			addEvents(1);
			passTime(100 * HOUR);
			const trigger = await activeTrigger({ form: { options } });
			// The hourly late scan lets the watermark rise.
			for (let scans = 0; scans < 3; scans++) {
				passTime(HOUR);
				addEvents(1);
				await trigger.poll();
			}
			const date = new Date(sandbox.clock.now().getTime() - hours * HOUR).toISOString();
			const { eventID } = sandbox.addEvent({ date });
			await pollUntilQuiet(trigger);
			expect(firedIds(trigger).filter((id) => id === eventID)).toHaveLength(times);
		},
	);

	test('return the simplified event, or all of it with numbers and tokens masked', async () => {
		const simple = await activeTrigger();
		const raw = await activeTrigger({ form: { simplify: false } });
		const { privateToken, headerToken } = sandbox.credentials;
		const transaction = { amount: 1_999, message: `by ${privateToken}`, headerToken };
		sandbox.addEvent({ payload: { transaction, accountNumber: '000123456789' } });
		expect((await simple.poll())?.[0]?.[0]?.json).toMatchObject({
			amount: 19.99,
			message: 'by ••••',
		});
		const output = (await raw.poll())?.[0]?.[0]?.json;
		expect(output).toMatchObject({
			payload: { transaction: { amount: 1_999, message: 'by ••••' }, accountNumber: '••••6789' },
		});
		expect(JSON.stringify(output)).not.toContain(headerToken);
	});
});

describe('Fetch Test Event', () => {
	test('shows the newest selected event, even from page 2, and changes no state', async () => {
		addEvents(150);
		const trigger = await activeTrigger({ form: { events: ['payment_refund'] } });
		const [refund] = addEvents(1, 0, { type: 'payment_refund' });
		addEvents(195, 10);
		const before = stateInMemory(trigger);
		expect(idsOf(await trigger.poll({ mode: 'manual' }))).toEqual([refund]);
		expect(stateInMemory(trigger)).toBe(before);
		expect(idsOf(await trigger.poll())).toEqual([refund]);
	});

	test('says what to do if there is none', async () => {
		const error = {
			message: 'There is no event to show yet',
			description: expect.stringMatching(/make a payment.*webhook endpoint/),
		};
		await expect(poller().poll({ mode: 'manual' })).rejects.toMatchObject(error);
		expect(sandbox.requests).toHaveLength(1);
	});
});
