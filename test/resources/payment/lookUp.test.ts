import fc from 'fast-check';

import type { Client } from '../../../nodes/PaymentsGateway/gateway/client';
import { eventsOf } from '../../../nodes/PaymentsGateway/resources/payment/lookUp';
import type { PageRequest, WebhookEvent } from '../../../nodes/PaymentsGateway/wire';
import { standIn } from '../../engine/instance';

/** Which events are told of a reference, whatever the service's search does, and at what cost. */

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const WANTED = 'ORDER-1';

let made = 0;
function event(daysAgo: number, referenceID = WANTED, record: object = {}): WebhookEvent {
	made += 1;
	const isBack = 'parentTransactionId' in record;
	const transaction = { id: `txn_${made}`, amount: 100, referenceID, ...record };
	return {
		eventID: `evt_${made}`,
		type: isBack ? 'payment_refund' : 'payment_success',
		date: new Date(NOW - daysAgo * DAY).toISOString(),
		payload: JSON.stringify(isBack ? { refund: transaction } : { transaction }),
	};
}
/** Of other sales, evenly from one day to another. */
const others = (count: number, from = 0, to = 29, name = 'SALE-') =>
	Array.from({ length: count }, (_, index) =>
		event(from + ((to - from) * (index + 0.5)) / count, `${name}${1000 + index}`),
	);
const ids = (rows: WebhookEvent[]) => rows.map(({ eventID }) => eventID);
const dateOf = ({ date }: WebhookEvent) => Date.parse(date) || 0;
const hasWord = (word: string) => (row: WebhookEvent) =>
	row.payload.toLowerCase().includes(word.toLowerCase());

/** A list of events in memory, with a search that can be told what to answer. */
class Service {
	asked: PageRequest[] = [];
	/** No row is given out that lies deeper in the list. */
	deepest = Infinity;
	sorts: 'as asked' | 'upside down' | 'oldest first' = 'as asked';
	/** Its clock, where it tells one. */
	date: number | undefined;
	/** What it says beside its rows. */
	said: (total: number) => unknown = (total) => ({ total });
	finds: (word: string, rows: WebhookEvent[]) => WebhookEvent[] = (word, rows) =>
		rows.filter(hasWord(word));
	/** Which requests it does not answer. */
	fails: (asked: PageRequest) => boolean = () => false;
	readonly rows: WebhookEvent[];
	/** The rows in order, as long as none is added. */
	private readonly orders = new Map<number, WebhookEvent[]>();
	private readonly scope = `merchant-${++made}`;

	constructor(...rows: WebhookEvent[][]) {
		this.rows = rows.flat();
	}

	async told(lookBackDays = 30, wanted = WANTED): Promise<string[]> {
		this.asked = [];
		const complain = (words: string, more?: string) => new Error(`${words} ${more}`) as never;
		const told = await eventsOf({ client: this.client(), complain }, wanted, lookBackDays);
		return told.map(({ eventID }) => eventID);
	}

	/** Pages of the list, without searches. */
	get pages(): unknown[] {
		return this.asked.filter(({ search }) => search === undefined).map(({ page }) => page);
	}

	private answer({ search, page = 1, pageSize = 10, sort }: PageRequest) {
		const isAscending = (sort?.order === 'asc') === (this.sorts === 'as asked');
		const sign = isAscending || this.sorts === 'oldest first' ? 1 : -1;
		const sorted = this.sorted(sign);
		const rows = search === undefined ? sorted : this.finds(search, sorted);
		const to = page * pageSize;
		if (search === undefined && page > 1 && to > this.deepest) return undefined;
		return { data: rows.slice(to - pageSize, to), page: this.said(rows.length) };
	}

	private sorted(sign: number): WebhookEvent[] {
		const key = sign * this.rows.length;
		const known = this.orders.get(key);
		const sorted = known ?? [...this.rows].sort((a, b) => sign * (dateOf(a) - dateOf(b)));
		this.orders.set(key, sorted);
		return sorted;
	}

	private client(): Client {
		const attempt = async (_: string, { page }: { page: PageRequest }) => {
			this.asked.push(page);
			const answer = await Promise.resolve(this.answer(page));
			if (this.fails(page)) return { error: new Error('Away') };
			if (answer !== undefined) return { reply: { answer, date: this.date } };
			return { error: Object.assign(new Error('Too deep'), { httpCode: '400' }) };
		};
		const call = async (...given: Parameters<typeof attempt>) => {
			const result = await attempt(...given);
			if ('error' in result) throw result.error as Error;
			return result.reply.answer;
		};
		return standIn<Client>('client', {
			scope: this.scope,
			parallel: 3,
			warn: () => undefined,
			attempt: attempt as never,
			call: call as never,
		});
	}
}

/** Milliseconds, by the clock that nobody puts right. */
let passed = 0;
beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	jest.spyOn(performance, 'now').mockImplementation(() => passed);
});
afterEach(() => jest.restoreAllMocks());

describe('whatever the search does', () => {
	type Finds = Service['finds'];
	const isShown: Finds = (word, rows) => rows.filter(hasWord(word));
	const number = fc.integer({ min: 1, max: 500 });
	const newestOf = (rows: WebhookEvent[], count: number) =>
		new Set([...rows].sort((a, b) => dateOf(b) - dateOf(a)).slice(0, count));
	const search: fc.Arbitrary<Finds> = fc.oneof(
		fc.constant(isShown),
		fc.constant((() => []) as Finds),
		fc.constant(((_, rows) => rows) as Finds),
		fc.constant(((word, rows) => (/[A-Z]/.test(word) ? [] : isShown(word, rows))) as Finds),
		fc.constant(((word, rows) => (word.includes('-') ? [] : isShown(word, rows))) as Finds),
		fc.constant(((word, rows) => (word.length < 3 ? [] : isShown(word, rows))) as Finds),
		fc.constant(((word, rows) => (word.length > 30 ? [] : isShown(word, rows))) as Finds),
		// It lags behind, knows the newest alone, or finds the parts of a word.
		number.map((count): Finds => (word, rows) => {
			const newest = newestOf(rows, count);
			return isShown(word, rows).filter((row) => !newest.has(row));
		}),
		number.map((count): Finds => (word, rows) => {
			const newest = newestOf(rows, count);
			return isShown(word, rows).filter((row) => newest.has(row));
		}),
		fc.constant(((word, rows) => rows.filter(hasWord(word.split('-')[0] ?? ''))) as Finds),
	);
	const WRITTEN = ['ORDER-1', 'order-1', 'ORDER-12', 'P7', 'sale_9', `ID-${'7'.repeat(40)}`, ''];
	const reference = fc.oneof(fc.constant(WANTED), fc.constantFrom(...WRITTEN));
	const day = fc.integer({ min: 0, max: 35 });
	const scene = fc.record({
		filler: fc.constantFrom(20, 150, 450, 450),
		sorts: fc.constantFrom<Service['sorts']>('as asked', 'as asked', 'upside down', 'oldest first'),
		name: fc.constantFrom('SALE-', 'SALE-', 'SALE-', 'sale', 'S_', `${'L'.repeat(30)}-`),
		rows: fc.array(fc.record({ reference, day, isRefunded: fc.boolean() }), { maxLength: 8 }),
		search,
		said: fc.constantFrom<Service['said']>(
			(total) => ({ total }),
			() => ({}),
			() => undefined,
			() => ({ total: 0 }),
		),
		before: fc.array(reference, { maxLength: 3 }),
	});

	test('every event of the look-back is told, and none of others', async () => {
		await fc.assert(
			fc.asyncProperty(
				scene,
				async ({ filler, name, rows, search: finds, said, sorts, before }) => {
					const paid = rows.map(({ reference: one, day: daysAgo }) => event(daysAgo + 0.3, one));
					const back = rows.flatMap(({ isRefunded, day: daysAgo }, index) => {
						// Refunds that carry no reference. Where the search misses them they are in the list.
						if (!isRefunded || finds !== isShown) return [];
						const parentTransactionId = /txn_\d+/.exec(paid[index]?.payload ?? '')?.[0];
						return [event(daysAgo / 2, '', { parentTransactionId })];
					});
					const service = new Service(others(filler, 0, 40, name), paid, back);
					Object.assign(service, { finds, said, sorts });
					for (const one of [...before, WANTED]) await service.told(30, one || 'X-1');
					const isWanted = ({ payload }: WebhookEvent) =>
						payload.includes(`"referenceID":"${WANTED}"`);
					const its = paid.filter(isWanted);
					const refunds = back.filter(({ payload }) =>
						its.some((row) => payload.includes(`:${/"txn_\d+"/.exec(row.payload)?.[0]}`)),
					);
					const told = await service.told();
					const recent = its.filter((row) => dateOf(row) >= NOW - 30 * DAY);
					expect(told).toEqual(expect.arrayContaining(ids(recent)));
					expect([...ids(its), ...ids(refunds)]).toEqual(expect.arrayContaining(told));
					for (const row of refunds) {
						const isOfRecent = recent.some((one) =>
							row.payload.includes(/"txn_\d+"/.exec(one.payload)?.[0] ?? ''),
						);
						if (isOfRecent) expect(told).toContain(row.eventID);
					}
				},
			),
			{ numRuns: Number(process.env.LOOK_UPS ?? 200) },
		);
	});
});

describe('what is told', () => {
	test('is every event of the reference, the oldest first, and none of others', async () => {
		const [old, middle, young] = [event(3), event(2), event(1)];
		const service = new Service([
			young,
			event(1.5, 'ORDER-10'),
			middle,
			old,
			event(2.5, 'order-1'),
		]);
		expect(await service.told()).toEqual(ids([old, middle, young]));
	});

	test.each([
		['with escapes', (json: string) => json.replace('1234', '\\u00312\\u00334')],
		['as JSON in JSON', (json: string) => JSON.stringify(json)],
		['as a number', (json: string) => json.replace('"1234"', '1234')],
		['in what broke off', (json: string) => json.slice(0, json.indexOf('1234') + 5)],
	])('holds one whose reference is written %s', async (_, written) => {
		const row = event(1, '1234');
		const service = new Service([{ ...row, payload: written(row.payload) }, event(2, '12345')]);
		expect(await service.told(30, '1234')).toEqual([row.eventID]);
	});

	test('holds a refund of its payment, whatever reference that carries', async () => {
		const paid = event(20, WANTED, { id: 'txn_paid' });
		const parentTransactionId = 'txn_paid';
		const refunds = [
			event(19, '', { parentTransactionId }),
			event(18, 'BACK-1', { parentTransactionId }),
			event(17, '', { parentTransactionId }),
		];
		const noise = [event(16, '', { parentTransactionId: 'txn_x' }), event(16, 'ORDER-2')];
		const service = new Service([paid], refunds, noise, others(450));
		expect(await service.told()).toEqual(ids([paid, ...refunds]));
		service.finds = () => [];
		passed += 600_000;
		expect(await service.told()).toEqual(ids([paid, ...refunds]));
	});

	test('holds that refund also where the search for its payment fails', async () => {
		const paid = event(20, WANTED, { id: 'txn_paid' });
		const refund = event(15, '', { parentTransactionId: 'txn_paid' });
		const service = new Service(others(450), [paid, refund]);
		service.fails = ({ search }) => search === 'txn_paid';
		expect(await service.told()).toEqual(ids([paid, refund]));
	});

	test.each([undefined, null, 'page 1', {}, { total: '3' }])(
		'is the same where the service says %j beside its rows',
		async (said) => {
			const paid = event(1);
			const service = new Service([paid, ...others(2)]);
			service.said = () => said;
			expect(await service.told()).toEqual([paid.eventID]);
		},
	);
});

describe('how far back the list is read', () => {
	const blind = (...rows: WebhookEvent[][]) => {
		const service = new Service(...rows);
		service.finds = () => [];
		return service;
	};
	const paid = event(20);
	const rows = [others(150, 0, 1), [paid], others(49, 21, 29), others(400, 40, 90)];

	test('is the look-back, and a page that shows its end', async () => {
		const service = blind(...rows);
		expect(await service.told(30)).toEqual([paid.eventID]);
		expect(await service.told(30)).toEqual([paid.eventID]);
		expect(service.pages.length).toBeLessThanOrEqual(5);
		expect(await service.told(10)).toEqual([paid.eventID]);
		const shorter = blind(others(150, 0, 1), others(300, 15, 60), [event(70)]);
		expect(await shorter.told(10)).toEqual([]);
	});

	test.each(['service', 'machine', 'service and machine', 'event'])(
		'is not shortened by the clock of a %s that runs ahead',
		async (whose) => {
			const service = blind(...rows, whose === 'event' ? [event(-300, 'SALE-X')] : []);
			service.date = whose.includes('service') ? NOW + 300 * DAY : NOW;
			if (whose.includes('machine')) jest.spyOn(Date, 'now').mockReturnValue(NOW + 300 * DAY);
			expect(await service.told(30)).toEqual([paid.eventID]);
		},
	);

	test('is all there is where the service sorts otherwise', async () => {
		const service = blind(...rows);
		service.sorts = 'upside down';
		expect(await service.told(30)).toEqual([paid.eventID]);
	});

	test('is as far as the payment of a refund', async () => {
		const [refund, old] = [event(1, WANTED, { parentTransactionId: null }), event(85)];
		const service = blind([refund], others(500, 0, 80), [old], others(200, 86, 100));
		expect(await service.told(30)).toEqual(ids([old, refund]));
	});
});

describe('a list that shows less than it counts', () => {
	const paid = event(28);
	const capped = () => {
		const service = new Service(others(11_998), [paid], others(800, 40, 60));
		service.deepest = 10_000;
		return service;
	};

	test('stops nobody where the search is believed', async () => {
		const service = capped();
		expect(await service.told()).toEqual([paid.eventID]);
		expect(await service.told(30, 'ORDER-2')).toEqual([]);
		expect(service.asked).toHaveLength(2);
	});

	test('is an error otherwise, which names the look-back', async () => {
		const service = capped();
		service.finds = () => [];
		await expect(service.told()).rejects.toThrow(/does not show, .*'Look Back \(Days\)'/);
		expect(await service.told(20)).toEqual([]);
	});

	test('is an error where it ends too soon', async () => {
		const service = new Service(others(199), [paid]);
		service.finds = () => [];
		service.said = () => ({ total: 1_000 });
		await expect(service.told()).rejects.toThrow('does not show');
		service.rows.length = 0;
		await expect(service.told()).rejects.toThrow('does not show');
	});
});

describe('what a look-up costs', () => {
	const month = () => new Service(others(5_000));

	test('of twenty references at once in a new process, one proves the search for all', async () => {
		const service = month();
		await Promise.all(Array.from({ length: 20 }, (_, index) => service.told(30, `ORDER-${index}`)));
		expect(service.asked.length).toBeLessThanOrEqual(45);
	});

	test('is two requests once the search is believed, for ten minutes, and a third where it is paid', async () => {
		const service = month();
		await service.told();
		expect(service.asked).toHaveLength(6);
		passed += 599_999;
		await service.told();
		expect(service.asked).toMatchObject([{ page: 1 }, { search: WANTED }]);
		service.rows.push(event(15));
		expect(await service.told()).toHaveLength(1);
		expect(service.asked).toHaveLength(3);
		passed += 1;
		await service.told();
		expect(service.asked).toHaveLength(7);
	});

	test('is the list alone while the search is known to be of no use', async () => {
		const service = new Service(others(450));
		service.finds = () => [];
		await service.told();
		await service.told();
		expect(service.asked.filter(({ search }) => search !== undefined)).toEqual([]);
		passed += 600_000;
		await service.told();
		expect(service.asked.some(({ search }) => search !== undefined)).toBe(true);
	});

	test('is a list of one page itself', async () => {
		const service = new Service(others(98), [event(1)]);
		await service.told();
		await service.told();
		expect(service.asked.every(({ search }) => search === undefined)).toBe(true);
		expect(service.asked.length).toBeLessThanOrEqual(2);
	});

	test('is the list again once the search has missed what the newest page shows', async () => {
		const service = new Service(others(450));
		await service.told();
		const paid = event(0);
		service.rows.push(paid, event(15));
		service.finds = () => [];
		expect(await service.told()).toHaveLength(2);
		expect(await service.told()).toHaveLength(2);
	});

	test('is the list where the search lags behind more than the newest page', async () => {
		const service = new Service(others(450), [event(10)]);
		service.finds = (word, rows) =>
			rows.filter(hasWord(word)).filter((row) => dateOf(row) < NOW - 12 * DAY);
		expect(await service.told()).toHaveLength(1);
	});

	test('is the list where a search answers as many rows as a page has', async () => {
		const service = new Service(others(450), [event(25)]);
		await service.told();
		service.finds = (_, rows) => rows.slice(0, 100);
		service.said = () => undefined;
		expect(await service.told()).toHaveLength(1);
	});
});
