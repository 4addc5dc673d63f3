import fc from 'fast-check';

import type { Client } from '../../../nodes/PaymentsGateway/gateway/client';
import { eventsOf } from '../../../nodes/PaymentsGateway/resources/payment/lookUp';
import type { PageRequest, WebhookEvent } from '../../../nodes/PaymentsGateway/wire';
import { standIn } from '../../engine/instance';

/** Which events are told of a reference, whatever the gateway's search does, and at what cost. */

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const WANTED = 'ORDER-1';

let made = 0;
function event(daysAgo: number, referenceID = WANTED, record: object = {}): WebhookEvent {
	// As long as any other, so that none is found where another is searched for.
	const number = String(++made).padStart(7, '0');
	const isBack = 'parentTransactionId' in record;
	const transaction = { id: `txn_${number}`, amount: 100, referenceID, ...record };
	return {
		eventID: `evt_${number}`,
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

const shown = (word: string, rows: WebhookEvent[]) => rows.filter(hasWord(word));
type Finds = typeof shown;
const unless =
	(isLost: (word: string) => boolean): Finds =>
	(word, rows) =>
		isLost(word) ? [] : shown(word, rows);

/** A list of events in memory, with a search that can be told what to answer. */
class Service {
	asked: PageRequest[] = [];
	/** The most rows on a page. */
	cap = Infinity;
	/** No row is given out that lies deeper in the list. */
	deepest = Infinity;
	sorts: 'as asked' | 'upside down' | 'oldest first' | 'newest first' = 'as asked';
	/** Its clock, where it tells one. */
	date: number | undefined;
	/** What it says beside its rows. */
	said: (total: number) => unknown = (total) => ({ total });
	finds: Finds = shown;
	/** Which requests it does not answer. */
	fails: (asked: PageRequest) => boolean = () => false;
	readonly rows: WebhookEvent[];
	private readonly scope = `merchant-${++made}`;

	constructor(...rows: Array<WebhookEvent | WebhookEvent[]>) {
		this.rows = rows.flat();
	}

	that(how: Partial<Service>): this {
		return Object.assign(this, how);
	}

	/** The same with a search that finds nothing. */
	blind(): this {
		return this.that({ finds: () => [] });
	}

	async told(lookBackDays = 30, wanted = WANTED): Promise<string[]> {
		this.asked = [];
		const fieldError = (words: string, more?: string) => new Error(`${words} ${more}`) as never;
		const told = await eventsOf({ client: this.client(), fieldError }, wanted, lookBackDays);
		return told.map(({ eventID }) => eventID);
	}

	/** Pages of the list, without searches. */
	get pages(): unknown[] {
		return this.asked.filter(({ search }) => search === undefined).map(({ page }) => page);
	}

	private answer({ search, page = 1, pageSize = 10, sort }: PageRequest) {
		const isAscending = (sort?.order === 'asc') === (this.sorts === 'as asked');
		const isRising = isAscending ? this.sorts !== 'newest first' : this.sorts === 'oldest first';
		const sign = isRising ? 1 : -1;
		const sorted = [...this.rows].sort((a, b) => sign * (dateOf(a) - dateOf(b)));
		const rows = search === undefined ? sorted : this.finds(search, sorted);
		const size = Math.min(pageSize, this.cap);
		const to = page * size;
		if (search === undefined && page > 1 && to > this.deepest) return undefined;
		return { data: rows.slice(to - size, to), page: this.said(rows.length) };
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

test('every event of the look-back is told, and none of others, whatever the search does', async () => {
	const newestOf = (rows: WebhookEvent[], count: number) =>
		new Set([...rows].sort((a, b) => dateOf(b) - dateOf(a)).slice(0, count));
	const number = fc.integer({ min: 1, max: 500 });
	const search: fc.Arbitrary<Finds> = fc.oneof(
		fc.constantFrom<Finds>(
			shown,
			() => [],
			(_, rows) => rows,
			unless((word) => /[A-Z]/.test(word)),
			unless((word) => word.includes('-')),
			unless((word) => word.length < 3),
			unless((word) => word.length > 30),
			// It finds the parts of a word.
			(word, rows) => rows.filter(hasWord(word.split('-')[0] ?? '')),
		),
		// It lags behind, or knows the newest alone.
		fc.tuple(number, fc.boolean()).map(([count, isLate]): Finds => (word, rows) => {
			const newest = newestOf(rows, count);
			return shown(word, rows).filter((row) => newest.has(row) !== isLate);
		}),
	);
	const written = ['ORDER-1', 'order-1', 'ORDER-12', 'P7', 'sale_9', `ID-${'7'.repeat(40)}`, ''];
	const reference = fc.oneof(fc.constant(WANTED), fc.constantFrom(...written));
	const day = fc.integer({ min: 0, max: 35 });
	const scenes = fc.record({
		filler: fc.constantFrom(20, 150, 450, 450),
		sorts: fc.constantFrom<Service['sorts']>('as asked', 'as asked', 'upside down', 'oldest first'),
		name: fc.constantFrom('SALE-', 'SALE-', 'SALE-', 'sale', 'S_', `${'L'.repeat(30)}-`),
		sales: fc.array(fc.record({ reference, day, isRefunded: fc.boolean() }), { maxLength: 8 }),
		finds: search,
		said: fc.constantFrom<Service['said']>(
			(total) => ({ total }),
			() => ({}),
			() => undefined,
			() => ({ total: 0 }),
		),
		before: fc.array(reference, { maxLength: 3 }),
	});
	await fc.assert(
		fc.asyncProperty(scenes, async ({ filler, name, sales, before, ...how }) => {
			const sold = sales.map((sale) => {
				const id = `txn_sold_${++made}`;
				const paid = event(sale.day + 0.3, sale.reference, { id });
				// Refunds that carry no reference. Where the search misses them they are in the list.
				const hasRefund = sale.isRefunded && how.finds === shown;
				const refund = hasRefund && event(sale.day / 2, '', { parentTransactionId: id });
				return { ...sale, rows: refund ? [paid, refund] : [paid] };
			});
			const rows = sold.flatMap((sale) => sale.rows);
			const service = new Service(others(filler, 0, 40, name), rows).that(how);
			for (const one of before) await service.told(30, one || 'X-1');
			const told = await service.told();
			const its = sold.filter((sale) => sale.reference === WANTED);
			const recent = its.filter((sale) => sale.day < 30 - 0.3);
			expect(told).toEqual(expect.arrayContaining(ids(recent.flatMap(({ rows }) => rows))));
			expect(ids(its.flatMap(({ rows }) => rows))).toEqual(expect.arrayContaining(told));
		}),
		{ numRuns: Number(process.env.LOOK_UPS ?? 200) },
	);
});

describe('what is told', () => {
	const parentTransactionId = 'txn_paid';
	const ofPayment = { id: 'txn_back', parentTransactionId };
	const paid = event(20, WANTED, { id: parentTransactionId });

	const isPayment = (word?: string) => word === parentTransactionId;
	test.each<[string, Partial<Service>]>([
		['finds it', {}],
		['finds nothing', { finds: () => [] }],
		['finds all others', { finds: (word, rows) => (isPayment(word) ? rows : shown(word, rows)) }],
		['fails', { fails: ({ search }) => isPayment(search) }],
	])(
		'holds what became of its payment, under any reference, where the search %s',
		async (_, how) => {
			const failure = (daysAgo: number, reference: string, id: string) => ({
				...event(daysAgo, reference, { id }),
				type: 'payment_failed',
			});
			const became = [
				event(19, '', { parentTransactionId }),
				event(18, 'BACK-1', { parentTransactionId }),
				event(17.5, '', { id: parentTransactionId, parentTransactionId: '', status: 'REVERSED' }),
				// As that of a debit.
				failure(17.2, '', parentTransactionId),
				{ ...failure(17.1, '', ''), payload: `{"transaction_id":"${parentTransactionId}"}` },
				{ ...failure(17.05, '', ''), payload: JSON.stringify({ transaction: ofPayment }) },
				failure(17, WANTED, 'txn_failed'),
				event(16.5, WANTED, { id: '' }),
			];
			const noise = ['txn_x', 'txn_failed'].map((id) => event(16, '', { parentTransactionId: id }));
			noise.push(event(16, 'ORDER-2'), failure(16, 'ORDER-2', 'txn_2'), failure(16, '', ''));
			noise.push(event(16, '', { id: '', parentTransactionId: '' }));
			const service = new Service(paid, became, noise, others(450)).that(how);
			expect(await service.told()).toEqual(ids([paid, ...became]));
		},
	);

	test('holds one whose reference has no letters, beside an event without a date', async () => {
		const row = event(20, '—');
		const service = new Service(others(450), row, { ...event(1), date: 'soon' }).blind();
		expect(await service.told(30, '—')).toEqual([row.eventID]);
		const newest = new Service({ ...event(1), date: '' }, row, event(2, '—– '));
		expect(await newest.told(30, '—')).toEqual([row.eventID]);
	});

	test('holds a payment whose reference stands where the search does not look', async () => {
		const inCart = ({ daysAgo, name }: { daysAgo: number; name: string }) => ({
			...event(daysAgo, ''),
			payload: JSON.stringify({ transaction: { id: 'x' }, lineItems: { referenceID: name } }),
		});
		const old = inCart({ daysAgo: 12, name: WANTED });
		const service = new Service(others(450), old, inCart({ daysAgo: 0.01, name: 'SALE-9' }));
		service.finds = unless((word) => ['SALE-9', WANTED].includes(word));
		expect(await service.told()).toEqual([old.eventID]);
	});
});

describe('how far back the list is read', () => {
	const paid = event(20);
	const rows = [others(150, 0, 1), [paid], others(49, 21, 29), others(400, 40, 90)];

	test('is the look-back, and a page that shows its end', async () => {
		const service = new Service(...rows).blind();
		for (let times = 1; times <= 2; times++) expect(await service.told(30)).toEqual([paid.eventID]);
		expect(service.pages.length).toBeLessThanOrEqual(5);
		// Its end has been seen, so the oldest are not asked for.
		expect(service.asked.every(({ sort }) => sort?.order === 'desc')).toBe(true);
		expect(await service.told(10)).toEqual([paid.eventID]);
		const shorter = new Service(others(150, 0, 1), others(300, 15, 60), event(70)).blind();
		expect(await shorter.told(10)).toEqual([]);
		const sparse = new Service(others(150, 0, 60)).blind();
		for (let times = 1; times <= 2; times++) await sparse.told(10);
		expect(sparse.pages).toEqual([1]);
	});

	test.each(['service', 'machine', 'service and machine', 'event'])(
		'is not shortened by the clock of a %s that runs ahead',
		async (whose) => {
			const service = new Service(...rows, whose === 'event' ? event(-300, 'SALE-X') : []).blind();
			service.date = whose.includes('service') ? NOW + 300 * DAY : NOW;
			if (whose.includes('machine')) jest.spyOn(Date, 'now').mockReturnValue(NOW + 300 * DAY);
			expect(await service.told(30)).toEqual([paid.eventID]);
		},
	);

	test('is whole where more comes in meanwhile, and the oldest cannot be asked for', async () => {
		const service = new Service(...rows).blind();
		service.sorts = 'newest first';
		service.fails = ({ page }) => {
			if (page === 2) service.rows.push(event(-0.01, 'SALE-X'));
			return false;
		};
		expect(await service.told(95)).toEqual([paid.eventID]);
	});

	test('is as far as the payment of a refund', async () => {
		const [refund, old] = [event(1, WANTED, { parentTransactionId: null }), event(85)];
		const service = new Service(refund, others(500, 0, 80), old, others(200, 86, 100)).blind();
		expect(await service.told(30)).toEqual(ids([old, refund]));
	});
});

describe('a list that shows less than there is', () => {
	const paid = event(28);
	const deepest = 2_000;
	const capped = () => new Service(others(2_398), paid, others(800, 40, 60)).that({ deepest });
	const expectError = async (service: Service) =>
		await expect(service.told()).rejects.toThrow(
			/^Nobody can tell whether the reference "ORDER-1" was paid: .*'Look Back \(Days\)'/,
		);

	test('is none where what it shows reaches past the look-back', async () => {
		const service = new Service(others(70), others(30, 31, 45)).blind();
		// The oldest are shown to who asks for them alone.
		service.fails = ({ page, sort }) => {
			if (page === 1 && sort?.order === 'asc') service.rows.push(event(60, 'OLDER'));
			return false;
		};
		expect(await service.told()).toEqual([]);
	});

	test('is an error also where one of what it shows came late', async () => {
		const service = new Service(others(100), event(45, 'LATE')).blind();
		// It has the payment, and shows it only to who asks for the oldest.
		service.fails = ({ page }) => {
			if (page === 2) service.rows.push(paid);
			return false;
		};
		await expectError(service);
	});

	test('stops nobody where the search is believed', async () => {
		const service = capped();
		expect(await service.told()).toEqual([paid.eventID]);
		expect(await service.told(30, 'ORDER-2')).toEqual([]);
		expect(service.asked).toHaveLength(2);
	});

	test.each<[string, Partial<Service>]>([
		['counts all', {}],
		['counts no more than it shows', { said: (total) => ({ total: Math.min(total, deepest) }) }],
		['counts nothing', { said: () => undefined }],
	])('is an error otherwise, unless the look-back is shorter, where it %s', async (_, how) => {
		const service = capped().blind().that(how);
		await expectError(service);
		expect(await service.told(20)).toEqual([]);
	});

	test.each([
		[50, 50],
		[100, 100],
		[100, undefined],
		[15, undefined],
		[200, 1_000],
		[0, 1_000],
	])('is an error where it shows just its newest %i, and counts %p', async (newest, total) => {
		const how = { cap: newest, deepest: newest, said: () => ({ total }) };
		await expectError(new Service(others(300), event(29.5)).blind().that(how));
	});

	test('stops nobody whose refund shows, and whose payment lies deeper', async () => {
		const refund = event(5, WANTED, { parentTransactionId: 'txn_deep' });
		const service = new Service(refund, others(150, 0, 15), others(300, 35, 65)).blind();
		service.deepest = 300;
		expect(await service.told()).toEqual([refund.eventID]);
	});
});

describe('what a look-up costs', () => {
	test('is two requests once the search is believed, for ten minutes, and a third where it is paid', async () => {
		const service = new Service(others(5_000));
		await Promise.all(Array.from({ length: 20 }, (_, index) => service.told(30, `ORDER-${index}`)));
		expect(service.asked.length).toBeLessThanOrEqual(45);
		passed += 599_999;
		await service.told();
		expect(service.asked).toMatchObject([{ page: 1 }, { search: WANTED }]);
		service.rows.push(event(15), { ...event(16), type: 'payment_failed' });
		expect(await service.told()).toHaveLength(2);
		expect(service.asked).toHaveLength(3);
		passed += 1;
		await service.told();
		expect(service.asked).toHaveLength(3 + 4);
	});

	test('is the list alone while the search is known to be of no use, for ten minutes', async () => {
		const service = new Service(others(450)).blind();
		const searches = () => service.asked.filter(({ search }) => search !== undefined).length;
		await service.told();
		await service.told();
		expect(searches()).toBe(0);
		passed += 600_000;
		await service.told();
		expect(searches()).toBeGreaterThan(0);
	});

	test('is no page that waits for another where the look-back is known to cover all of the list', async () => {
		const service = new Service(others(450)).blind();
		await service.told();
		await service.told();
		const inOrder = service.asked.map(({ page, sort }) => [page, sort?.order]);
		// The other end of the list is asked for beside it, not after it.
		expect(inOrder.slice(0, 2)).toEqual([
			[1, 'desc'],
			[1, 'asc'],
		]);
		expect(service.pages).toEqual([1, 1, 2, 3, 4, 5]);
		// Of the rest nobody knows whether it is wanted.
		await service.told(10);
		expect(service.asked.every(({ sort }) => sort?.order === 'desc')).toBe(true);
	});

	test('is two requests also where the oldest events carry no reference, or pages are small', async () => {
		const nameless = Array.from({ length: 100 }, () => event(40, ''));
		const service = new Service(others(450), nameless, { ...event(41), payload: '{}' });
		const small = new Service(others(450)).that({ cap: 50 });
		for (const each of [service, small, service, small]) await each.told();
		expect([service, small].map(({ asked }) => asked.length)).toEqual([2, 2]);
	});

	test('is two requests soon after the newest page shows a reference of that format', async () => {
		const service = new Service(others(450));
		await service.told(30, 'pay1');
		service.rows.push(event(0, 'pay2'));
		for (let times = 1; times <= 2; times++) await service.told(30, 'pay3');
		expect(service.asked).toHaveLength(2);
	});

	test('is a list of one page itself', async () => {
		const service = new Service(others(98), event(1));
		await service.told();
		await service.told();
		expect(service.asked.every(({ search }) => search === undefined)).toBe(true);
		expect(service.asked.length).toBeLessThanOrEqual(2);
		const full = new Service(others(99), event(1)).blind();
		await full.told();
		await full.told();
		// Of just so many rows, the oldest is asked for, to see whether there are others.
		expect(full.asked.filter(({ sort }) => sort?.order !== 'desc')).toHaveLength(1);
	});
});

describe('a search is not believed', () => {
	const since = (days: number) => (row: WebhookEvent) => dateOf(row) > NOW - days * DAY;
	const newest: Finds = (word, rows) => shown(word, rows).filter(since(10));
	const late: Finds = (word, rows) => shown(word, rows).filter((row) => !since(20)(row));

	test.each<[string, Partial<Service>, string?]>([
		['finds the newest alone, as the list shows them', { finds: newest, sorts: 'newest first' }],
		['finds no dash', { finds: unless((word) => word.includes('-')) }],
		['takes no short words', { finds: unless((word) => word.length < 3) }, 'P7'],
		['takes no long words', { finds: unless((word) => word.length > 32) }, `P-${'1'.repeat(40)}`],
		['fails at the oldest', { fails: ({ sort }) => sort?.order === 'asc' }],
		['lags behind, and the list is sorted otherwise', { finds: late, sorts: 'oldest first' }],
	])('where it %s, though it has found other references', async (_, how, wanted = 'PAID-1') => {
		const formats = ['sale', 'S', 'SALE-'].map((name) => others(150, 0, 29, name));
		const paid = [event(25, wanted), event(14, wanted), event(13, wanted)];
		const service = new Service(...formats, paid).that(how);
		for (const other of ['cart1', 'C1', 'CART-1']) await service.told(30, other);
		expect(await service.told(30, wanted)).toEqual(ids(paid));
	});

	test('where it takes no words as long as the one that is looked for', async () => {
		const paid = event(12, 'RENEWAL-20260301');
		const service = new Service(others(450), paid);
		service.finds = unless((word) => word.length > 12);
		expect(await service.told(30, 'ORDER-1')).toEqual([]);
		expect(await service.told(30, 'RENEWAL-20260301')).toEqual(ids([paid]));
	});

	test('where it finds the newest ten days alone, and the oldest say nothing', async () => {
		const paid = event(14);
		const oldest = Array.from({ length: 100 }, () => ({ ...event(40, ''), payload: '{}' }));
		const service = new Service(others(450), paid, oldest);
		// Without a word it finds everything.
		service.finds = (word, rows) => (word === '' ? rows : newest(word, rows));
		for (let times = 1; times <= 2; times++) expect(await service.told()).toEqual(ids([paid]));
	});

	test('where it finds no numbers, and the newest events carry no reference', async () => {
		const paid = event(25, '20417');
		const nameless = Array.from({ length: 60 }, (_, index) => event(index / 100, ''));
		const finds = unless((word) => /^\d+$/.test(word));
		const service = new Service(others(450), paid, nameless).that({ finds });
		for (let times = 1; times <= 2; times++) {
			expect(await service.told(30, '20417')).toEqual([paid.eventID]);
		}
	});

	const noCount = () => undefined;
	const countsMore = (total: number) => ({ total: total === 45 ? 90 : total });
	test.each<[string, Partial<Service>]>([
		['answers a full page', { finds: (_, rows) => rows.slice(0, 100), said: noCount }],
		['answers more than a small page', { finds: (_, rows) => rows.slice(0, 15), said: noCount }],
		['counts more than it answers', { finds: (_, rows) => rows.slice(0, 45), said: countsMore }],
	])('any more where it %s', async (_, how) => {
		const service = new Service(others(450));
		await service.told();
		service.rows.push(event(0), event(15));
		service.that(how);
		for (let times = 1; times <= 2; times++) expect(await service.told()).toHaveLength(2);
	});

	test.each([10, 100])('where it shows its %i best hits alone', async (most) => {
		const paid = event(20, 'INV-1');
		const like = Array.from({ length: 300 }, (_, index) => event(index / 20, `INV-${index + 2}`));
		const service = new Service(paid, like, event(25, 'WEB-1'));
		service.finds = (word, rows) => shown(word, rows).slice(0, most);
		for (let times = 1; times <= 2; times++) {
			expect(await service.told(30, 'INV-1')).toEqual([paid.eventID]);
		}
	});

	test('once it has missed what the newest page shows', async () => {
		const service = new Service(others(450));
		await service.told();
		service.finds = (word, rows) => shown(word, rows).filter((row) => !since(1)(row));
		const paid = event(0.5, 'ORDER-2');
		service.rows.push(paid);
		expect(await service.told(30, 'ORDER-2')).toEqual([paid.eventID]);
		// By now it is not on the newest page any more.
		service.rows.push(...others(150, 0, 0.4));
		expect(await service.told(30, 'ORDER-2')).toEqual([paid.eventID]);
	});

	test('that fails, and is checked again with the next look-up', async () => {
		const fails = ({ search }: PageRequest) => search !== undefined;
		const service = new Service(others(450)).that({ fails });
		await service.told();
		await service.told();
		expect(service.asked.some(fails)).toBe(true);
	});
});
