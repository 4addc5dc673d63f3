import fc from 'fast-check';

import type { Client } from '../../../nodes/PaymentsGateway/gateway/client';
import { eventsOf } from '../../../nodes/PaymentsGateway/resources/payment/eventIndex';
import type { PageRequest, WebhookEvent } from '../../../nodes/PaymentsGateway/wire';
import { standIn } from '../../engine/instance';
import type { Habits } from '../../gateway/servedList';
import { ServedList } from '../../gateway/servedList';

/** Which events are told of a reference, and how many requests that takes. */

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const WANTED = 'ORDER-1';

let made = 0;
function event(daysAgo: number, referenceID = WANTED, record: object = {}): WebhookEvent {
	const isBack = 'parentTransactionId' in record;
	const transaction = { id: `txn_${++made}`, amount: 100, referenceID, ...record };
	return {
		eventID: `evt_${made}`,
		type: isBack ? 'payment_refund' : 'payment_success',
		date: new Date(NOW - daysAgo * DAY).toISOString(),
		payload: JSON.stringify(isBack ? { refund: transaction } : { transaction }),
	};
}
/** Of other sales, evenly from one day to another. */
const others = (count: number, from = 0, to = 29) =>
	Array.from({ length: count }, (_, index) =>
		event(from + ((to - from) * (index + 0.5)) / count, `SALE-${1000 + index}`),
	);
const ids = (rows: WebhookEvent[]) => rows.map(({ eventID }) => eventID);
const dateOf = ({ date }: WebhookEvent) => Date.parse(date) || 0;
const newestFirst = (a: WebhookEvent, b: WebhookEvent) => dateOf(b) - dateOf(a);

/** A merchant with a list of events. */
class Gateway extends ServedList<WebhookEvent> {
	/** Its clock, where it tells one. */
	date: number | undefined;
	private readonly scope = `merchant-${++made}`;

	constructor(rows: WebhookEvent[], habits: Partial<Habits> = {}) {
		super([...rows].sort(newestFirst), { behind: 'nothing', ...habits });
	}

	come(event: WebhookEvent): void {
		this.rows.push(event);
		this.rows.sort(newestFirst);
	}

	/** What a run of its own is told. */
	async told(lookBackDays = 30, wanted = WANTED, client = this.run()): Promise<string[]> {
		const fieldError = (words: string, more?: string) => new Error(`${words} ${more}`) as never;
		const told = await eventsOf({ client, fieldError }, wanted, lookBackDays);
		return told.map(({ eventID }) => eventID);
	}

	/** How many requests a look-up takes. */
	async cost(): Promise<number> {
		const before = this.requests;
		await this.told();
		return this.requests - before;
	}

	run(): Client {
		const attempt = async (_: string, { page }: { page: PageRequest }) =>
			await this.fetch(page).then(
				(answer) => ({ reply: { answer, date: this.date } }),
				(error: unknown) => ({ error }),
			);
		const warn = () => undefined;
		const told = { scope: this.scope, parallel: 3, warn, attempt: attempt as never };
		return standIn<Client>('client', told);
	}
}

/** Milliseconds, by the clock that nobody puts right. */
let passed = 0;
beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	jest.spyOn(performance, 'now').mockImplementation(() => passed);
});
afterEach(() => jest.restoreAllMocks());

test('every event of the look-back is told, none of others, whatever comes and goes meanwhile', async () => {
	const day = fc.integer({ min: 0, max: 40 });
	const change = fc.record({
		/** Events that came in time are dated now, late ones up to three days ago. */
		daysLate: fc.constantFrom(0, 0, 0, 0.5, 2.9),
		isWanted: fc.boolean(),
		gone: fc.nat({ max: 2 }),
		minutes: fc.constantFrom(0, 1, 11),
		lookBackDays: fc.constantFrom(5, 30),
	});
	const scenes = fc.record({
		filler: fc.constantFrom(5, 99, 100, 150),
		days: fc.array(day, { maxLength: 4 }),
		cap: fc.constantFrom(10, 40, Infinity),
		total: fc.constantFrom<Habits['total'][]>('number', 'missing'),
		changes: fc.array(change, { maxLength: 8 }),
	});
	await fc.assert(
		fc.asyncProperty(scenes, async ({ filler, days, cap, total, changes }) => {
			const wantedBefore = days.map((ago) => event(ago + 0.3));
			const gateway = new Gateway([...others(filler, 0, 40), ...wantedBefore], { cap, total });
			for (const { daysLate, isWanted, gone, minutes, lookBackDays } of changes) {
				passed += minutes * 60_000;
				gateway.rows.splice(gateway.rows.length - gone, gone);
				gateway.come(event(daysLate, isWanted ? WANTED : 'SALE-X'));
				const wanted = gateway.rows.filter(
					(row) => row.payload.includes(`"${WANTED}"`) && dateOf(row) >= NOW - lookBackDays * DAY,
				);
				const told = await gateway.told(lookBackDays);
				// What has gone may still be told: it was there.
				expect(told).toEqual(expect.arrayContaining(ids(wanted)));
				const since = (row: WebhookEvent) => dateOf(row) < NOW - lookBackDays * DAY;
				expect(told.filter((id) => ids(gateway.rows.filter(since)).includes(id))).toEqual([]);
			}
		}),
		{ numRuns: Number(process.env.LOOK_UPS ?? 25) },
	);
});

test('what became of its payment is told too, under any reference or none', async () => {
	const parentTransactionId = 'txn_paid';
	const failure = (daysAgo: number, reference: string, id: string) => ({
		...event(daysAgo, reference, { id }),
		type: 'payment_failed',
	});
	const its = [
		event(20, WANTED, { id: parentTransactionId }),
		event(19, '', { parentTransactionId }),
		event(18, 'BACK-1', { parentTransactionId }),
		event(17, '', { id: parentTransactionId, parentTransactionId: '' }),
		failure(16, '', parentTransactionId),
		failure(15, WANTED, 'txn_failed'),
		event(14, WANTED, { id: '' }),
	];
	const noise = ['txn_x', 'txn_failed'].map((id) => event(16, '', { parentTransactionId: id }));
	noise.push(event(16, 'ORDER-2'), failure(16, 'ORDER-2', 'txn_2'), failure(16, '', ''));
	noise.push(event(16, '', { id: '', parentTransactionId: '' }), event(16, 'order-1'));
	const gateway = new Gateway([...its, ...noise, ...others(450)]);
	expect(await gateway.told()).toEqual(ids(its));
});

describe('the look-back', () => {
	const paid = event(20);

	test('ends the reading, and a longer one begins it anew', async () => {
		const far = event(80);
		const gateway = new Gateway([...others(150, 0, 9), ...others(2_000, 11, 90), far]);
		await gateway.told(10);
		// Three pages, and the tail before and after them.
		expect(gateway.requests).toBeLessThanOrEqual(5);
		expect(await gateway.told(90)).toEqual([far.eventID]);
	});

	test.each(['gateway', 'machine'])(
		'is not shortened by a %s whose clock is ahead',
		async (whose) => {
			const ahead = NOW + 300 * DAY;
			const gateway = new Gateway([paid, event(-300, 'SALE-X'), ...others(50)]);
			gateway.date = whose === 'gateway' ? ahead : NOW;
			if (whose === 'machine') jest.spyOn(Date, 'now').mockReturnValue(ahead);
			expect(await gateway.told()).toEqual([paid.eventID]);
		},
	);

	test.each<[string, Partial<Habits>, RegExp]>([
		[
			'cannot be read so deep',
			{ lastPage: 2, status: '400' },
			/the gateway counts 451 rows .*'Look Back/,
		],
		['is oldest first', {}, /the gateway lists its events with the oldest/],
	])('is an error that names it where the list %s', async (_, how, words) => {
		const gateway = new Gateway([paid, ...others(450)], how);
		if (how.lastPage === undefined) gateway.rows.reverse();
		const told = await gateway.told().catch(String);
		expect(told).toMatch(/Nobody can tell whether .*"ORDER-1" was paid: /);
		expect(told).toMatch(words);
	});
});

describe('a later look-up', () => {
	// The top and the tail; without a count the pages of three days.
	test.each([
		['number', 2],
		['missing', 3],
	] as const)('costs little (count: %s): %i requests', async (total, requests) => {
		const gateway = new Gateway(others(5_000, 0, 100), { total });
		await gateway.told();
		for (let times = 0; times < 10; times++) {
			gateway.come(event(-times / 1000, 'SALE-NEW'));
			expect(await gateway.cost()).toBe(requests);
		}
	});

	test('finds an event that came late, however far down', async () => {
		const gateway = new Gateway(others(1_000));
		await gateway.told();
		const late = event(12);
		gateway.come(late);
		expect(await gateway.told()).toEqual([late.eventID]);
	});

	test('costs two requests as well where each event that comes removes the oldest', async () => {
		const gateway = new Gateway(others(5_000, 0, 100));
		await gateway.told();
		for (let times = 0; times < 10; times++) {
			gateway.come(event(-times / 1000, 'SALE-NEW'));
			gateway.rows.pop();
			expect(await gateway.cost()).toBe(2);
		}
	});

	test('finds an event that came late while the oldest was removed', async () => {
		const gateway = new Gateway(others(5_000, 0, 100));
		await gateway.told();
		const late = event(2.9);
		gateway.come(late);
		gateway.rows.pop();
		expect(await gateway.told()).toEqual([late.eventID]);
	});

	test('does without the tail of the list where that cannot be read', async () => {
		const gateway = new Gateway(others(450));
		gateway.before = () => {
			if (gateway.asked.at(-1)?.sort?.order === 'asc') throw new Error('Down');
		};
		await gateway.told();
		const paid = event(2.9);
		gateway.come(paid);
		expect(await gateway.told()).toEqual([paid.eventID]);
	});

	test('reads the look-back anew after ten minutes', async () => {
		const gateway = new Gateway(others(450));
		await gateway.told();
		passed += 599_999;
		expect(await gateway.cost()).toBe(2);
		passed += 1;
		// Five pages, and the tail before and after them.
		expect(await gateway.cost()).toBe(7);
	});

	test('of the merchant that was used least begins anew where all have more than 50,000', async () => {
		const [often, least] = [new Gateway(others(450)), new Gateway(others(250))];
		for (const each of [often, least, often]) await each.told();
		const empty = { ...event(1), payload: '{}' };
		const many = Array.from({ length: 49_500 }, (_, index) => ({ ...empty, eventID: `${index}` }));
		await new Gateway(many).told();
		expect(await often.cost()).toBe(2);
		expect(await least.cost()).toBe(5);
	}, 120_000);
});

describe('look-ups at once', () => {
	test('share the next reading, and never one under way', async () => {
		const gateway = new Gateway(others(450));
		const client = gateway.run();
		const began = gateway.told(30, 'OTHER', client);
		// The first scan has begun, and has seen the newest page.
		while (gateway.requests < 4) await new Promise(setImmediate);
		const paid = event(0);
		gateway.come(paid);
		const all = Array.from({ length: 20 }, async () => await gateway.told(30, WANTED, client));
		await began;
		for (const told of await Promise.all(all)) expect(told).toEqual([paid.eventID]);
		// Five pages; then, since an event was listed meanwhile, the pages of three days; each with its tails.
		expect(gateway.requests).toBe(7 + 5);
	});

	test('of two runs follow one another, and one that is cancelled breaks no other', async () => {
		const paid = event(3);
		const gateway = new Gateway([...others(450), paid]);
		gateway.before = (request) => {
			if (request === 2) throw new Error('The execution was canceled');
		};
		const cancelled = gateway.told();
		const other = gateway.told();
		await expect(cancelled).rejects.toThrow('canceled');
		expect(await other).toEqual([paid.eventID]);
	});
});
