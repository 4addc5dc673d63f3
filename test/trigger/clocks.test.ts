import type { Poller } from '../engine';
import { DAY, expectOnce, HOUR, MINUTE, SECOND, useTrigger } from './useTrigger';

const { sandbox, add, pass, drain, active } = useTrigger();

/** How far this machine's clock is off from the sandbox's. */
let localOff = 0;

beforeEach(() => {
	localOff = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => sandbox.clock.now().getTime() + localOff);
});

afterEach(() => jest.restoreAllMocks());

function withoutDateHeader(): void {
	sandbox.fault({ times: Infinity, headers: { Date: '' } });
}

/** The service's clock is off while something is done: its `Date` header, and what it dates. */
async function whileServiceIsOff(ms: number, work: () => Promise<void>): Promise<void> {
	pass(ms);
	localOff = -ms;
	await work();
	pass(-ms);
	localOff = 0;
}

/** Events a minute apart, with a poll after each. */
async function fireOneByOne(trigger: Poller, count: number): Promise<string[]> {
	const made: string[] = [];
	for (let n = 0; n < count; n++) {
		pass();
		made.push(...add(1));
		await trigger.poll();
	}
	return made;
}

describe.each([5 * DAY, 400 * DAY, -40 * DAY])(
	"with the service's clock off by %i ms for a minute",
	(off) => {
		test('fires that event and all that come after it', async () => {
			add(30);
			const trigger = await active();
			const made: string[] = [];
			await whileServiceIsOff(off, async () => {
				// Dated before the look-back, it would be too late.
				if (off > 0) made.push(...add(1));
				await trigger.poll();
			});
			made.push(...(await fireOneByOne(trigger, 50)));
			await drain(trigger);
			expectOnce(trigger, made);
		});

		test('heals when that minute was the activation', async () => {
			add(30);
			let trigger: Poller | undefined;
			await whileServiceIsOff(off, async () => {
				if (off > 0) add(1);
				trigger = await active();
			});
			const made = await fireOneByOne(trigger as Poller, 20);
			await drain(trigger as Poller);
			expectOnce(trigger as Poller, made);
		});
	},
);

describe.each([true, false])("with a Date header: %s, and this machine's clock", (hasHeader) => {
	test.each([5 * DAY, -400 * DAY])('jumping by %i ms, fires every event', async (off) => {
		if (!hasHeader) withoutDateHeader();
		add(30);
		const trigger = await active();
		const made = await fireOneByOne(trigger, 3);
		localOff = off;
		made.push(...(await fireOneByOne(trigger, 10)));
		pass(2 * HOUR);
		made.push(...(await fireOneByOne(trigger, 3)));
		localOff = 0;
		made.push(...(await fireOneByOne(trigger, 10)));
		await drain(trigger);
		expectOnce(trigger, made);
	});

	test.each([5 * DAY, -5 * DAY])('wrong by %i ms at activation, heals', async (off) => {
		if (!hasHeader) withoutDateHeader();
		add(1_300);
		localOff = off;
		const trigger = await active();
		const made = await fireOneByOne(trigger, 3);
		localOff = 0;
		made.push(...(await fireOneByOne(trigger, 10)));
		await drain(trigger);
		expectOnce(trigger, made);
	});
});

test.each([true, false])(
	'with a Date header: %s, a minute in which all clocks are fast loses nothing after it',
	async (hasHeader) => {
		if (!hasHeader) withoutDateHeader();
		add(30);
		const trigger = await active();
		const made = await fireOneByOne(trigger, 3);
		pass(5 * DAY);
		made.push(...add(1));
		await trigger.poll();
		pass(-5 * DAY);
		made.push(...(await fireOneByOne(trigger, 20)));
		await drain(trigger);
		expectOnce(trigger, made);
	},
);

test('a slow clock and no Date header lose nothing among 2,500 events', async () => {
	withoutDateHeader();
	add(30);
	localOff = -5 * DAY;
	const trigger = await active();
	const made: string[] = [];
	for (let hours = 0; hours < 25; hours++) {
		pass(HOUR);
		made.push(...add(100, SECOND));
		await trigger.poll();
	}
	await drain(trigger);
	expectOnce(trigger, made);
});

test.each([0, 2 * DAY, -2 * DAY])(
	'after an empty first answer fires nothing from before the activation, with a clock off by %i ms',
	async (off) => {
		const old = add(500, MINUTE);
		pass(11 * MINUTE);
		localOff = Math.max(0, off);
		sandbox.fault({
			body: { data: [], page: { total: 0, range: { from: 0, to: 0 }, page: 1, pageSize: 100 } },
		});
		const trigger = await active();
		const made = await fireOneByOne(trigger, 5);
		await drain(trigger);
		expectOnce(trigger, made);
		expect(old).toHaveLength(500);
	},
);
