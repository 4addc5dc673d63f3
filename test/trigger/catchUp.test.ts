import { log } from '../engine';
import { fired, HOUR, ids, iso, kept, NOON, SECOND, useTrigger } from './useTrigger';

/** Late events: looked for as soon as the count shows them, or else within the hour. */

const { sandbox, add, pass, requestsOf, active } = useTrigger();

test.each([
	['on page 1', 20],
	['400 rows deep', 400],
])('fires a late event %s', async (_, depth) => {
	add(1_500);
	const trigger = await active();
	const late = sandbox.addEvent({ date: iso(NOON - (depth - 0.5) * SECOND) });
	// One look through the 1,000 newest explains the count; there is no second one.
	const requests = await requestsOf(async () => await trigger.poll());
	expect(requests).toBeLessThanOrEqual(13);
	expect(fired(trigger)).toEqual([late.eventID]);
});

test('fires a late event 400 rows deep at once where the total is text', async () => {
	sandbox.settings.total = 'text';
	add(1_500);
	const trigger = await active();
	const late = sandbox.addEvent({ date: iso(NOON - 399.5 * SECOND) });
	expect(ids(await trigger.poll())).toEqual([late.eventID]);
});

test.each(['zero', { constant: 1_500 }] as const)(
	'fires a late event 400 rows deep where the total says %p, within the hour',
	async (total) => {
		sandbox.settings.total = total;
		add(1_500);
		const trigger = await active();
		const late = sandbox.addEvent({ date: iso(NOON - 399.5 * SECOND) });
		expect(await trigger.poll()).toBeNull();
		pass(HOUR);
		expect(ids(await trigger.poll())).toEqual([late.eventID]);
		expect(await requestsOf(async () => await trigger.poll())).toBe(1);
	},
);

test('fires in the same poll what a row that vanished between two pages has pulled past the reader', async () => {
	add(150);
	const trigger = await active();
	const made = add(250, 10);
	sandbox.fault({ after: 2, run: () => sandbox.removeEvent(made.at(-1) ?? '') });
	expect(ids(await trigger.poll())).toHaveLength(250);
});

test('says how many events came too late, and fires none of them', async () => {
	add(500, HOUR);
	const trigger = await active();
	sandbox.addEvent({ date: iso(NOON - 80 * HOUR) });
	sandbox.addEvent({ date: iso(NOON - 90 * HOUR) });
	expect(await trigger.poll()).toBeNull();
	expect(log.lines.filter((line) => /^warn .*2 events/.test(line))).toHaveLength(1);
	expect(await requestsOf(async () => await trigger.poll())).toBe(1);
});

test('throws what fails in the hourly look, where nothing else is new', async () => {
	add(300);
	const trigger = await active();
	pass(HOUR);
	sandbox.fault({ times: Infinity, after: 2, status: 503 });
	const before = kept(trigger);
	await expect(trigger.poll()).rejects.toMatchObject({ httpCode: '503' });
	expect(kept(trigger)).toBe(before);
});

test('hands over what is new when the look for a late event fails, says so, and looks again', async () => {
	add(1_500);
	const trigger = await active();
	const late = sandbox.addEvent({ date: iso(NOON - 399.5 * SECOND) });
	const made = add(2);
	sandbox.fault({ after: 3, status: 404, body: { error: 'not now' } });
	expect(ids(await trigger.poll())).toEqual(made);
	const warnings = log.lines.filter((line) => line.startsWith('warn'));
	expect(warnings).toEqual([expect.stringMatching(/did not get through: .*not now/)]);
	expect(ids(await trigger.poll())).toEqual([late.eventID]);
});
