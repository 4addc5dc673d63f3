import { log, output } from '../engine';
import type { Settings } from '../sandbox';
import { useNode } from '../useNode';
import { byId, commit, events } from './asking';

/** The readers of lists, seen from outside: the real nodes against a service with odd pages. */

const { sandbox, run } = useNode({}, { clock: '2026-03-01T12:00:00Z' });

const rows = (count: number) => sandbox.addEvents(count).map(({ eventID }) => eventID);
const all = { ...events, returnAll: true };
const customers = { resource: 'customer', operation: 'getAll', returnAll: true };

/** A payment on row 120 of the events is seen before a charge, and nothing is charged. */
async function expectNoCharge(): Promise<void> {
	sandbox.settings.ignoreSearch = true;
	const referenceID = 'ORDER-120';
	sandbox.addEvent({ referenceID, date: '2026-03-01T10:00:00.000Z' });
	rows(119);
	const paymentData = sandbox.addCart({ referenceID });
	const [item] = output(await run({ ...commit, paymentData }));
	expect(item).toMatchObject({ charged: false, status: 'ALREADY_PAID' });
	expect(sandbox.charges).toHaveLength(0);
}

describe('pages of fewer rows than are asked for, without a count, the last one repeated', () => {
	const habits: Partial<Settings> = { pageSizeCap: 30, total: 'zero', pageSizeSaid: 'asked' };
	beforeEach(() => Object.assign(sandbox.settings, habits, { repeatLastPage: true }));

	test('Return All gives every event once', async () => {
		const ids = rows(330);
		expect(output(await run(all)).map(({ eventID }) => eventID)).toEqual(ids.reverse());
	});

	test('a payment is seen before a charge', expectNoCharge);
});

describe('a service that refuses pages of more than 50 rows', () => {
	beforeEach(() => {
		// What is looked for must be found in the list itself.
		Object.assign(sandbox.settings, { rejectPageSizeAbove: 50, ignoreFilter: true });
	});

	test('gives out all of a list, and a payment before a charge', async () => {
		sandbox.addCustomers(130);
		expect(output(await run(customers))).toHaveLength(130);
		await expectNoCharge();
	});

	test.each([1, 20])('shows customers by email, to %i items', async (count) => {
		const items = sandbox.addCustomers(130).map(({ email }) => ({ email }));
		sandbox.settings.ignoreSearch = true;
		const parameters = { resource: 'customer', operation: 'upsert', email: '={{ $json.email }}' };
		output(await run(parameters, { items: items.slice(-count) }));
		expect(sandbox.customers).toHaveLength(130);
	});
});

test('a list that is refused behind a page is handed over, and the log counts what is missing', async () => {
	rows(330);
	const isDeep = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"page":3');
	sandbox.fault({ on: 'webhookEvents', times: Infinity, status: 400, when: isDeep });
	expect(output(await run(all))).toHaveLength(200);
	expect(log.lines.filter((line) => /counts 330 rows .* gave out 200/.test(line))).toHaveLength(1);
});

test.each([
	[{}, 1],
	// Which of them are wanted is found out here.
	[{ eventTypes: ['payment_success'] }, 100],
])('a limit of 1 with %j asks for pages of %i', async (parameters, size) => {
	rows(330);
	output(await run({ ...events, limit: 1, ...parameters }));
	const sizes = sandbox.requestsTo('webhookEvents').map(({ body }) => body.data.page.pageSize);
	expect(sizes).toEqual([size]);
});

test('an event that is listed twice, on two pages, keeps nobody from a charge', async () => {
	sandbox.settings.ignoreSearch = true;
	const start = Date.parse('2026-03-01T10:00:00Z');
	const ids = Array.from({ length: 131 }, (_, index) => `evt_${index}`);
	// By 100 rows a page, the second of the two is the first of page 2.
	ids.splice(31, 0, 'evt_31');
	sandbox.addEvents(ids.length, (index) => ({
		eventID: ids[index] ?? '',
		date: new Date(start + index).toISOString(),
	}));
	const isBehind = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"page":3');
	sandbox.fault({ on: 'webhookEvents', times: Infinity, status: 404, when: isBehind });
	const paymentData = sandbox.addCart({ referenceID: 'ORDER-1' });
	const [item] = output(await run({ ...commit, paymentData }));
	expect(item).toMatchObject({ charged: true });
});

describe('rows that are no records', () => {
	const spoil = () => {
		const answer = (given: unknown) => {
			const { data, ...rest } = given as { data: unknown[] };
			return { data: [null, ...data, 'text', [{}]], ...rest };
		};
		for (const on of ['customers', 'webhookEvents'] as const) {
			sandbox.fault({ on, times: Infinity, answer });
		}
	};

	test.each([customers, all])('are left out of a list of all: %j', async (parameters) => {
		sandbox.addCustomers(230);
		rows(230);
		spoil();
		expect(output(await run(parameters))).toHaveLength(230);
		expect(log.lines.filter((line) => /^warn .*no records/.test(line))).toHaveLength(1);
	});

	test('do not keep a customer from being found by email', async () => {
		const { id } = sandbox.addCustomer({ email: 'ada@example.com' });
		spoil();
		const customerId = { ...byId('ada@example.com'), mode: 'email' };
		const [found] = output(await run({ resource: 'customer', operation: 'get', customerId }));
		expect(found).toMatchObject({ id });
	});
});
