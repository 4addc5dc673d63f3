import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { isKnown, Ledger, rowOf } from '../../nodes/PaymentsGateway/trigger/ledger';

/** Which events are the same one, and what is remembered of them. */

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1, 12);

function row(eventID: unknown, at: number | string = NOW, payload = '{}') {
	const date = typeof at === 'string' ? at : new Date(at).toISOString();
	return rowOf({ eventID, date, type: 'payment_success', payload } as WebhookEvent);
}

describe('an event', () => {
	test.each(['evt_1', 7, '7', ' ', '0'])('with the ID %j is known by it alone', (id) => {
		expect(row(id).hash).toBe(row(id, NOW - DAY, 'other').hash);
		expect(row(id).hash).not.toBe(row('evt_2').hash);
	});

	test.each([undefined, null, '', {}, true])('with the ID %j is known by all it says', (id) => {
		expect(row(id).hash).toBe(row(id).hash);
		expect(row(id).hash).not.toBe(row(id, NOW, 'other').hash);
	});
});

test.each<[unknown, boolean]>([
	[{}, true],
	[{ undated: 'AAAAAAAA', mb5z: 'AAAAAAAABBBBBBB_' }, true],
	[{ 'not undated': 'AAAAAAAA' }, false],
	[{ 'undated too': 'AAAAAAAA' }, false],
	[{ mb5z: 'AAAAAAAABB' }, false],
	[{ mb5z: '' }, false],
	[{ mb5z: 7 }, false],
	[null, false],
	['known', false],
])('what was stored as %j can be read: %s', (stored, isReadable) => {
	expect(isKnown(stored)).toBe(isReadable);
});

describe('a ledger', () => {
	const clock = { service: NOW, local: NOW };
	const rows = [
		row('old', NOW - DAY),
		row('new'),
		row('undated', 'soon'),
		row('future', NOW + 9e9),
	];
	const ledger = new Ledger();
	for (const each of rows) ledger.add(each);
	const until = ledger.believedUntil(clock);

	test('believes a day more than the later clock', () => {
		expect(until).toBe(NOW + DAY);
		expect(ledger.believedUntil({ service: NOW, local: NOW + 9e9 })).toBe(NOW + 9e9 + DAY);
	});

	test('tells the dates that are believed from those that are not', () => {
		expect(ledger.newestFirst(until)).toEqual([NOW, NOW - DAY]);
		expect(ledger.newestFirst(NOW - DAY)).toEqual([NOW - DAY]);
		expect(ledger.strays(until)).toEqual([rows[2]?.hash, rows[3]?.hash]);
		expect(ledger.strays(NOW + 9e9)).toEqual([rows[2]?.hash]);
	});

	test('is the same after it was stored', () => {
		const stored = JSON.parse(JSON.stringify(ledger)) as ReturnType<Ledger['toJSON']>;
		expect(isKnown(stored)).toBe(true);
		expect(new Ledger(stored)).toEqual(ledger);
	});

	test('keeps the newest date of an event, and knows when there is a newer one', () => {
		const twice = new Ledger();
		twice.add(row('evt', 'soon'));
		expect(twice.isOutdated(row('evt'))).toBe(true);
		twice.add(row('evt'));
		twice.add(row('evt', NOW - DAY));
		twice.add(row('evt', 'soon'));
		expect(twice.newestFirst(Infinity)).toEqual([NOW]);
		expect(twice.isOutdated(row('evt'))).toBe(false);
		expect(twice.isOutdated(row('evt', NOW + 1))).toBe(true);
		expect(twice.isOutdated(row('another', NOW + 1))).toBe(false);
	});

	test('forgets what is older than the floor, and nothing else', () => {
		const settled = new Ledger(ledger.toJSON());
		settled.settle(NOW);
		expect(rows.map(({ hash }) => settled.has(hash))).toEqual([false, true, true, true]);
	});
});
