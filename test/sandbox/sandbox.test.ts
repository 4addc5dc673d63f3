import { startSandbox } from '.';
import type { Fault, Settings } from '.';
import { useService } from './useService';

/**
 * Checks what the sandbox offers to other tests, where those would not notice that it is wrong:
 * faults, limits, a reset, the seed and a kept state.
 */

const { sandbox, call } = useService();

const customers = async (data: unknown = {}) => await call('customers', data);
const add = async () => await call('addCustomer', { form: { email: 'a@x.com' } });
/** Of so many requests, one after another. */
const statuses = async (count: number, request: () => Promise<{ status: number }> = customers) => {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push((await request()).status);
	return seen;
};
describe('a fault', () => {
	const html = 'text/html; charset=utf-8';
	const plain = 'text/plain; charset=utf-8';
	const json = 'application/json';
	test.each<[Fault, number, string, string]>([
		[{ status: 503, body: { message: 'Busy' } }, 503, json, '{"message":"Busy"}'],
		[{ status: 429 }, 429, json, '{"error":{"message":"Too Many Requests"}}'],
		[{ status: 502, body: '<p>Bad gateway' }, 502, html, '<p>Bad gateway'],
		[{ body: '' }, 200, plain, ''],
	])('%j answers %i instead of the work, once', async (fault, status, type, text) => {
		sandbox.fault({ ...fault, headers: { 'Retry-After': '7' } });
		const answer = await add();
		expect(answer).toMatchObject({ status, text });
		expect(answer.headers.get('content-type')).toBe(type);
		expect(answer.headers.get('retry-after')).toBe('7');
		expect(sandbox.customers).toHaveLength(0);
		expect((await add()).status).toBe(200);
	});

	test('waits for its turn and its endpoint, skips, repeats, and looks at the request', async () => {
		sandbox.fault({ on: 'addCustomer', status: 500, after: 1, times: 2 });
		sandbox.fault({ on: ['addCustomer', 'customer'], status: 502 });
		const when: Fault['when'] = ({ body }) => JSON.stringify(body).includes('"page":2');
		sandbox.fault({ on: 'customers', when, status: 418 });
		expect(await statuses(5, add)).toEqual([502, 500, 500, 200, 200]);
		expect((await customers()).status).toBe(200);
		expect((await customers({ page: { page: 2 } })).status).toBe(418);
	});

	test('stands until it is cleared, and one that leaves answers alone goes with others', async () => {
		let seen = 0;
		sandbox.fault({ times: Infinity, delay: 20, run: () => seen++ });
		sandbox.fault({ status: 500 });
		sandbox.fault({ status: 503, times: Infinity });
		const started = performance.now();
		expect(await statuses(3)).toEqual([500, 503, 503]);
		expect(performance.now() - started).toBeGreaterThan(55);
		sandbox.clearFaults();
		expect(await statuses(1)).toEqual([200]);
		expect(seen).toBe(3);
	});

	test('with a mistake in it is answered, not swallowed', async () => {
		sandbox.fault({ answer: (answer) => Object(answer).no.such });
		expect(await customers()).toMatchObject({ status: 500, text: expect.stringMatching(/such/) });
	});
});

test.each<[Settings['limits'], refused: number, retryAfter: string | null, ms: number]>([
	[{}, 0, null, 200],
	[{ rate: { perSecond: 1, burst: 3 }, retryAfter: 2 }, 3, '2', 200],
	[{ atOnce: 4 }, 2, null, 200],
	[{ workers: 2 }, 0, null, 600],
])('of six requests at once, %j refuses %i', async (limits, refused, retryAfter, ms) => {
	Object.assign(sandbox.settings, { limits, latency: 200 });
	const started = performance.now();
	const answers = await Promise.all(Array.from({ length: 6 }, async () => await customers()));
	expect(performance.now() - started).toBeGreaterThan(ms - 5);
	expect(sandbox.maxInFlight).toBeGreaterThan(3);
	const refusals = answers.filter(({ status }) => status === 429);
	expect(refusals).toHaveLength(refused);
	expect(refusals[0]?.headers.get('retry-after') ?? null).toBe(retryAfter);
	sandbox.settings.limits = {};
	expect(await statuses(1)).toEqual([200]);
});

test('a reset empties state, faults, log, settings and clock, and ends what hangs', async () => {
	sandbox.addCustomer();
	sandbox.addProduct();
	sandbox.pay(sandbox.addPaylink({ pricing: { amount: 100 } }).payLinkID);
	sandbox.fault({ delay: Infinity, times: Infinity });
	const { settings } = sandbox;
	settings.pageSizeCap = 1;
	sandbox.clock.set('2020-01-01T00:00:00Z');
	const hanging = expect(customers()).rejects.toThrow('fetch failed');
	while (sandbox.requests.length === 0) await new Promise(setImmediate);
	sandbox.reset();
	await hanging;
	const { requests, charges, events, paylinks, carts, products } = sandbox;
	const held = [requests, charges, events, paylinks, carts, products, sandbox.customers];
	expect(held.flat()).toEqual([]);
	expect([sandbox.settings === settings, settings.pageSizeCap]).toEqual([true, Infinity]);
	expect(sandbox.clock.now().getFullYear()).toBeGreaterThan(2024);
	expect(await statuses(1)).toEqual([200]);
});

test('the seed is a shop with a past, and a later sandbox goes on where it ended', async () => {
	const clock = '2026-03-01T12:00:00Z';
	const earlier = await startSandbox({ seed: true, clock });
	const { events, paylinks, customers: people } = earlier;
	expect(new Set(events.map(({ type }) => type)).size).toBe(3);
	expect(events.every(({ date }) => date < clock)).toBe(true);
	expect(paylinks.filter(({ status }) => status === 'paid')).toHaveLength(1);
	expect(earlier.clock.now().toISOString()).toBe('2026-03-01T12:00:00.000Z');
	earlier.reset();
	expect(earlier.customers.length).toBe(people.length);
	earlier.addEvent({ date: undefined, type: 'payment_odd', payload: 'not JSON' });
	const kept = earlier.kept();
	await earlier.close();

	const later = await startSandbox({ seed: true, kept });
	expect(later.kept()).toBe(kept);
	expect(later.events).toEqual(earlier.events);
	expect(later.refund(later.charges.at(-1)?.transactionID ?? '', 1).type).toBe('payment_refund');
	await later.close();
	const anew = await startSandbox({ seed: true, kept: '{"customers":[]}' });
	expect(anew.customers).toHaveLength(people.length);
	await anew.close();
});
