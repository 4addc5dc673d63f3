import axios, { type AxiosRequestConfig } from 'axios';
import { startSandbox, type Sandbox } from '.';

/**
 * Checks what the sandbox offers to other tests: faults, the log, the clock, the handle, the seed
 * and a kept state.
 */

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

async function call(endpoint: string, data: unknown, config: AxiosRequestConfig = {}) {
	return await axios.post(
		`${sandbox.url}/api/gateway/${endpoint}`,
		{ data },
		{
			headers: { token: sandbox.credentials.headerToken },
			validateStatus: () => true,
			...config,
		},
	);
}

const customers = async (config?: AxiosRequestConfig) => await call('customers', {}, config);
const add = async () => await call('addCustomer', { form: { email: 'a@x.com' } });
const outcome = async (request: Promise<{ status: number }>) =>
	await request.then(
		({ status }) => status,
		(error: unknown) => (axios.isAxiosError(error) ? error.code : error),
	);

describe('faults', () => {
	test('answer a status with a body and headers instead of the work, once', async () => {
		sandbox.fault({
			status: 503,
			body: { message: 'Busy' },
			headers: { 'Retry-After': '7' },
		});
		const answer = await add();
		expect([answer.status, answer.data, answer.headers['retry-after']]).toEqual([
			503,
			{ message: 'Busy' },
			'7',
		]);
		expect(sandbox.customers).toEqual([]);
		expect((await add()).status).toBe(200);
	});

	test('a status alone gets an error body', async () => {
		sandbox.fault({ status: 429 });
		expect((await customers()).data).toEqual({ error: { message: 'Too Many Requests' } });
	});

	test('a text goes out as it is', async () => {
		sandbox.fault({ status: 502, body: '<html>Bad gateway</html>' });
		sandbox.fault({ body: '' });
		const page = await customers();
		expect([page.status, page.headers['content-type'], page.data]).toEqual([
			502,
			'text/html; charset=utf-8',
			'<html>Bad gateway</html>',
		]);
		const empty = await customers();
		expect([empty.status, empty.data]).toEqual([200, '']);
	});

	test('come in the order they were queued', async () => {
		sandbox.fault({ status: 500 });
		sandbox.fault({ status: 502 });
		sandbox.fault({ status: 503 });
		const statuses = [await customers(), await customers(), await customers(), await customers()];
		expect(statuses.map(({ status }) => status)).toEqual([500, 502, 503, 200]);
	});

	test('wait for their endpoint, skip, repeat, and look at the request', async () => {
		sandbox.fault({ on: 'addCustomer', status: 500, after: 1, times: 2 });
		sandbox.fault({
			on: ['customers', 'customer'],
			when: ({ body }) => JSON.stringify(body).includes('"page":2'),
			status: 418,
		});
		const statuses = [];
		for (let index = 0; index < 4; index++) statuses.push((await add()).status);
		expect(statuses).toEqual([200, 500, 500, 200]);
		expect((await customers()).status).toBe(200);
		expect((await call('customers', { page: { page: 2 } })).status).toBe(418);
	});

	test('last until they are cleared with times Infinity', async () => {
		sandbox.fault({ status: 500, times: Infinity });
		expect([(await customers()).status, (await customers()).status]).toEqual([500, 500]);
		sandbox.clearFaults();
		expect((await customers()).status).toBe(200);
	});

	test('do the work first and then answer something else', async () => {
		sandbox.fault({ status: 500, workFirst: true });
		expect((await add()).status).toBe(500);
		expect(sandbox.customers).toHaveLength(1);
	});

	test('rewrite the true answer', async () => {
		sandbox.addCustomer();
		sandbox.fault({ answer: () => ({ data: null }) });
		const { status, data } = await customers();
		expect([status, data]).toEqual([200, { data: null }]);
	});

	test('drop the connection before the work', async () => {
		sandbox.fault({ drop: 'before' });
		expect(await outcome(add())).toBe('ECONNRESET');
		expect(sandbox.customers).toEqual([]);
		expect(sandbox.requests[0]).toMatchObject({ broken: true, endpoint: 'addCustomer' });
		expect(sandbox.requests[0]?.status).toBeUndefined();
	});

	test('drop the connection after the work', async () => {
		sandbox.fault({ drop: 'after' });
		expect(await outcome(add())).toBe('ECONNRESET');
		expect(sandbox.customers).toHaveLength(1);
	});

	test('delay the answer', async () => {
		sandbox.fault({ delay: 60 });
		const started = performance.now();
		expect((await customers()).status).toBe(200);
		expect(performance.now() - started).toBeGreaterThan(55);
	});

	test('hang, with the work done, until the caller gives up', async () => {
		sandbox.fault({ delay: Infinity });
		const request = call('addCustomer', { form: {} }, { timeout: 50 });
		expect(await outcome(request)).toBe('ECONNABORTED');
		expect(sandbox.customers).toHaveLength(1);
	});

	test('shift a list while it is read', async () => {
		const [first, second, third] = sandbox.addCustomers(3);
		sandbox.fault({ after: 1, run: () => sandbox.removeCustomer(first?.id ?? '') });
		const read = async (page: number) =>
			(await call('customers', { page: { page, pageSize: 1 } })).data.data[0].id;
		expect([await read(1), await read(2)]).toEqual([first?.id, third?.id]);
		expect(second?.id).toBe(await read(1));
	});

	test('a standing one that only delays or runs goes along with others', async () => {
		let seen = 0;
		sandbox.fault({ times: Infinity, run: () => seen++ });
		sandbox.fault({ status: 500 });
		expect([(await customers()).status, (await customers()).status]).toEqual([500, 200]);
		expect(seen).toBe(2);
	});

	test('a mistake in a fault is answered, not swallowed', async () => {
		sandbox.fault({
			run: () => {
				throw new Error('oops');
			},
		});
		const { status, data } = await customers();
		expect([status, data.error.message]).toEqual([500, expect.stringContaining('oops')]);
	});
});

describe('the log', () => {
	test('holds what came in and what was answered', async () => {
		await add();
		expect(sandbox.requests).toEqual([
			{
				endpoint: 'addCustomer',
				method: 'POST',
				path: '/api/gateway/addCustomer',
				headers: expect.objectContaining({ token: sandbox.credentials.headerToken }),
				body: { data: { form: { email: 'a@x.com' } } },
				status: 200,
				answer: expect.stringContaining('"customerID"'),
				startedAt: expect.any(Number),
				answeredAt: expect.any(Number),
			},
		]);
		expect(sandbox.requestsTo('addCustomer')[0]?.body.data.form.email).toBe('a@x.com');
		expect(sandbox.requestsTo('customers')).toEqual([]);
	});

	test('holds a body that is no JSON as text, and requests that were refused', async () => {
		await axios.post(`${sandbox.url}/elsewhere/customers`, '{oops', {
			validateStatus: () => true,
		});
		expect(sandbox.requests).toMatchObject([
			{ endpoint: 'customers', path: '/elsewhere/customers', body: '{oops', status: 404 },
		]);
	});

	test('counts how many requests were open at once', async () => {
		sandbox.settings.latency = 30;
		await Promise.all([customers(), customers(), customers()]);
		await customers();
		expect(sandbox.maxInFlight).toBe(3);
		sandbox.reset();
		expect(sandbox.maxInFlight).toBe(0);
	});

	/** How many of so many requests at once were refused, and what the refusals say. */
	const atOnce = async (count: number) => {
		const answers = await Promise.all(Array.from({ length: count }, async () => await customers()));
		const refused = answers.filter(({ status }) => status === 429);
		return { refused: refused.length, words: refused[0]?.headers['retry-after'] as unknown };
	};

	test('takes so many a second, after a burst', async () => {
		sandbox.settings.limits = { rate: { perSecond: 20, burst: 3 }, retryAfter: 2 };
		expect(await atOnce(5)).toEqual({ refused: 2, words: '2' });
		await new Promise((resolve) => setTimeout(resolve, 60));
		expect((await customers()).status).toBe(200);
		sandbox.reset();
		expect(await atOnce(5)).toEqual({ refused: 0, words: undefined });
	});

	test('refuses one more than it takes at once, and takes it later', async () => {
		sandbox.settings.limits = { atOnce: 3 };
		sandbox.settings.latency = 50;
		expect(await atOnce(5)).toEqual({ refused: 2, words: undefined });
		expect((await customers()).status).toBe(200);
	});

	test('works on so many at once, and lets the others wait', async () => {
		sandbox.settings.limits = { workers: 2 };
		sandbox.settings.latency = 50;
		const started = performance.now();
		expect((await atOnce(6)).refused).toBe(0);
		expect(performance.now() - started).toBeGreaterThanOrEqual(145);
		expect(sandbox.maxInFlight).toBe(6);
	});

	test('counts an answered request as open no longer', async () => {
		for (let index = 0; index < 5; index++) await customers();
		expect(sandbox.maxInFlight).toBe(1);
	});
});

describe('the clock', () => {
	test('stands still when set, advances, and dates what the service makes', async () => {
		sandbox.clock.set('2026-01-01T00:00:00Z');
		sandbox.clock.advance(90_000);
		const now = '2026-01-01T00:01:30.000Z';
		expect(sandbox.clock.now().toISOString()).toBe(now);
		expect(sandbox.addEvent().date).toBe(now);
		const { payLinkID } = sandbox.addPaylink({ pricing: { amount: 100 } });
		expect(sandbox.pay(payLinkID).date).toBe(now);
		expect(sandbox.charges[0]?.at).toBe(now);
		expect((await customers()).headers.date).toBe('Thu, 01 Jan 2026 00:01:30 GMT');
	});

	test('runs with real time otherwise, advanced too', () => {
		sandbox.clock.advance(3_600_000);
		const ahead = sandbox.clock.now().getTime() - Date.now();
		expect(Math.abs(ahead - 3_600_000)).toBeLessThan(1000);
		sandbox.clock.useReal();
		expect(Math.abs(sandbox.clock.now().getTime() - Date.now())).toBeLessThan(1000);
	});

	test('refuses what is no date', () => {
		expect(() => sandbox.clock.set('soon')).toThrow('soon');
	});
});

describe('the handle', () => {
	test('reset empties state, faults, log, settings and clock', async () => {
		sandbox.addCustomer();
		sandbox.addEvent();
		sandbox.addCart();
		sandbox.pay(sandbox.addPaylink({ pricing: { amount: 100 } }).payLinkID);
		sandbox.fault({ status: 500, times: Infinity });
		sandbox.settings.pageSizeCap = 1;
		sandbox.clock.set('2020-01-01T00:00:00Z');
		await customers();
		const { settings } = sandbox;
		sandbox.reset();
		expect(sandbox).toMatchObject({
			requests: [],
			charges: [],
			customers: [],
			events: [],
			paylinks: [],
			carts: [],
			products: [],
		});
		expect(sandbox.settings).toBe(settings);
		expect(settings.pageSizeCap).toBe(Infinity);
		expect(sandbox.clock.now().getFullYear()).toBeGreaterThan(2024);
		expect((await customers()).status).toBe(200);
	});

	test('reset ends requests that hang', async () => {
		sandbox.fault({ delay: Infinity });
		const hanging = outcome(customers());
		while (sandbox.requests.length === 0) await new Promise(setImmediate);
		sandbox.reset();
		expect(await hanging).toBe('ECONNRESET');
	});

	test('close ends requests that hang, and may be called twice', async () => {
		const other = await startSandbox();
		other.fault({ delay: Infinity });
		const { headerToken: token } = other.credentials;
		const url = `${other.url}/api/gateway/customers`;
		const hanging = outcome(axios.post(url, { data: {} }, { headers: { token } }));
		while (other.requests.length === 0) await new Promise(setImmediate);
		await Promise.all([other.close(), other.close()]);
		expect(await hanging).toBe('ECONNRESET');
		expect(await outcome(axios.get(other.url))).toBe('ECONNREFUSED');
	});

	test('listens on the loopback address alone', () => {
		expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
	});

	test('two sandboxes know nothing of each other', async () => {
		const other = await startSandbox();
		other.addCustomer();
		expect(sandbox.customers).toEqual([]);
		await other.close();
	});

	test('details are copies: what a test holds does not change', () => {
		const before = sandbox.addCustomer({ email: 'old@x.com' });
		sandbox.updateCustomer(before.id, { email: 'new@x.com' });
		expect(before.email).toBe('old@x.com');
	});
});

describe('the seed', () => {
	test('is there at the start and after a reset', async () => {
		const seeded = await startSandbox({ seed: true, clock: '2026-03-01T12:00:00Z' });
		for (let round = 1; round <= 2; round++) {
			expect(seeded.customers).toHaveLength(25);
			expect(seeded.products.some(({ isRecurring }) => isRecurring)).toBe(true);
			expect(new Set(seeded.events.map(({ type }) => type))).toEqual(
				new Set(['payment_success', 'payment_failed', 'payment_refund']),
			);
			const dates = seeded.events.map(({ date }) => date);
			expect(dates.every((date) => date < '2026-03-01T12:00:00Z')).toBe(true);
			expect(new Set(seeded.paylinks.map(({ status }) => status))).toContain('open');
			expect(seeded.clock.now().toISOString()).toBe('2026-03-01T12:00:00.000Z');
			seeded.reset();
		}
		await seeded.close();
	});
});

describe('what is kept', () => {
	test('a later sandbox goes on where an earlier one ended', async () => {
		const earlier = await startSandbox({ seed: true });
		const event = earlier.addEvent({ date: undefined, type: 'payment_odd', payload: 'not JSON' });
		const kept = earlier.kept();
		await earlier.close();
		const later = await startSandbox({ seed: true, kept });
		expect(later.customers).toEqual(earlier.customers);
		expect(later.events).toEqual(earlier.events);
		expect(later.events).toContainEqual(event);
		expect(later.paylinks).toEqual(earlier.paylinks);
		expect(later.charges).toEqual(earlier.charges);
		expect(later.kept()).toBe(kept);
		const { transactionID } = later.charges.at(-1) ?? { transactionID: '' };
		expect(later.refund(transactionID, 1).type).toBe('payment_refund');
		await later.close();
	});
});
