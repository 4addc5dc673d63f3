import type { INodeParameters } from 'n8n-workflow';

import { engine, log, output } from '../engine';
import type { Settings } from '../sandbox';
import { useNode } from '../useNode';

/** The readers of lists, seen from outside: the real nodes against a service with odd pages. */

const { sandbox, credentials, run } = useNode({}, { clock: '2026-03-01T12:00:00Z' });

const REFERENCE = 'ORDER-120';
const rows = (count: number) => sandbox.addEvents(count).map(({ eventID }) => eventID);
const all: INodeParameters = { resource: 'webhookEvent', operation: 'getAll', returnAll: true };
const idsOf = (items: Array<{ eventID?: unknown }>) => items.map(({ eventID }) => eventID);
const listed = () => sandbox.requestsTo('webhookEvents').length;

/** Commits a cart whose payment stands on row 120 of the events. */
async function chargeOnRow120() {
	sandbox.addEvent({ referenceID: REFERENCE, date: '2026-03-01T10:00:00.000Z' });
	rows(119);
	const paymentData = sandbox.addCart({ referenceID: REFERENCE });
	const [item] = output(
		await run({
			resource: 'payment',
			operation: 'commit',
			customerConsent: true,
			paymentData,
			card: { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } },
		}),
	);
	return item;
}

async function drained(trigger: ReturnType<typeof engine.poller>): Promise<unknown[]> {
	for (let quiet = 0; quiet < 2;) {
		sandbox.clock.advance(60_000);
		quiet = (await trigger.poll()) === null ? quiet + 1 : 0;
	}
	return trigger.emitted.flat(2).map(({ json }) => json.eventID);
}

function poller() {
	return engine.poller({ parameters: {}, credentials: credentials(), budgetMs: 20_000 });
}

const ODD: Array<Partial<Settings>> = [
	{ pageSizeCap: 50, total: 'ofPage', pageSizeSaid: 'nothing' },
	{ pageSizeCap: 30, total: 'zero', pageSizeSaid: 'asked', repeatLastPage: true },
	{ pageSizeCap: 30, total: 'text', pageSizeSaid: 'asked' },
	// Such that the last page is a short one: after a full one it would be a list that breaks off.
	{ total: { constant: 9_999 }, pageSizeCap: 45 },
];

describe.each(ODD)('with %j', (settings) => {
	test('Return All gives every event once', async () => {
		const ids = rows(330);
		Object.assign(sandbox.settings, settings);
		expect(idsOf(output(await run(all)))).toEqual(ids.reverse());
		// Two readings of at most eleven pages, the one that shows the end, and those read ahead.
		expect(listed()).toBeLessThanOrEqual(2 * 12 + 64);
	});

	test('a payment on row 120 is seen before a charge, and nothing is charged', async () => {
		Object.assign(sandbox.settings, { ...settings, ignoreSearch: true });
		const item = await chargeOnRow120();
		expect(item).toMatchObject({ charged: false, status: 'ALREADY_PAID' });
		expect(sandbox.charges).toHaveLength(0);
	});

	test('the trigger fires every one of 700 events once, and nothing from before', async () => {
		Object.assign(sandbox.settings, settings);
		rows(150);
		const trigger = poller();
		expect(await trigger.activate()).toBeNull();
		sandbox.clock.advance(3_600_000);
		const fresh = rows(700);
		expect((await drained(trigger)).sort()).toEqual(fresh.sort());
	}, 60_000);
});

describe('a service that refuses pages of more than 50 rows', () => {
	beforeEach(() => {
		// What is looked for must be found in the list itself.
		const settings = { rejectPageSizeAbove: 50, ignoreFilter: true, ignoreSearch: true };
		Object.assign(sandbox.settings, settings);
	});

	test.each(['customer', 'webhookEvent'])('gives out all of a list: %s', async (resource) => {
		sandbox.addCustomers(130);
		rows(130);
		const found = await run({ resource, operation: 'getAll', returnAll: true });
		expect(output(found)).toHaveLength(130);
	});

	test('shows a payment, and nothing is charged', async () => {
		expect(await chargeOnRow120()).toMatchObject({ charged: false, status: 'ALREADY_PAID' });
		expect(sandbox.charges).toHaveLength(0);
	});

	test.each([1, 20])('shows customers by email, to %i items', async (count) => {
		const items = sandbox.addCustomers(130).map(({ email }) => ({ email }));
		const parameters = { resource: 'customer', operation: 'upsert', email: '={{ $json.email }}' };
		output(await run(parameters, { items: items.slice(-count) }));
		expect(sandbox.customers).toHaveLength(130);
	});
});

test('a request that is refused for another reason says so, in the words of the first answer', async () => {
	sandbox.fault({ on: 'customers', status: 422, body: { message: 'First' } });
	sandbox.fault({ on: 'customers', after: 1, status: 422, body: { message: 'Second' } });
	const { error } = await run({ resource: 'customer', operation: 'getAll' });
	expect(error?.message).toBe('First');
});

test('a list that is refused behind a page is handed over, and the log counts what is missing', async () => {
	rows(330);
	const isDeep = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"page":3');
	sandbox.fault({ on: 'webhookEvents', times: Infinity, status: 400, when: isDeep });
	expect(output(await run(all))).toHaveLength(200);
	const warnings = log.lines.filter((line) => /counts 330 rows .* gave out 200/.test(line));
	expect(warnings).toHaveLength(1);
});

test.each([
	[{}, 1],
	// Which of them are wanted is found out here.
	[{ eventTypes: ['payment_success'] }, 100],
])('a limit of 1 with %j asks for pages of %i', async (parameters, size) => {
	rows(330);
	output(await run({ ...all, returnAll: false, limit: 1, ...parameters }));
	const sizes = sandbox.requestsTo('webhookEvents').map(({ body }) => body.data.page.pageSize);
	expect(sizes).toEqual([size]);
});

describe('rows that are no records', () => {
	function spoil(on: 'customers' | 'webhookEvents'): void {
		const answer = (given: unknown) => {
			const { data, ...rest } = given as { data: unknown[] };
			return { data: [null, ...data, 'text', [{}]], ...rest };
		};
		sandbox.fault({ on, times: Infinity, answer });
	}
	const warnings = () => log.lines.filter((line) => /^warn .*no records/.test(line));

	test.each(['customer', 'webhookEvent'])('are left out of a list of all: %s', async (resource) => {
		sandbox.addCustomers(230);
		rows(230);
		spoil(resource === 'customer' ? 'customers' : 'webhookEvents');
		const found = output(await run({ resource, operation: 'getAll', returnAll: true }));
		expect(found).toHaveLength(230);
		expect(warnings()).toHaveLength(1);
	});

	test('do not keep the trigger from firing', async () => {
		rows(20);
		spoil('webhookEvents');
		const trigger = poller();
		expect(await trigger.activate()).toBeNull();
		sandbox.clock.advance(60_000);
		const fresh = rows(230);
		expect(await drained(trigger)).toEqual(fresh);
		expect(warnings().length).toBeGreaterThan(0);
	});

	test('do not keep a customer from being found by email', async () => {
		const { id } = sandbox.addCustomer({ email: 'ada@example.com' });
		spoil('customers');
		const customerId = { __rl: true, mode: 'email', value: 'ada@example.com' };
		const [found] = output(await run({ resource: 'customer', operation: 'get', customerId }));
		expect(found).toMatchObject({ id });
	});
});
