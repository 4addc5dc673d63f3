import type { PollEngine } from '../engine';
import { expectOnce, fired, HOUR, iso, NOON, SECOND, useTrigger } from './useTrigger';

/** A service that takes few requests: every poll that reads anything moves on. */

const { sandbox, add, pass, drain, active } = useTrigger();

let left = Infinity;

/** From then on so many requests are answered between two polls, and the rest refused. */
function limitRequests(perPoll: () => number): () => void {
	left = perPoll();
	sandbox.fault({
		times: Infinity,
		when: () => --left < 0,
		status: 429,
		headers: { 'Retry-After': '60' },
	});
	return () => {
		left = perPoll();
	};
}

async function pollUntilAll(
	poll: () => Promise<unknown>,
	nextMinute: () => void,
	done: () => boolean,
): Promise<number> {
	for (let polls = 1; polls <= 80; polls++) {
		nextMinute();
		await poll().catch(() => null);
		if (done()) return polls;
	}
	return Infinity;
}

describe.each(['default', 'durable'] as const)('%s engine', (engine: PollEngine) => {
	test.each([
		[11, 'right', 15],
		[11, 'zero', 25],
		[11, 'text', 25],
		[2, 'right', 45],
		[2, 'zero', 60],
	] as const)(
		'%i requests a minute work through 3,050 events, total %s',
		async (perMinute, total, most) => {
			sandbox.settings.total = total;
			add(1_200);
			const trigger = await active({ engine });
			pass(3_050 * SECOND);
			const made = add(3_050);
			const nextMinute = limitRequests(() => perMinute);
			const polls = await pollUntilAll(
				async () => await trigger.poll(),
				() => {
					pass();
					nextMinute();
				},
				() => fired(trigger).length >= made.length,
			);
			expect(polls).toBeLessThanOrEqual(most);
			expect(fired(trigger)).toEqual(made);
			sandbox.clearFaults();
			pass(HOUR);
			await drain(trigger);
			expectOnce(trigger, made);
		},
		60_000,
	);
});

test('goes on where each request takes a third of the time', async () => {
	add(300);
	const trigger = await active({ budgetMs: 900 });
	pass(1_000 * SECOND);
	const made = add(1_000);
	sandbox.settings.latency = 255;
	const polls = await pollUntilAll(
		async () => await trigger.poll(),
		pass,
		() => fired(trigger).length >= made.length,
	);
	expect(polls).toBeLessThanOrEqual(25);
	expect(fired(trigger)).toEqual(made);
}, 60_000);

test('says so when the limit lasts and nothing more is learned', async () => {
	add(150);
	const trigger = await active();
	add(1);
	limitRequests(() => 0);
	await expect(trigger.poll()).rejects.toMatchObject({
		failure: { cause: 'rate-limited', retryAfterMs: 60_000 },
	});
});

test('says so when one request a minute teaches nothing more', async () => {
	add(150);
	const trigger = await active();
	pass(1_000 * SECOND);
	add(1_000);
	const nextMinute = limitRequests(() => 1);
	const failures: unknown[] = [];
	for (let polls = 0; polls < 20; polls++) {
		pass();
		nextMinute();
		await trigger.poll().catch((error: unknown) => failures.push(error));
	}
	expect(failures.at(-1)).toMatchObject({ failure: { cause: 'rate-limited' } });
});

test('finds a late event below a backlog that is being drained, without the hourly look', async () => {
	add(300);
	const trigger = await active();
	pass(3_000 * SECOND);
	const made = add(3_000);
	await trigger.poll();
	made.push(sandbox.addEvent({ date: iso(NOON + 900.5 * SECOND) }).eventID);
	await trigger.poll();
	await trigger.poll();
	await trigger.poll();
	expectOnce(trigger, made);
});
