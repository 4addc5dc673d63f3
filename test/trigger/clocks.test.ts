import { ModelTrigger } from './modelTrigger';
import { DAY, HOUR } from './spans';

/** A clock of this machine that is wrong, for a while or from the start. */

afterEach(() => jest.restoreAllMocks());

async function started(hasDate: boolean, old: number, days = 0): Promise<ModelTrigger> {
	const trigger = new ModelTrigger({ hasDate });
	trigger.listOld(old);
	trigger.localOff = days * DAY;
	await trigger.start();
	return trigger;
}

/** So many events, a poll after each. */
async function fireOneByOne(trigger: ModelTrigger, count: number): Promise<void> {
	for (let n = 0; n < count; n++) {
		trigger.arrive(1);
		await trigger.poll();
	}
}

async function expectAllFired(trigger: ModelTrigger): Promise<void> {
	trigger.localOff = 0;
	await fireOneByOne(trigger, 20);
	trigger.now += HOUR;
	await trigger.polls(3);
	trigger.expectOnce();
}

test.each([
	[2, true],
	[-2, true],
	[400, true],
	[-400, true],
	[5, false],
])('off by %i days for a while it keeps no event back (Date header: %s)', async (days, hasDate) => {
	const trigger = await started(hasDate, 30);
	await fireOneByOne(trigger, 3);
	trigger.localOff = days * DAY;
	await fireOneByOne(trigger, 10);
	trigger.now += 2 * HOUR;
	trigger.add(HOUR);
	await fireOneByOne(trigger, 3);
	await expectAllFired(trigger);
});

test.each([2, -2])(
	'off by %i days it makes nothing of the future, and forgets in time',
	async (days) => {
		const trigger = await started(true, 30, days);
		for (let hours = 0; hours < 25; hours++) {
			trigger.now += HOUR;
			for (let row = 100; row > 0; row--) trigger.add(row * 1_000);
			await trigger.poll();
		}
		trigger.expectOnce();
		expect(JSON.stringify(trigger.state).length).toBeLessThan(60_000);
		await expectAllFired(trigger);
	},
);
