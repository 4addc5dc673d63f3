import type { Client } from '../../../nodes/PaymentsGateway/gateway/client';
import { eventsOf } from '../../../nodes/PaymentsGateway/resources/payment/history';
import type { PageRequest, WebhookEvent } from '../../../nodes/PaymentsGateway/wire';
import { isObject } from '../../../nodes/PaymentsGateway/wire/json';
import { standIn } from '../../engine/instance';

/** Which events are told of a reference, and what is asked for until they are known. */

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const WANTED = 'ORDER-1';
const at = (days: number) => new Date(NOW - days * DAY).toISOString();
const isOf = (reference: string) => (row: WebhookEvent) =>
	row.payload.includes(`"referenceID":"${reference}"`);

let made = 0;
function event(date: string, referenceID = WANTED, more: object = {}): WebhookEvent {
	made += 1;
	const transaction = { id: `txn_${made}`, amount: 100, referenceID };
	return {
		...{ eventID: `evt_${made}`, type: 'payment_success', date },
		...{ payload: JSON.stringify({ transaction }), ...more },
	};
}
/** Of other sales, the newest first, from one day to another. */
const others = (count: number, from: number, to: number) =>
	Array.from({ length: count }, (_, index) =>
		event(at(from + ((to - from) * index) / count), `SALE-${1000 + made}`),
	);

/** A list of events in memory, with a search that can be told what to answer. */
class Service {
	rows: WebhookEvent[] = [];
	asked: PageRequest[] = [];
	/** Pages that it does not give out, and those that are lost on the way. */
	refuses: (page: number) => boolean = () => false;
	loses: (page: number) => boolean = () => false;
	/** It loses the newest page, the first time. */
	losesNewest = false;
	/** Its clock, where it tells one. */
	date: number | undefined;
	said: unknown = {};
	/** What happens until it answers. */
	takes: (page: PageRequest) => Promise<void> | void = () => undefined;
	/** It refuses to search. */
	knowsNoSearch = false;
	finds = (reference: string): WebhookEvent[] => this.rows.filter(isOf(reference));
	private readonly scope = `merchant-${++made}`;

	async told(lookBackDays = 30, wanted = WANTED, how = {}): Promise<string[]> {
		this.asked = [];
		const complain = (words: string) => new Error(words) as never;
		const told = await eventsOf({ client: this.client(), complain }, wanted, lookBackDays, how);
		return told.map(({ event: { eventID } }) => String(eventID));
	}

	/** Pages of the list, without searches. */
	get pages(): number[] {
		return this.asked.filter(({ search }) => search === undefined).map(({ page }) => page ?? 0);
	}

	get searched(): string[] {
		return this.asked.flatMap(({ search }) => search ?? []);
	}

	private client(): Client {
		const reply = async (_: string, { page }: { page: PageRequest }) => {
			this.asked.push(page);
			await this.takes(page);
			const { search, page: number = 1, pageSize = 100 } = page;
			const isNewest = number === 1 && search === undefined;
			const isLost = this.loses(number) || (this.losesNewest && isNewest);
			if (isNewest) this.losesNewest = false;
			const status = this.refuses(number) ? '404' : isLost ? '502' : undefined;
			if (status !== undefined) throw Object.assign(new Error(status), { httpCode: status });
			const rows = search === undefined ? this.rows : this.finds(search);
			const data = rows.slice((number - 1) * pageSize, number * pageSize);
			const said = this.said && { total: rows.length, page: number, pageSize };
			const whole = isObject(this.said) ? Object.assign({}, said, this.said) : this.said;
			return { answer: { data, page: whole }, date: this.date };
		};
		return standIn<Client>('client', {
			scope: this.scope,
			parallel: 1,
			warn: () => undefined,
			send: reply as never,
			call: (async (...given: Parameters<typeof reply>) => (await reply(...given)).answer) as never,
			attempt: (async (...given: Parameters<typeof reply>) =>
				this.knowsNoSearch && given[1].page.search !== undefined
					? { error: new Error('No search'), refused: true }
					: await reply(...given).then(
							(answered) => ({ reply: answered }),
							(error: unknown) => ({ error, refused: false }),
						)) as never,
		});
	}
}

let service: Service;
/** Milliseconds, by the clock that nobody puts right. */
let passed = 0;
beforeEach(() => {
	service = new Service();
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	jest.spyOn(performance, 'now').mockImplementation(() => passed);
});
afterEach(() => jest.restoreAllMocks());

/** Its search has proved itself: a list of several pages showed references that it found. */
async function proved(): Promise<void> {
	service.rows = others(450, 0, 29);
	await service.told();
	expect(service.searched.length).toBeGreaterThan(1);
}

describe('what is told', () => {
	test('is every event of the reference, the oldest first, and none of others', async () => {
		const [old, middle, young] = [event(at(3)), event(at(2)), event(at(1))];
		service.rows = [young, event(at(1.5), 'ORDER-10'), middle, event(at(2.5), 'order-1'), old];
		expect(await service.told()).toEqual([old, middle, young].map(({ eventID }) => eventID));
	});

	test('begins with what has no date that can be read', async () => {
		const [undated, dated] = [event('yesterday'), event(at(1))];
		service.rows = [dated, undated];
		expect(await service.told()).toEqual([undated.eventID, dated.eventID]);
	});

	test('is each event once, also without an ID', async () => {
		const row = event(at(1), WANTED, { eventID: undefined });
		const other = event(at(2), WANTED, { eventID: undefined });
		service.rows = [row, other];
		expect(await service.told()).toHaveLength(2);
	});

	test.each([
		['with escapes', (json: string) => json.replace('1234', '\\u00312\\u00334')],
		['as JSON in JSON', (json: string) => JSON.stringify(json)],
		['as a number', (json: string) => json.replace('"1234"', '1234')],
	])('holds one whose reference is written %s', async (_, written) => {
		const row = event(at(1), '1234');
		service.rows = [{ ...row, payload: written(row.payload) }];
		expect(await service.told(30, '1234')).toEqual([row.eventID]);
		// Also where nothing but the wanted reference is looked for.
		service.finds = () => [event(at(2), '1234')];
		expect(await service.told(30, '1234')).toContain(row.eventID);
	});

	test.each([
		['"referenceID":"ORDER-1"', WANTED],
		['"referenceID": "ORDER-1"', WANTED],
		['"referenceID":"ORDER\\/1"', 'ORDER/1'],
	])('holds one whose record broke off behind %s', async (words, wanted) => {
		const broken = event(at(1), '', { payload: `{"transaction":{${words},"amo` });
		const another = event(at(1), '', { payload: '{"transaction":{"referenceID":"ORDER-' });
		service.rows = [broken, another];
		expect(await service.told(30, wanted)).toEqual([broken.eventID]);
	});

	test.each([null, 7, [], { transaction: { referenceID: WANTED } }])(
		'may have a payload that is no text beside it: %j',
		async (payload) => {
			const [odd, plain] = [event(at(1), WANTED, { payload }), event(at(2))];
			service.rows = [odd, plain];
			service.finds = () => [];
			const isWanted = JSON.stringify(payload).includes(WANTED);
			const [first, ...more] = await service.told();
			expect(first).toBe(plain.eventID);
			expect(more).toEqual(isWanted ? [odd.eventID] : []);
		},
	);

	test('is an error where the newest page is lost, though the search has found something', async () => {
		const paid = event(at(1));
		service.finds = () => [paid];
		service.losesNewest = true;
		await expect(service.told()).rejects.toThrow('502');
	});

	test.each([null, undefined, 'page 1', 7])('is an error where the page is %j', async (said) => {
		service.said = said;
		await expect(service.told()).rejects.toThrow('answered without "page"');
	});
});

describe('how far back is read', () => {
	/** Two pages of the last day, one of what is wanted 20 days ago, and more that is older. */
	function list(): WebhookEvent {
		const wanted = event(at(20));
		service.rows = [...others(150, 0, 1), wanted, ...others(49, 20, 29), ...others(400, 40, 90)];
		service.finds = () => [];
		return wanted;
	}

	test('is the look-back, a page beyond it, and the last one', async () => {
		const { eventID } = list();
		expect(await service.told(30)).toEqual([eventID]);
		expect(service.pages).toEqual([1, 2, 3, 6]);
	});

	test('is no more than that', async () => {
		list();
		expect(await service.told(10)).toHaveLength(1);
		service.rows = [...others(150, 0, 1), ...others(300, 15, 60), event(at(70))];
		expect(await service.told(10)).toEqual([]);
		expect(service.pages).toEqual([1, 2, 5]);
	});

	describe('where rows without a date stand at the end', () => {
		const undated = (count: number) => Array.from({ length: count }, () => event('', 'SALE-1'));

		test.each([
			[1, [1, 2, 3, 7, 6]],
			[150, [1, 2, 3, 8, 7, 6]],
			[2_000, [1, 2, 3, ...Array.from({ length: 10 }, (_, index) => 26 - index)]],
		])('is as far up from there as %i of them go, and at most ten pages', async (count, pages) => {
			const { eventID } = list();
			const paid = event('soon');
			service.rows.push(...undated(count - 1), paid);
			expect(await service.told(30)).toEqual([paid.eventID, eventID]);
			expect(service.pages).toEqual(pages);
		});

		test('is the look-back alone where the service refuses the last page', async () => {
			const { eventID } = list();
			service.refuses = (page) => page > 3;
			expect(await service.told(30)).toEqual([eventID]);
			expect(service.pages).toEqual([1, 2, 3, 6]);
		});

		test('is all there is where the list is shorter, whatever it counts', async () => {
			service.rows = [...others(150, 0, 1), event('')];
			service.said = { total: 5_000 };
			expect(await service.told(30)).toHaveLength(1);
			expect(service.pages).toEqual([1, 2, 3, 1, 2, 3]);
		});

		test('fails where the last page is lost', async () => {
			list();
			service.loses = (page) => page > 3;
			await expect(service.told(30)).rejects.toThrow('502');
		});

		test('is more where such rows stand at the end of a page', async () => {
			list();
			const paid = event('');
			service.rows = [...others(40, 0, 29), ...others(59, 31, 40), event('', 'S'), paid];
			service.rows.push(...others(200, 41, 50));
			expect(await service.told(30)).toEqual([paid.eventID]);
		});
	});

	test.each<[string, () => void]>([
		['the clock of the service', () => (service.date = NOW + 300 * DAY)],
		['that of this machine', () => jest.spyOn(Date, 'now').mockReturnValue(NOW + 300 * DAY)],
	])('is not shortened by %s that runs ahead', async (_, advance) => {
		const { eventID } = list();
		service.date = NOW;
		advance();
		expect(await service.told(30)).toEqual([eventID]);
	});

	test('is not shortened by both, nor by an event that is dated ahead', async () => {
		const { eventID } = list();
		service.date = NOW + 300 * DAY;
		jest.spyOn(Date, 'now').mockReturnValue(NOW + 300 * DAY);
		expect(await service.told(30)).toEqual([eventID]);
		jest.spyOn(Date, 'now').mockReturnValue(NOW);
		service.rows.unshift(event(at(-200), 'SALE-X'));
		expect(await service.told(30)).toEqual([eventID]);
	});

	test('is the date of a payment that the search has found, where that is younger', async () => {
		list();
		const paid = event(at(0.5));
		service.rows.splice(75, 0, paid);
		service.finds = () => [paid];
		expect(await service.told(30)).toContain(paid.eventID);
		expect(service.pages.length).toBeLessThan(3);
	});

	test('is all there is, where a refund shows no payment', async () => {
		list();
		const refund = { type: 'payment_refund', payload: undefined };
		const payload = JSON.stringify({ refund: { id: 'txn_r', amount: 100, referenceID: WANTED } });
		service.rows = [
			event(at(0.1), WANTED, { ...refund, payload }),
			...others(500, 40, 80),
			event(at(85)),
		];
		expect(await service.told(30)).toHaveLength(2);
	});
});

describe('a list that breaks off, and counts more', () => {
	const payment = event(at(20));
	beforeEach(() => {
		service.rows = [...others(199, 0, 10), payment];
		service.said = { total: 1_000 };
	});

	test.each([true, false])(
		'is enough for a charge once it is paid (by the search: %s)',
		async (isFound) => {
			service.finds = () => (isFound ? [payment] : []);
			expect(await service.told()).toEqual([payment.eventID]);
		},
	);

	test.each([true, false])(
		'is an error for who wants all there is (by the search: %s)',
		async (isFound) => {
			service.finds = () => (isFound ? [payment] : []);
			const told = service.told(30, WANTED, { mustBeWhole: true });
			await expect(told).rejects.toThrow('counts events that it does not show');
		},
	);
});

describe('what comes while it is looked for', () => {
	const paid = event(at(0));
	/** It comes while the service takes so long over one of its answers. */
	const comes = (ms: number, isMeant: (page: PageRequest) => boolean) => {
		service.takes = async (page) => {
			if (!isMeant(page)) return;
			// Who asks for the newest page at the same time has it by then.
			await new Promise(setImmediate);
			service.takes = () => undefined;
			service.rows.unshift(paid);
			passed += ms;
		};
	};

	test('is told where a search was slow', async () => {
		service.rows = others(50, 0, 29);
		comes(1_001, ({ search }) => search === WANTED);
		service.finds = () => [];
		expect(await service.told()).toEqual([paid.eventID]);
		expect(service.pages).toEqual([1, 1]);
	});

	test('is told where a search was slow that has proved itself', async () => {
		await proved();
		comes(1_001, ({ search }) => search === WANTED);
		service.finds = (reference) =>
			reference === WANTED ? [] : service.rows.filter(isOf(reference));
		expect(await service.told()).toEqual([paid.eventID]);
		expect(service.pages).toEqual([1, 1]);
	});

	test('is told where the search was slow to prove itself anew', async () => {
		await proved();
		passed += 61_000;
		comes(1_001, ({ search }) => search !== undefined && search !== WANTED);
		expect(await service.told()).toEqual([paid.eventID]);
		expect(service.pages).toEqual([1, 1]);
	});

	test('is not asked for once more where all was quick', async () => {
		await proved();
		comes(1_000, ({ search }) => search === WANTED);
		await service.told();
		expect(service.pages).toEqual([1]);
	});

	test('fails where it cannot be seen', async () => {
		await proved();
		comes(1_001, ({ search }) => search === WANTED);
		service.loses = () => service.pages.length > 1;
		await expect(service.told()).rejects.toThrow('502');
	});
});

describe('a search that has proved itself', () => {
	beforeEach(proved);

	test('is not enough where the list shows no row and counts some', async () => {
		service.rows = [];
		service.said = { total: 450, page: 1, pageSize: 100 };
		await expect(service.told()).rejects.toThrow('counts events that it does not show');
	});

	test('spares the list: it and the newest page are asked', async () => {
		expect(await service.told()).toEqual([]);
		expect(service.searched).toEqual([WANTED]);
		expect(service.pages).toEqual([1]);
	});

	test('tells a payment that only it has found', async () => {
		const paid = event(at(20));
		service.rows.splice(300, 0, paid);
		expect(await service.told()).toEqual([paid.eventID]);
		expect(service.pages).toEqual([1]);
	});

	const reads = async () => {
		const told = await service.told();
		expect(service.pages.length).toBeGreaterThan(1);
		return told;
	};

	test('is not enough where the newest page is in no order', async () => {
		service.rows.splice(50, 0, event(at(-1), 'SALE-1'));
		await reads();
	});

	test('is not enough where it answers what is not meant', async () => {
		service.finds = () => service.rows.slice(0, 3);
		await reads();
	});

	test('is not enough where it answers a full page', async () => {
		service.finds = () => Array.from({ length: 100 }, () => event(at(1)));
		await reads();
	});

	test('is believed no more once it has missed what the newest page shows', async () => {
		const paid = event(at(0));
		service.rows.unshift(paid);
		service.finds = () => [];
		expect(await reads()).toEqual([paid.eventID]);
		service.rows.shift();
		expect(await reads()).toEqual([]);
		expect(service.searched).toEqual([WANTED]);
	});

	test('is not enough for a refund whose payment it has not found', async () => {
		const payload = JSON.stringify({ refund: { id: 'txn_r', amount: 1, referenceID: WANTED } });
		service.rows.unshift(event(at(0), WANTED, { type: 'payment_refund', payload }));
		await reads();
	});

	test('is not enough where it counts more than it answers', async () => {
		service.said = { total: 1_000 };
		await reads();
	});

	test('is not enough for a failure, where more may lie behind', async () => {
		service.rows.splice(200, 0, event(at(13), WANTED, { type: 'payment_failed' }));
		expect(await reads()).toHaveLength(1);
	});

	test.each([61_000, 660_000])('proves itself anew (after %i ms), as before', async (later) => {
		passed += later;
		await service.told();
		expect(service.searched.length).toBeGreaterThan(1);
		expect(service.pages).toEqual([1]);
		await service.told();
		expect(service.searched).toEqual([WANTED]);
	});

	test('and fails then, is believed no more', async () => {
		passed += 61_000;
		service.finds = () => [];
		await reads();
	});

	test('is not enough where it is refused', async () => {
		service.knowsNoSearch = true;
		await reads();
	});

	test('is not enough where it answers what is not meant beside what is', async () => {
		const failed = event(at(20), WANTED, { type: 'payment_failed' });
		service.rows.splice(300, 0, failed);
		service.finds = () => [failed, ...service.rows.slice(0, 1)];
		expect(await reads()).toEqual([failed.eventID]);
	});

	test('proves itself no earlier when the clock of the machine is put right', async () => {
		jest.spyOn(Date, 'now').mockReturnValue(NOW + 10 * DAY);
		await service.told();
		expect(service.searched).toEqual([WANTED]);
	});

	/** It was proved with capitals, a dash and digits, nine letters in all. */
	describe('for a reference of another kind', () => {
		const long = (letters: number) => 'L-'.padEnd(letters, '1');

		test.each([
			['with small letters', 'order-1', 'sale-7'],
			['with a dot', 'ORDER.1', 'S.7'],
			['of few letters', 'O-1', 'S-7'],
			['of many letters', long(25), 'S-'.padEnd(25, '7')],
			['of more letters than one that was found', long(25), 'S-'.padEnd(26, '7')],
		])('%s, proves itself by one like it on the newest page', async (_, wanted, shown) => {
			service.rows.unshift(event(at(0), shown));
			expect(await service.told(30, wanted)).toEqual([]);
			expect(service.pages).toEqual([1]);
			expect(service.searched).toEqual([wanted, shown]);
			expect(await service.told(30, wanted)).toEqual([]);
			expect(service.searched).toEqual([wanted]);
		});

		test('proves itself by the one that is like it, among others', async () => {
			service.rows.unshift(event(at(0), 'S-7'), event(at(0), 'S.7'), event(at(0), 'SALE-7'));
			await service.told(30, 'ORDER.1');
			expect(service.searched).toEqual(['ORDER.1', 'S.7']);
			expect(service.pages).toEqual([1]);
		});

		test.each([
			['with small letters', 'order-1', 'SALE-7'],
			['with a dot', 'ORDER.1', 'S-7'],
			['of few letters', 'O-1', 'SA-7'],
			['of many letters', long(26), 'S-'.padEnd(25, '7')],
		])('%s, is not enough where none like it is there', async (_, wanted, shown) => {
			service.rows.unshift(event(at(0), shown));
			await service.told(30, wanted);
			expect(service.pages.length).toBeGreaterThan(2);
		});

		test('is believed no more where it does not find that one', async () => {
			service.rows.unshift(event(at(0), 'sale-7'));
			service.finds = (reference) =>
				/[a-z]/.test(reference) ? [] : service.rows.filter(isOf(reference));
			await service.told(30, 'order-1');
			expect(service.pages.length).toBeGreaterThan(2);
			await service.told(30, 'order-1');
			expect(service.searched).toEqual(['order-1']);
		});

		test.each(['ABCD', long(24)])('is enough for %s, which is no other kind', async (wanted) => {
			expect(await service.told(30, wanted)).toEqual([]);
			expect(service.pages).toEqual([1]);
		});
	});
});

test('a search that was proved without digits is not enough for them', async () => {
	service.rows = others(450, 0, 29).map((row) => ({
		...row,
		payload: row.payload.replace(/SALE-\d+/, (sale) =>
			sale.replace(/\d/g, (digit) => String.fromCharCode(65 + Number(digit))),
		),
	}));
	await service.told();
	await service.told(30, 'ORDER-A');
	expect(service.pages).toEqual([1]);
	await service.told(30, 'ORDER-1');
	expect(service.pages.length).toBeGreaterThan(2);
});

test('a search that finds the newest alone is not enough', async () => {
	service.rows = others(450, 0, 29);
	service.finds = (reference) => service.rows.slice(0, 250).filter(isOf(reference));
	await service.told();
	await service.told();
	expect(service.pages.length).toBeGreaterThan(2);
});

test.each<[string, string[], boolean]>([
	['a failure is enough', ['payment_failed'], true],
	['two failures are not', ['payment_failed', 'payment_failed'], false],
	['a refund is not', ['payment_refund'], false],
])('where two events of one sale were found, %s', async (_, types, isEnough) => {
	service.rows = others(448, 0, 29);
	service.rows.splice(220, 0, event(at(15), 'TWICE-1'), event(at(15), 'TWICE-1'));
	await service.told();
	service.rows.splice(200, 0, ...types.map((type) => event(at(13), WANTED, { type })));
	expect(await service.told()).toHaveLength(types.length);
	expect(service.pages.length === 1).toBe(isEnough);
});

test.each([
	[0, [1]],
	[600_000, [1, 2, 3, 4, 5]],
])('a list without references says so for ten minutes (after %d ms)', async (later, pages) => {
	service.rows = others(450, 0, 29).map((row) => ({ ...row, payload: '{}' }));
	await service.told();
	service.rows.unshift(event(at(0), 'ORDER-2'));
	passed += later;
	await service.told();
	expect(service.pages).toEqual(pages);
});

test('a search that finds nothing is not tried for every charge, and again after ten minutes', async () => {
	service.rows = others(450, 0, 29);
	service.finds = () => [];
	await service.told();
	expect(service.searched.length).toBeGreaterThan(1);
	await service.told();
	expect(service.searched).toEqual([WANTED]);
	passed += 600_000;
	await service.told();
	expect(service.searched.length).toBeGreaterThan(1);
});

test.each([
	[250, [1, 2, 3]],
	[350, [1]],
])('a short list is read, and no search is tried (%i rows)', async (count, pages) => {
	service.rows = others(count, 0, 29);
	await service.told();
	expect(service.searched.length > 1).toBe(pages.length === 1);
	await service.told();
	expect(service.pages).toEqual(pages);
});
