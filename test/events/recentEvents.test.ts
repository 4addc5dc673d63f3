import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import { EventsMissing } from '../../nodes/PaymentsGateway/events/eventScan';
import { eventsAbout } from '../../nodes/PaymentsGateway/events/paymentEvent';
import { recentEvents } from '../../nodes/PaymentsGateway/events/recentEvents';
import type { PageRequest, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { standIn } from '../engine/instance';
import type { ListHabits } from '../gateway/servedList';
import { ServedList } from '../gateway/servedList';

/**
 * The events of a reference, and how many requests a look-up costs. That none is ever missed, whatever
 * happens to the list, is tested in eventCache.model.test.ts.
 */

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const REFERENCE = 'ORDER-1';

let made = 0;

/** A payment or, if the record names a parent transaction, a refund. */
function event(daysAgo: number, referenceID = REFERENCE, record: object = {}): WebhookEvent {
	const isRefund = 'parentTransactionId' in record;
	const transaction = { id: `txn_${++made}`, amount: 100, referenceID, ...record };
	return {
		eventID: `evt_${made}`,
		type: isRefund ? 'payment_refund' : 'payment_success',
		date: new Date(NOW - daysAgo * DAY).toISOString(),
		payload: JSON.stringify(isRefund ? { refund: transaction } : { transaction }),
	};
}

/** Events of other sales, evenly from one day to another. */
const otherSales = (count: number, from = 0, to = 29) =>
	Array.from({ length: count }, (_, index) =>
		event(from + ((to - from) * (index + 0.5)) / count, `SALE-${1000 + index}`),
	);
const idsOf = (rows: readonly WebhookEvent[]) => rows.map(({ eventID }) => eventID);
const newestFirst = (a: WebhookEvent, b: WebhookEvent) => Date.parse(b.date) - Date.parse(a.date);

/** A merchant with a list of events. */
class Gateway extends ServedList<WebhookEvent> {
	/** The time by its own clock, if its answers tell it. */
	clock: number | undefined;
	private readonly scope = `merchant-${++made}`;

	constructor(rows: WebhookEvent[], habits: ListHabits = {}) {
		super([...rows].sort(newestFirst), habits);
	}

	list(event: WebhookEvent): void {
		this.rows.push(event);
		this.rows.sort(newestFirst);
	}

	/** The client of one run. */
	client(): Client {
		const attempt = async (_: string, { page }: { page: PageRequest }) =>
			await this.fetch(page).then(
				(answer) => ({ reply: { answer, date: this.clock } }),
				(error: unknown) => ({ error }),
			);
		const warn = () => undefined;
		const client = { scope: this.scope, parallel: 3, mask: createMask([]), warn, attempt };
		return standIn<Client>('client', client as never);
	}

	/** The IDs of the events of a reference that a look-up finds, by default in a run of its own. */
	async lookUp({ days = 30, reference = REFERENCE, client = this.client() } = {}) {
		const events = eventsAbout(reference, await recentEvents(client, days));
		return events.map(({ key }) => key);
	}

	/** How many requests a look-up costs. */
	async cost(): Promise<number> {
		const before = this.requests;
		await this.lookUp();
		return this.requests - before;
	}
}

/** The time by `performance.now()`, in milliseconds. */
let elapsed = 0;
beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	jest.spyOn(performance, 'now').mockImplementation(() => elapsed);
});
afterEach(() => jest.restoreAllMocks());

test('a look-up finds what became of a payment, under any reference or none', async () => {
	const parentTransactionId = 'txn_paid';
	const failure = (daysAgo: number, reference: string, id: string) => ({
		...event(daysAgo, reference, { id }),
		type: 'payment_failed',
	});
	const ofPayment = [
		event(20, REFERENCE, { id: parentTransactionId }),
		event(19, '', { parentTransactionId }),
		event(18, 'BACK-1', { parentTransactionId }),
		event(17, '', { id: parentTransactionId, parentTransactionId: '' }),
		failure(16, '', parentTransactionId),
		failure(15, REFERENCE, 'txn_failed'),
		event(14, REFERENCE, { id: '' }),
	];
	const ofOthers = [
		...['txn_x', 'txn_failed'].map((id) => event(16, '', { parentTransactionId: id })),
		event(16, 'ORDER-2'),
		event(16, 'order-1'),
		failure(16, 'ORDER-2', 'txn_2'),
		failure(16, '', ''),
		event(16, '', { id: '', parentTransactionId: '' }),
	];
	const gateway = new Gateway([...ofPayment, ...ofOthers, ...otherSales(450)]);

	expect(await gateway.lookUp()).toEqual(idsOf(ofPayment));
});

test.each([1, 3])(
	'a look-up does without a tail that cannot be read (request %i), and the next one finds a late event',
	async (tail) => {
		const [paid, late] = [event(20), event(2.9)];
		const gateway = new Gateway([paid, ...otherSales(50)]);
		gateway.before = (request) => {
			if (request === tail) throw new Error('503');
		};
		expect(await gateway.lookUp()).toEqual([paid.eventID]);
		gateway.list(late);
		expect(await gateway.lookUp()).toEqual(idsOf([paid, late]));
	},
);

describe('the look-back', () => {
	const paid = event(20);

	test('ends the scan, and a longer one scans the list anew', async () => {
		const long = event(80);
		const gateway = new Gateway([...otherSales(150, 0, 9), ...otherSales(2_000, 11, 90), long]);

		await gateway.lookUp({ days: 10 });
		// Three pages, and the tail before and after them.
		expect(gateway.requests).toBeLessThanOrEqual(5);
		expect(await gateway.lookUp({ days: 90 })).toEqual([long.eventID]);
	});

	test.each(['gateway', 'machine'])(
		'is not shortened if the clock of the %s is fast',
		async (whose) => {
			const fast = NOW + 300 * DAY;
			const gateway = new Gateway([paid, event(-300, 'SALE-X'), ...otherSales(50)]);
			gateway.clock = whose === 'gateway' ? fast : NOW;
			if (whose === 'machine') jest.spyOn(Date, 'now').mockReturnValue(fast);

			expect(await gateway.lookUp()).toEqual([paid.eventID]);
		},
	);

	test('is an error if the gateway does not list so many events', async () => {
		const gateway = new Gateway([paid, ...otherSales(450)], { refusedAfterPage: 2, status: '400' });

		await expect(gateway.lookUp()).rejects.toThrow(EventsMissing);
		await expect(gateway.lookUp()).rejects.toThrow('the gateway counts 451 rows');
	});

	test('is an error if the list is oldest first', async () => {
		const gateway = new Gateway([paid, ...otherSales(450)]);
		gateway.rows.reverse();

		await expect(gateway.lookUp()).rejects.toThrow(
			new EventsMissing('the gateway lists its events oldest first'),
		);
	});
});

describe('a later look-up', () => {
	test.each<[string, ListHabits, removesOldest: boolean]>([
		['the top and the tail', {}, false],
		['no more, if each new event removes the oldest one', {}, true],
		[
			'the two pages that cover three days, if the list is not counted',
			{ total: 'missing' },
			false,
		],
	])('costs two requests. It reads %s', async (_, habits, removesOldest) => {
		const gateway = new Gateway(otherSales(5_000, 0, 100), habits);
		await gateway.lookUp();

		for (let times = 0; times < 10; times++) {
			gateway.list(event(-times / 1000, 'SALE-NEW'));
			if (removesOldest) gateway.rows.pop();
			expect(await gateway.cost()).toBe(2);
		}
	});

	test('finds an event that is later than any should be, since the count shows that it is there', async () => {
		const gateway = new Gateway(otherSales(1_000));
		await gateway.lookUp();
		const tooLate = event(12);
		gateway.list(tooLate);

		expect(await gateway.lookUp()).toEqual([tooLate.eventID]);
	});

	test('scans the look-back anew after ten minutes', async () => {
		const gateway = new Gateway(otherSales(450));
		await gateway.lookUp();

		elapsed += 599_999;
		expect(await gateway.cost()).toBe(2);
		elapsed += 1;
		// Five pages, and the tail before and after them.
		expect(await gateway.cost()).toBe(7);
	});

	test('scans anew for the merchant least recently used, if all together have more than 50,000 events', async () => {
		const usedLast = new Gateway(otherSales(450));
		const usedFirst = new Gateway(otherSales(250));
		for (const each of [usedLast, usedFirst, usedLast]) await each.lookUp();
		const empty = { ...event(1), payload: '{}' };
		const many = Array.from({ length: 49_500 }, (_, index) => ({ ...empty, eventID: `${index}` }));
		await new Gateway(many).lookUp();

		expect(await usedLast.cost()).toBe(2);
		// Three pages, and the tail before and after them.
		expect(await usedFirst.cost()).toBe(5);
	}, 120_000);
});

describe('look-ups at the same time', () => {
	test('share the next scan, and never one that has begun', async () => {
		const gateway = new Gateway(otherSales(450));
		const client = gateway.client();
		const first = gateway.lookUp({ reference: 'OTHER', client });
		// The first scan has begun, and has read the newest page.
		while (gateway.requests < 4) await new Promise(setImmediate);
		const paid = event(0);
		gateway.list(paid);

		const others = Array.from({ length: 20 }, async () => await gateway.lookUp({ client }));
		await first;
		for (const found of await Promise.all(others)) expect(found).toEqual([paid.eventID]);
		// Five pages, an empty sixth since the count has risen, and two tails; then the page of three days,
		// and two tails.
		expect(gateway.requests).toBe(5 + 1 + 2 + 1 + 2);
	});

	test('of two runs follow one another: if one is cancelled, the other goes on', async () => {
		const paid = event(3);
		const gateway = new Gateway([...otherSales(450), paid]);
		gateway.before = (request) => {
			if (request === 2) throw new Error('The execution was canceled');
		};
		const cancelled = gateway.lookUp();
		const other = gateway.lookUp();

		await expect(cancelled).rejects.toThrow('canceled');
		expect(await other).toEqual([paid.eventID]);
	});
});
