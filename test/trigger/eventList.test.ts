import { log } from '../engine';
import {
	DAY,
	expectOnce,
	fired,
	HOUR,
	ids,
	iso,
	MINUTE,
	NOON,
	SECOND,
	stored,
	useTrigger,
} from './useTrigger';

/** Rows, counts and pages as no service should send them: the trigger goes on all the same. */

const { sandbox, add, pass, drain, active, requestsOf } = useTrigger();

/** The list as it would be, with something done to the answer. */
function rewrite(change: (data: unknown[]) => unknown[]): void {
	sandbox.fault({
		times: Infinity,
		answer: (answer) => {
			const { data, ...rest } = answer as { data: unknown[] };
			return { ...rest, data: change(data) };
		},
	});
}

test('fires 20 undated events a day, each gone the next, for 80 days', async () => {
	add(30);
	const trigger = await active();
	const made: string[] = [];
	let today: string[] = [];
	for (let day = 0; day < 80; day++) {
		for (const id of today) sandbox.removeEvent(id);
		pass(DAY);
		today = sandbox.addEvents(20, () => ({ date: 'soon' })).map(({ eventID }) => eventID);
		made.push(...today);
		await trigger.poll();
		expect(stored(trigger).length).toBeLessThan(64_000);
	}
	expectOnce(trigger, made);
	expect(log.lines.filter((line) => line.includes('do not fire'))).toEqual([]);
}, 60_000);

test.each([
	['null', null],
	['text', 'row'],
	['a number', 7],
])('leaves a row out that is %s, and fires the others', async (_, row) => {
	add(30);
	const trigger = await active();
	const made = add(5);
	rewrite((data) => [row, ...data.slice(0, 3), row, ...data.slice(3)]);
	await drain(trigger);
	expectOnce(trigger, made);
});

test.each([
	['', '{"a":'.repeat(3_000) + '1' + '}'.repeat(3_000)],
	['', '['.repeat(3_000) + ']'.repeat(3_000)],
	['order-1', '{"a":'.repeat(3_000) + '1' + '}'.repeat(3_000)],
])('goes on after a payload 3,000 deep, for reference "%s"', async (referenceId, payload) => {
	for (const simplify of [true, false]) {
		const trigger = await active({ form: { simplify, options: { referenceId } } });
		const deep = sandbox.addEvent({ payload, date: iso(sandbox.clock.now().getTime() - SECOND) });
		const [next] = add(1, SECOND, { referenceID: 'order-1' });
		expect(ids(await trigger.poll())).toEqual(referenceId === '' ? [deep.eventID, next] : [next]);
		expect(await trigger.poll()).toBeNull();
		pass();
	}
});

test('an idle poll of 20,000 events is one request of less than 20 kB', async () => {
	add(20_000);
	const trigger = await active();
	let bytes = 0;
	sandbox.fault({
		answer: (answer) => {
			bytes += JSON.stringify(answer).length;
			return answer;
		},
	});
	expect(await requestsOf(async () => await trigger.poll())).toBe(1);
	expect(bytes).toBeGreaterThan(1_000);
	expect(bytes).toBeLessThan(20_000);
});

test('an ID that the list has twice, with two dates, costs no further looks', async () => {
	add(300);
	const trigger = await active();
	const [eventID = ''] = add(1);
	await trigger.poll();
	pass(HOUR);
	const made = [eventID, ...add(150), ...add(1, SECOND, { eventID }), ...add(50)];
	await drain(trigger);
	expect(await requestsOf(async () => await trigger.poll())).toBe(1);
	expectOnce(trigger, [...new Set(made)]);
});

test.each(['zero', { constant: 1_500 }] as const)(
	'finds an event eleven rows deep within the hour where the total says %p',
	async (total) => {
		sandbox.settings.total = total;
		add(1_500);
		const trigger = await active();
		const late = sandbox.addEvent({ date: iso(NOON - 10.5 * SECOND) }).eventID;
		await trigger.poll();
		pass(HOUR);
		await trigger.poll();
		expect(fired(trigger)).toEqual([late]);
	},
);

test.each(['all along', 'since the last poll'])(
	'looks at 100 rows where the service has counted nothing %s',
	async (since) => {
		if (since === 'all along') sandbox.settings.total = 'zero';
		add(300);
		const trigger = await active();
		sandbox.settings.total = 'zero';
		const late = sandbox.addEvent({ date: iso(NOON - 50.5 * SECOND) });
		expect(ids(await trigger.poll())).toEqual([late.eventID]);
	},
);

test('what two looks could not tell, the next poll finds out, and does not wait for an hour', async () => {
	sandbox.settings.total = 'zero';
	add(150);
	const trigger = await active();
	pass(HOUR / 2);
	const made = add(150);
	const date = iso(NOON + MINUTE + HOUR / 2 - 99 * SECOND);
	const { eventID: hidden } = sandbox.addEvent({ date });
	// Of two rows of one moment, where a page ends, both pages show the same.
	let isHiding = true;
	rewrite((data) =>
		(data as Array<{ eventID: string }>).map((row) =>
			isHiding && row.eventID === hidden ? { ...row, eventID: made[50] } : row,
		),
	);
	expect(ids(await trigger.poll())).toHaveLength(150);
	isHiding = false;
	pass();
	expect(ids(await trigger.poll())).toEqual([hidden]);
	expectOnce(trigger, [...made, hidden]);
});

test('goes on where the pages fall from 100 rows to 10 in the middle of a poll', async () => {
	add(300);
	const trigger = await active();
	const made = add(760, 10);
	sandbox.fault({ after: 3, run: () => (sandbox.settings.pageSizeCap = 10) });
	await drain(trigger);
	expectOnce(trigger, made);
});

test('goes on with pages of 50 where the total counts the rows of the page', async () => {
	sandbox.settings.pageSizeCap = 50;
	sandbox.fault({
		times: Infinity,
		answer: (answer) => {
			const { data, page } = answer as { data: unknown[]; page: object };
			return { data, page: { ...page, total: data.length } };
		},
	});
	add(300);
	const trigger = await active();
	const made = add(700, 10);
	await drain(trigger);
	expectOnce(trigger, made);
});

test('goes on with a backlog after a poll in which an answer never came', async () => {
	add(300);
	const trigger = await active({ budgetMs: 1_000 });
	const made = add(250, 10);
	sandbox.fault({ after: 2, delay: Infinity });
	await trigger.poll().catch(() => null);
	pass(MINUTE);
	await drain(trigger);
	expectOnce(trigger, made);
});

describe('a service that refuses a page after the last one', () => {
	beforeEach(() =>
		sandbox.fault({
			on: 'webhookEvents',
			times: Infinity,
			when: ({ body }) => {
				const { data } = body as { data: { page: { page: number; pageSize: number } } };
				return data.page.page > Math.max(1, Math.ceil(sandbox.events.length / data.page.pageSize));
			},
			status: 404,
		}),
	);

	test('is watched from 100 events on', async () => {
		add(100);
		const trigger = await active();
		const made = add(2);
		await trigger.poll();
		expectOnce(trigger, made);
	});

	test('is watched through a backlog', async () => {
		add(20);
		const trigger = await active({ form: { options: { maxEventsPerPoll: 100 } } });
		const made = add(680);
		await drain(trigger);
		expectOnce(trigger, made);
	});

	test('is watched on when a backlog is purged', async () => {
		add(500);
		const trigger = await active({ form: { options: { maxEventsPerPoll: 100 } } });
		add(1_000);
		await trigger.poll();
		for (const { eventID } of sandbox.events.slice(0, 1_300)) sandbox.removeEvent(eventID);
		const made = add(3);
		await drain(trigger);
		expect(fired(trigger)).toEqual(expect.arrayContaining(made));
	});
});

test('a page that is counted and refused fires nothing, and the next poll goes on', async () => {
	add(20);
	const trigger = await active();
	const made = add(250);
	sandbox.fault({
		on: 'webhookEvents',
		when: ({ body }) => JSON.stringify(body).includes('"page":3'),
		status: 404,
		body: { error: 'Invalid page' },
	});
	await expect(trigger.poll()).rejects.toThrow('Invalid page');
	expect(fired(trigger)).toEqual([]);
	await drain(trigger);
	expectOnce(trigger, made);
});
