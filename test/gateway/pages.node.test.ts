import type { INodeParameters } from 'n8n-workflow';

import { engine, log, output } from '../engine';
import type { Settings } from '../sandbox';
import { useNode } from '../useNode';

/**
 * What `pages.test.ts` shows of the readers themselves, seen once more from outside: the real nodes
 * against a service with odd pages.
 */

const { sandbox, credentials, run } = useNode({}, { clock: '2026-03-01T12:00:00Z' });

const REFERENCE = 'ORDER-120';
const rows = (count: number) => sandbox.addEvents(count).map(({ eventID }) => eventID);
const all: INodeParameters = { resource: 'webhookEvent', operation: 'getAll', returnAll: true };
const idsOf = (items: Array<{ eventID?: unknown }>) => items.map(({ eventID }) => eventID);
const listed = () => sandbox.requestsTo('webhookEvents').length;

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
	{ pageSizeCap: 50, total: 'ofPage' },
	{ pageSizeCap: 50, total: 'ofPage', repeatLastPage: true },
	{ pageSizeCap: 50, total: 'ofPage', pageSizeSaid: 'nothing' },
	{ pageSizeCap: 30, total: 'zero', pageSizeSaid: 'asked' },
	{ pageSizeCap: 30, total: 'zero', pageSizeSaid: 'nothing', repeatLastPage: true },
	{ pageSizeCap: 30, total: 'text', pageSizeSaid: 'asked' },
	{ total: 'ofPage' },
	{ total: 'ofPage', repeatLastPage: true },
	{ total: 'text', repeatLastPage: true },
	{ total: { constant: 7 } },
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
		sandbox.addEvent({ referenceID: REFERENCE, date: '2026-03-01T10:00:00.000Z' });
		rows(119);
		Object.assign(sandbox.settings, { ...settings, ignoreSearch: true });
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

describe('the page size falls while a list is read', () => {
	// Such that the rows of the smaller page, at the place of a large one, make up the count.
	const counts = [210, 710, 760];

	test.each(counts.flatMap((count) => [1, 2, 3].map((after) => [count, after] as const)))(
		'the trigger fires each of %i events once, after %i requests',
		async (count, after) => {
			for (const pageSizeSaid of ['served', 'asked', 'nothing'] as const) {
				sandbox.reset();
				sandbox.settings.pageSizeSaid = pageSizeSaid;
				// After an empty first answer, what is dated long before the activation would not fire.
				rows(1);
				const trigger = poller();
				expect(await trigger.activate()).toBeNull();
				// After an empty first answer, what is dated well before the activation is from before.
				sandbox.clock.advance(3_600_000);
				const fresh = rows(count);
				const fall = () => (sandbox.settings.pageSizeCap = 10);
				sandbox.fault({ on: 'webhookEvents', after, run: fall });
				expect((await drained(trigger)).sort()).toEqual(fresh.sort());
			}
		},
		60_000,
	);

	test.each([1, 2, 3])('Return All gives each event once, after %i requests', async (after) => {
		for (const pageSizeSaid of ['served', 'asked', 'nothing'] as const) {
			sandbox.reset();
			sandbox.settings.pageSizeSaid = pageSizeSaid;
			const ids = rows(455);
			const fall = () => (sandbox.settings.pageSizeCap = 10);
			sandbox.fault({ on: 'webhookEvents', after, run: fall });
			expect(idsOf(output(await run(all)))).toEqual(ids.reverse());
			expect(listed()).toBeLessThanOrEqual(46 + 10);
		}
	});
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
