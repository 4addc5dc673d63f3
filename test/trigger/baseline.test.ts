import { expectOnce, HOUR, ids, iso, MINUTE, NOON, SECOND, useTrigger } from './useTrigger';

/** Where a trigger starts: nothing from before its activation fires, and everything after it. */

const { sandbox, poller, add, pass, requestsOf, active } = useTrigger();

describe('the start', () => {
	test('fires nothing from before the activation, and everything after it', async () => {
		add(5_000);
		const trigger = await active();
		expect(await trigger.poll()).toBeNull();
		const fresh = add(3);
		expect(ids(await trigger.poll())).toEqual(fresh);
		expectOnce(trigger, fresh);
	});

	test('takes an empty list for a start, too', async () => {
		const trigger = await active();
		const fresh = add(2);
		expect(ids(await trigger.poll())).toEqual(fresh);
	});

	test.each(['default', 'durable'] as const)(
		'fires what comes between activation and the first poll (%s engine)',
		async (kind) => {
			add(20);
			const trigger = await active({ engine: kind });
			const fresh = add(1);
			expect(ids(await trigger.poll())).toEqual(fresh);
			expect(await trigger.poll()).toBeNull();
		},
	);

	test.each([
		[30, 'of one page', SECOND, 1],
		[3_000, 'of which 1,000 are kept', SECOND, 10],
		[3_000, 'of which 72 are of the look-back', HOUR, 1],
	])('reads no more of %i old events than counts: %s', async (count, _, every, requests) => {
		add(count, every);
		expect(await requestsOf(async () => await active())).toBe(requests);
	});

	test('fires nothing of a moment that goes on below the 1,000 newest', async () => {
		sandbox.addEvents(1_500, (index) => ({ date: iso(NOON - Math.floor(index / 7) * SECOND) }));
		const trigger = await active();
		pass(HOUR);
		expect(await trigger.poll()).toBeNull();
	});

	test('begins at the start date, inclusive, and fires nothing older', async () => {
		const all = add(300, MINUTE);
		const startDate = iso(NOON - 249 * MINUTE);
		const trigger = poller({ form: { startFrom: 'date', startDate } });
		const first = await trigger.activate();
		expect(ids(first)).toEqual(all.slice(-250));
		expect(await trigger.poll()).toBeNull();
	});

	test('reads a start date without a zone in the timezone of the workflow', async () => {
		const all = add(10, HOUR);
		const trigger = poller({
			form: { startFrom: 'date', startDate: '2026-06-01T04:00:00' },
			workflow: { settings: { timezone: 'America/New_York' } },
		});
		expect(ids(await trigger.activate())).toEqual(all.slice(-5));
	});

	test('refuses to start on an error, in the words of the service', async () => {
		sandbox.fault({ status: 401, body: { error: 'unknown token' }, times: Infinity });
		await expect(poller().activate()).rejects.toMatchObject({
			message: 'unknown token',
			httpCode: '401',
		});
	});

	test('draws the line at the look-back in a list of a few events, too', async () => {
		add(3);
		const trigger = await active();
		const now = sandbox.clock.now().getTime();
		sandbox.addEvent({ date: iso(now - 73 * HOUR) });
		const { eventID } = sandbox.addEvent({ date: iso(now - 71 * HOUR) });
		expect(ids(await trigger.poll())).toEqual([eventID]);
	});
});
