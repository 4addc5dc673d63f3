import { Handled } from '../../nodes/PaymentsGateway/trigger/handled';
import { ModelTrigger } from './modelTrigger';
import { DAY, HOUR } from './spans';

/** Clocks that are wrong, for a while or from the start. */

afterEach(() => jest.restoreAllMocks());

type Whose = 'the gateway' | 'this machine' | 'both';

/** A trigger that has started where so many events were, with a clock that was wrong already. */
async function started(hasDate: boolean, old: number, whose: Whose, days: number) {
	const trigger = new ModelTrigger({ hasDate });
	trigger.listOld(old);
	turnClock(trigger, whose, days);
	if (whose === 'the gateway' && days > 0) trigger.list(trigger.serviceNow);
	await trigger.start();
	return trigger;
}

function turnClock(trigger: ModelTrigger, whose: Whose, days: number): void {
	if (whose !== 'this machine') trigger.serviceOff = days * DAY;
	if (whose !== 'the gateway') trigger.localOff = days * DAY;
}

/** So many events, a poll after each. */
async function fireOneByOne(trigger: ModelTrigger, count: number): Promise<void> {
	for (let n = 0; n < count; n++) {
		trigger.arrive(1);
		await trigger.poll();
	}
}

async function expectAllFired(trigger: ModelTrigger): Promise<void> {
	await trigger.polls(5);
	trigger.expectOnce();
}

test.each<[Whose, number, boolean]>([
	['the gateway', 400, true],
	['the gateway', -40, true],
	['this machine', 5, true],
	['this machine', -400, false],
	['both', 5, false],
])(
	'the clock of %s, off by %i days for a while, keeps no event back (Date header: %s)',
	async (whose, days, hasDate) => {
		const trigger = await started(hasDate, 30, whose, 0);
		await fireOneByOne(trigger, 3);
		turnClock(trigger, whose, days);
		// What a slow service dates before the look-back is too late.
		if (whose === 'the gateway' && days < 0) await trigger.poll();
		else await fireOneByOne(trigger, whose === 'this machine' ? 10 : 1);
		if (whose === 'this machine') {
			trigger.now += 2 * HOUR;
			await fireOneByOne(trigger, 3);
		}
		turnClock(trigger, whose, 0);
		await fireOneByOne(trigger, 50);
		await expectAllFired(trigger);
	},
);

test.each<[Whose, number, boolean]>([
	['the gateway', 400, true],
	['the gateway', -40, true],
	['this machine', 5, true],
	['this machine', -5, false],
])(
	'the clock of %s, off by %i days as the trigger starts, heals (Date header: %s)',
	async (whose, days, hasDate) => {
		const trigger = await started(hasDate, whose === 'this machine' ? 1_300 : 30, whose, days);
		if (whose === 'this machine') await fireOneByOne(trigger, 3);
		turnClock(trigger, whose, 0);
		await fireOneByOne(trigger, 20);
		await expectAllFired(trigger);
	},
);

test('the events of each day make the next day believable, with no more than a day between', () => {
	const handled = new Handled();
	for (const day of [14, 12.3, 10.5, 11.4]) handled.add(`event ${day}`, day * DAY);
	expect(handled.believedUntil(10 * DAY)).toBe(13.3 * DAY);
	expect(handled.newestFirst(10 * DAY)).toEqual([12.3, 11.4, 10.5].map((day) => day * DAY));
});

test('a slow clock and no Date header lose nothing among 2,500 events', async () => {
	const trigger = await started(false, 30, 'this machine', -5);
	for (let hours = 0; hours < 25; hours++) {
		trigger.now += HOUR;
		for (let row = 100; row > 0; row--) trigger.add(row * 1_000);
		await trigger.poll();
	}
	await expectAllFired(trigger);
});
