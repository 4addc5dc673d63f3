import fc from 'fast-check';

import type { Client } from '../../../nodes/PaymentsGateway/gateway/client';
import { eventsOf } from '../../../nodes/PaymentsGateway/resources/payment/eventIndex';
import type { PageRequest, WebhookEvent } from '../../../nodes/PaymentsGateway/wire';
import { standIn } from '../../engine/instance';

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

/** A list of events in memory, of a merchant of its own. */
class Gateway {
	pages: unknown[] = [];
	/** The most rows on a page. */
	cap = Infinity;
	/** A page below it is refused. */
	deepest = Infinity;
	sign = -1;
	counts = true;
	/** Its clock, where it tells one. */
	date: number | undefined;
	/** Runs before each answer, as when the list changes or the request fails. */
	before: () => Promise<void> | void = () => undefined;
	rows: WebhookEvent[];
	private readonly scope = `merchant-${++made}`;
	private sorted: WebhookEvent[] = [];

	constructor(...rows: Array<WebhookEvent | WebhookEvent[]>) {
		this.rows = rows.flat();
	}

	that(how: Partial<Gateway>): this {
		return Object.assign(this, how);
	}

	/** What a run of its own is told. */
	async told(lookBackDays = 30, wanted = WANTED, client = this.run()): Promise<string[]> {
		const fieldError = (words: string, more?: string) => new Error(`${words} ${more}`) as never;
		const told = await eventsOf({ client, fieldError }, wanted, lookBackDays);
		return told.map(({ eventID }) => eventID);
	}

	/** How many requests something takes. */
	async cost(task: () => Promise<unknown>): Promise<number> {
		this.pages = [];
		await task();
		return this.pages.length;
	}

	run(): Client {
		const attempt = async (_: string, { page }: { page: PageRequest }) => {
			this.pages.push(page.page);
			const answer = this.answer(page);
			try {
				await this.before();
			} catch (error) {
				return { error };
			}
			if (answer !== undefined) return { reply: { answer, date: this.date } };
			return { error: Object.assign(new Error('Too deep'), { httpCode: '400' }) };
		};
		return standIn<Client>('client', {
			scope: this.scope,
			parallel: 3,
			warn: () => undefined,
			attempt: attempt as never,
		});
	}

	private answer({ page = 1, pageSize = 10 }: PageRequest) {
		// Sorted once for all pages of a reading: some lists are long.
		if (page === 1)
			this.sorted = [...this.rows].sort((a, b) => this.sign * (dateOf(a) - dateOf(b)));
		const { sorted } = this;
		const size = Math.min(pageSize, this.cap);
		const to = page * size;
		if (page > 1 && to > this.deepest) return undefined;
		const said = this.counts ? { total: sorted.length } : {};
		return { data: sorted.slice(to - size, to), page: said };
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
		counts: fc.boolean(),
		changes: fc.array(change, { maxLength: 8 }),
	});
	await fc.assert(
		fc.asyncProperty(scenes, async ({ filler, days, cap, counts, changes }) => {
			const gateway = new Gateway(others(filler, 0, 40)).that({ cap, counts });
			gateway.rows.push(...days.map((ago) => event(ago + 0.3)));
			for (const { daysLate, isWanted, gone, minutes, lookBackDays } of changes) {
				passed += minutes * 60_000;
				// What goes while another comes late leaves the count as it was: then ten minutes show it.
				const isGone = daysLate === 0 || !counts || minutes === 11;
				const oldest = [...gateway.rows].sort((a, b) => dateOf(a) - dateOf(b));
				for (const row of isGone ? oldest.slice(0, gone) : []) {
					gateway.rows.splice(gateway.rows.indexOf(row), 1);
				}
				gateway.rows.push(event(daysLate, isWanted ? WANTED : 'SALE-X'));
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
	const gateway = new Gateway(its, noise, others(450));
	expect(await gateway.told()).toEqual(ids(its));
});

describe('the look-back', () => {
	const paid = event(20);

	test('ends the reading, and a longer one begins it anew', async () => {
		const gateway = new Gateway(others(150, 0, 9), paid, others(2_000, 21, 90));
		expect(await gateway.cost(async () => await gateway.told(10))).toBeLessThanOrEqual(4);
		expect(await gateway.told(30)).toEqual([paid.eventID]);
	});

	test.each(['gateway', 'machine'])(
		'is not shortened by a %s whose clock is ahead',
		async (whose) => {
			const gateway = new Gateway(paid, event(-300, 'SALE-X'), others(50));
			gateway.date = NOW + (whose === 'gateway' ? 300 * DAY : 0);
			if (whose === 'machine') jest.spyOn(Date, 'now').mockReturnValue(NOW + 300 * DAY);
			expect(await gateway.told()).toEqual([paid.eventID]);
		},
	);

	test.each<[string, Partial<Gateway>, RegExp]>([
		['cannot be read so deep', { deepest: 200 }, /: the gateway counts 451 rows .*'Look Back/],
		['is oldest first', { sign: 1 }, /: the gateway lists its events with the oldest first/],
	])('is an error that names it where the list %s', async (_, how, words) => {
		const gateway = new Gateway(paid, others(450)).that(how);
		await expect(gateway.told()).rejects.toThrow(/^Nobody can tell whether .*"ORDER-1" was paid/);
		await expect(gateway.told()).rejects.toThrow(words);
	});
});

describe('a later look-up', () => {
	test.each([true, false])('costs one request (counts: %s)', async (counts) => {
		const gateway = new Gateway(others(5_000, 0, 100)).that({ counts });
		await gateway.told();
		const again = await gateway.cost(async () => {
			for (let times = 0; times < 10; times++) {
				gateway.rows.push(event(-times / 1000, 'SALE-NEW'));
				await gateway.told();
			}
		});
		// Without a count it reads back three days.
		expect(again).toBe(counts ? 10 : 30);
	});

	test('finds an event that came late, however far down', async () => {
		const gateway = new Gateway(others(1_000));
		await gateway.told();
		const late = event(12);
		gateway.rows.push(late);
		expect(await gateway.told()).toEqual([late.eventID]);
	});

	test('reads the look-back anew after ten minutes', async () => {
		const gateway = new Gateway(others(450));
		await gateway.told();
		passed += 599_999;
		expect(await gateway.cost(async () => await gateway.told())).toBe(1);
		passed += 1;
		expect(await gateway.cost(async () => await gateway.told())).toBe(5);
	});

	test('of the merchant that was used least begins anew where all have more than 50,000', async () => {
		const often = new Gateway(others(450));
		const least = new Gateway(others(250));
		for (const each of [often, least, often]) await each.told();
		const empty = (count: number) =>
			Array.from({ length: count }, () => ({ ...event(1), payload: '{}' }));
		// One that has more than all may have drives out no other.
		await new Gateway(empty(50_001)).told();
		expect(await least.cost(async () => await least.told())).toBe(1);
		await often.told();
		await new Gateway(empty(49_500)).told();
		expect(await often.cost(async () => await often.told())).toBe(1);
		expect(await least.cost(async () => await least.told())).toBe(3);
	}, 120_000);
});

describe('look-ups at once', () => {
	test('share the next reading, and never one under way', async () => {
		const gateway = new Gateway(others(450));
		const client = gateway.run();
		const began = gateway.told(30, 'OTHER', client);
		await new Promise(setImmediate);
		// The first reading has begun, and has seen the newest page.
		const paid = event(0);
		gateway.rows.push(paid);
		const all = Array.from({ length: 20 }, async () => await gateway.told(30, WANTED, client));
		await began;
		for (const told of await Promise.all(all)) expect(told).toEqual([paid.eventID]);
		expect(gateway.pages).toHaveLength(6);
	});

	test('of two runs follow one another, and one that is cancelled breaks no other', async () => {
		const paid = event(3);
		const gateway = new Gateway(others(450), paid);
		let asked = 0;
		gateway.before = async () => {
			await new Promise(setImmediate);
			if (++asked === 1) throw new Error('The execution was canceled');
		};
		const cancelled = gateway.told();
		const other = gateway.told();
		await expect(cancelled).rejects.toThrow('canceled');
		expect(await other).toEqual([paid.eventID]);
	});
});
