import { output } from '../../engine';
import type { RecordedRequest } from '../../sandbox';
import { COMMIT, useCharges } from './charges';

/**
 * The service's search spares the reading of the look-back once it has proved itself, and only then:
 * whatever it does, a paid reference is not charged.
 */

const { sandbox, commit, cart, paid } = useCharges();

const DAY = 86_400_000;
const EVENTS = 3_000;
const daysAgo = (days: number) =>
	new Date(sandbox.clock.now().getTime() - days * DAY).toISOString();
const isSearch = ({ body }: RecordedRequest) => JSON.stringify(body).includes('"search"');
const requestsFor = async (work: () => Promise<unknown>) => {
	const before = sandbox.requests.length;
	await work();
	return sandbox.requests.length - before;
};

/** A month of events, evenly; by default each of a sale of its own. */
function month(count: number, referenceOf = (index: number) => `SALE-${index}`): void {
	sandbox.addEvents(count, (index) => ({
		referenceID: referenceOf(index),
		date: daysAgo(29.9 - (index * 29.8) / count),
	}));
}

async function commitAll(prefix: string, count: number) {
	const items = Array.from({ length: count }, (_, index) => ({
		cart: cart({ referenceID: `${prefix}${index}` }),
	}));
	return output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
}

describe('40 commits in a run, 3,000 events in the look-back', () => {
	test.each<[string, (index: number) => string]>([
		['of other sales', (index) => `SALE-${index}`],
		['of sales that contain each other', (index) => `SALE-${index + 1}`],
		['spelled in another way', (index) => `sale_${index}`],
	])(
		'take at most 210 requests where the service has a search (events %s)',
		async (_, of) => {
			month(EVENTS, of);
			const requests = await requestsFor(async () => await commitAll('CART-', 40));
			expect(requests).toBeLessThanOrEqual(210);
			expect(sandbox.charges).toHaveLength(40);
		},
		120_000,
	);
});

/** What a search may do instead of finding all events of a reference and nothing else. */
const bends: Array<
	[string, (data: Array<{ date: string }>, search: string) => unknown[], paidFor?: string]
> = [
	['finds nothing', () => []],
	['finds the newest ten days alone', (rows) => rows.filter(({ date }) => date > daysAgo(10))],
	['finds nothing with a dash', (rows, search) => (search.includes('-') ? [] : rows)],
	[
		'takes no words of less than three letters',
		(rows, search) => (search.length < 3 ? [] : rows),
		'P7',
	],
	[
		'takes no words of more than 32 letters',
		(rows, search) => (search.length > 32 ? [] : rows),
		`PAID-${'1'.repeat(40)}`,
	],
	['finds no capitals', (rows, search) => (/[A-Z]/.test(search) ? [] : rows)],
];

test.each(bends)('a paid reference is not charged where the search %s', async (...given) => {
	const [, bend, referenceID = 'PAID-1'] = given;
	// Spelled in many ways, so that a proof by one of them is none of another.
	month(600, (index) => (index % 3 === 0 ? `sale${index}` : index % 3 === 1 ? `S${index}` : ''));
	const old = { referenceID, transactionID: 'txn_old' };
	paid({ ...old, date: daysAgo(25) });
	for (const days of [15, 14, 13]) {
		sandbox.addEvent({ type: 'payment_failed', referenceID, date: daysAgo(days) });
	}
	let searched = '';
	sandbox.fault({
		on: 'webhookEvents',
		times: Infinity,
		when: (request) => {
			searched = searchOf(request) ?? '';
			return searched !== '';
		},
		answer: (answer) => {
			const { data } = answer as { data: Array<{ date: string }> };
			const found = bend(data, searched);
			return { data: found, page: { total: found.length, page: 1, pageSize: 100 } };
		},
	});
	await commitAll('cart', 2);
	await commitAll('CART-', 2);
	const rows = output(await commit({ paymentData: cart({ referenceID }) }));
	expect(rows).toMatchObject([{ status: 'ALREADY_PAID', transactionID: 'txn_old' }]);
	expect(sandbox.requestsTo(COMMIT)).toHaveLength(4);
});

function searchOf({ body }: RecordedRequest): string | undefined {
	return /"search":"([^"]*)"/.exec(JSON.stringify(body))?.[1];
}

test('references that are part of others are looked for as quickly', async () => {
	month(600);
	await commitAll('CART-', 20);
	const requests = await requestsFor(async () => {
		for (const row of await commitAll('CART-', 20)) expect(row.status).toBe('ALREADY_PAID');
	});
	// To compute, to search, the newest page, the payment's refunds.
	expect(requests).toBe(4 * 20);
});

test('a search that is ignored is not asked to prove itself for every charge', async () => {
	month(600);
	sandbox.settings.ignoreSearch = true;
	await commitAll('CART-', 1);
	const requests = await requestsFor(async () => await commitAll('MORE-', 10));
	// To compute, to search, seven pages, to charge.
	expect(requests).toBeLessThanOrEqual(10 * 10);
});

test('a search that misses what the newest page shows is trusted no more', async () => {
	month(600);
	await commitAll('CART-', 2);
	const blind = () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } });
	paid({ referenceID: 'PAID-1', transactionID: 'txn_1' });
	paid({ referenceID: 'PAID-2', transactionID: 'txn_2', date: daysAgo(20) });
	sandbox.fault({ on: 'webhookEvents', times: Infinity, when: isSearch, answer: blind });
	for (const [referenceID, transactionID] of [
		['PAID-1', 'txn_1'],
		['PAID-2', 'txn_2'],
	]) {
		const rows = output(await commit({ paymentData: cart({ referenceID: referenceID ?? '' }) }));
		expect(rows).toMatchObject([{ status: 'ALREADY_PAID', transactionID }]);
	}
});

test('what was read for one charge is no proof for the next', async () => {
	month(600);
	sandbox.settings.ignoreSearch = true;
	const [first] = sandbox.events;
	sandbox.fault({
		on: COMMIT,
		run: () => {
			// Late and with an old date, while another goes, so that no count changes.
			sandbox.removeEvent(first?.eventID ?? '');
			paid({ referenceID: 'CART-1', transactionID: 'txn_late', date: daysAgo(29) });
		},
		headers: {},
	});
	const rows = await commitAll('CART-', 2);
	expect(rows).toMatchObject([
		{ charged: true },
		{ status: 'ALREADY_PAID', transactionID: 'txn_late' },
	]);
});

test.each([40, 365, -40])(
	'no clock of the service shortens a look-back (%i days off)',
	async (days) => {
		paid({ transactionID: 'txn_1', date: daysAgo(1) });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		const Date = new globalThis.Date(globalThis.Date.now() + days * DAY).toUTCString();
		sandbox.fault({ on: 'webhookEvents', times: Infinity, headers: { Date } });
		const rows = output(await commit({ paymentData: cart() }));
		expect(rows).toMatchObject([{ status: 'ALREADY_PAID', transactionID: 'txn_1' }]);
	},
);

test('a list whose answers have no page stops no charge, and shows what is paid', async () => {
	paid({ referenceID: 'PAID-1', transactionID: 'txn_1' });
	const answer = (whole: unknown) => ({ data: (whole as { data: unknown }).data });
	sandbox.fault({ on: 'webhookEvents', times: Infinity, answer });
	const items = ['PAID-1', 'OPEN-1'].map((referenceID) => ({ cart: cart({ referenceID }) }));
	const rows = output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
	expect(rows).toMatchObject([{ charged: false, transactionID: 'txn_1' }, { charged: true }]);
});

test('a list that does not go back far enough charges nothing, and the error says what to set', async () => {
	month(600);
	sandbox.settings.ignoreSearch = true;
	const isDeep = ({ body }: RecordedRequest) => /"page":[3-9]/.test(JSON.stringify(body));
	sandbox.fault({ on: 'webhookEvents', times: Infinity, when: isDeep, status: 400 });
	const run = await commit({ paymentData: cart() });
	expect(run.error?.description).toContain("'Look Back (Days)'");
	expect(sandbox.requestsTo(COMMIT)).toHaveLength(0);
});
