import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { EventModel } from './eventModel';
import { randomFrom } from './storm';

/** Where the handled rows begin is searched for, also in a list in which nothing shows it. */

test('is not led astray by a late event below the handled rows', async () => {
	const habits = {
		total: 'text',
		ties: 'stable',
		cap: 50,
		isCapSaid: true,
		hasDate: true,
	} as const;
	const limits = { lookBackMs: 72 * 3_600_000, maxEvents: 120, isWanted: () => true };
	for (let count = 300; count <= 900; count += 20) {
		const model = new EventModel({ ...habits }, randomFrom(count));
		const start = model.now;
		for (let row = 0; row < 160; row++) model.list(start + row);
		let cursor = await takeBaseline(model.open(), 's', limits.lookBackMs);
		model.now += 600_000;
		for (let row = 0; row < count; row++) model.list(model.now + row);
		model.list(start - 1);
		let fired = 0;
		for (let poll = 0; poll < 12; poll++) {
			// The late event itself waits for the hourly look.
			model.now += 600_000;
			const decision = await catchUp(cursor, { list: model.open() }, limits);
			({ cursor } = decision);
			fired += decision.events.length;
		}
		expect([count, fired]).toEqual([count, count + 1]);
	}
});

test('stays within the list where one moment fills it, shuffled, and its last page is repeated', async () => {
	const habits = { total: 'zero', ties: 'random', beyond: 'last', cap: 10 } as const;
	const model = new EventModel({ ...habits, isCapSaid: false, hasDate: false }, randomFrom(10));
	const limits = { lookBackMs: 72 * 3_600_000, maxEvents: 120, isWanted: () => true };
	let cursor = await takeBaseline(model.open(), 's', limits.lookBackMs);
	const moment = Date.now();
	for (let row = 0; row < 167; row++) model.list(moment);
	let deepest = 0;
	for (let poll = 0; poll < 100; poll++) {
		({ cursor } = await catchUp(cursor, { list: model.open() }, limits));
		deepest = Math.max(deepest, cursor.ahead, cursor.atMost ?? 0);
	}
	// Found again at the top whenever it went astray.
	expect(deepest).toBeLessThan(5_000_000);
	expect(deepest).toBeGreaterThan(167);
});
