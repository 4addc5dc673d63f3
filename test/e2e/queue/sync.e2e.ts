import type { Instance } from '../instance';
import { say, use } from '../testbed';
import type { ExecutionRow } from './cluster';
import { Cluster, CONCURRENCY, countsOf, spreadOver, statusesOf } from './cluster';
import { variables } from './compose';
import { charge, type Row, sync } from './flows';

/**
 * A CRM's rows on one worker and on two: nobody twice, and how much faster. Then the same customer,
 * and the same cart, in two executions at the same instant.
 */

const CUSTOMERS = 1_000;
const BATCHES = 50;
/** Of each batch so many rows come twice, as they do from a CRM. */
const REPEATED = 5;
/** What the gateway takes to answer: so long that n8n waits for it, and not for the machine. */
const LATENCY_MS = 500;
/** In the run with a limit: requests a second, and how many of them at once. */
const LIMIT = { perSecond: 60, burst: 10 };
const SAME_INSTANT = 20;
const PAIRS = 200;
const CART_TOTAL = 2500;

const cluster = use(new Cluster());
let workers: Instance[];
let workflow: string;

beforeAll(async () => {
	workers = [await cluster.addWorker('first')];
	workflow = await cluster.addActive(sync(cluster.credential));
});

/**
 * Equal customers are in one batch, since two workers that look for one at once both miss it. Each
 * pass has rows of its own: a worker remembers for ten minutes whom it has made.
 */
function batchesOf(rows: string, count = BATCHES): Row[][] {
	return Array.from({ length: count }, (_, batch) => {
		const guests = Array.from({ length: CUSTOMERS / BATCHES }, (__, index) => {
			const name = `${rows} ${batch}-${index}`;
			return { email: `${name.replaceAll(' ', '-')}@example.com`.toLowerCase(), name };
		});
		const again = guests.slice(0, REPEATED);
		return [...guests, ...again.map(({ email, name }) => ({ email: email.toUpperCase(), name }))];
	});
}

async function send(batches: readonly Row[][]): Promise<ExecutionRow[]> {
	const bodies = batches.map((rows) => ({ rows }));
	return await cluster.run(workflow, 'sync', bodies);
}

/** Into an empty service; says how long it took, and answers the executions. */
async function pass(what: string, rows: Row[][], rate?: typeof LIMIT): Promise<ExecutionRow[]> {
	const { sandbox } = cluster;
	const begin = () => {
		sandbox.reset();
		sandbox.settings.latency = LATENCY_MS;
	};
	// Each worker finds out first how much the gateway takes.
	begin();
	await send(batchesOf(`Before ${what}`, 10));
	begin();
	if (rate) sandbox.settings.limits = { rate, retryAfter: 1 };
	const executions = await send(rows);
	const { requests, maxInFlight } = sandbox;
	const last = Math.max(...requests.map(({ answeredAt = 0 }) => answeredAt));
	const seconds = (last - (requests[0]?.startedAt ?? last)) / 1000;
	const perSecond = (count: number) => `${(count / seconds).toFixed(0)} a second`;
	const refused = requests.filter(({ status }) => status === 429).length;
	say(
		`  ${what}: ${CUSTOMERS} customers in ${seconds.toFixed(1)} s (${perSecond(CUSTOMERS)});`,
		`    ${requests.length} requests, ${perSecond(requests.length)}, ${maxInFlight} under way at most, ${refused} refused`,
		`    executions: ${statusesOf(executions)}`,
		`    what the others say: ${await cluster.wordsOf(executions)}`,
	);
	expect(refused > 0).toBe(rate !== undefined);
	return executions;
}

function expectEachCustomerOnce(): void {
	const emails = cluster.sandbox.customers.map(({ email }) => email.toLowerCase());
	expect(emails).toHaveLength(CUSTOMERS);
	expect(new Set(emails).size).toBe(CUSTOMERS);
}

function expectSuccess(executions: readonly ExecutionRow[]): void {
	expect(statusesOf(executions)).toBe(`${executions.length} success`);
}

test('deploy/.env.example offers what deploy/compose.yml asks for', async () => {
	const { offered, asked } = await variables();
	expect(offered).toEqual(asked);
});

test('one worker and two make a thousand customers without a twin', async () => {
	const { sandbox } = cluster;
	say(
		`Sync of ${batchesOf('').flat().length} rows in ${BATCHES} executions, ${CONCURRENCY} at once on a worker,`,
		`the gateway answers after ${LATENCY_MS} ms`,
	);
	expectSuccess(await pass('1 worker', batchesOf('One')));
	expectEachCustomerOnce();

	workers.push(await cluster.addWorker('second'));
	const rows = batchesOf('Two');
	const together = await pass('2 workers', rows);
	expectSuccess(together);
	expectEachCustomerOnce();
	const spread = await spreadOver(workers, together);
	say(`    on the workers: ${spread.join(' and ')}`);
	expect(Math.min(...spread)).toBeGreaterThan(0);
	expect(spread.reduce((sum, count) => sum + count)).toBe(BATCHES);

	const { customers } = sandbox;
	const updates = sandbox.requestsTo('updateCustomer').length;
	await send(rows.slice(0, 10));
	expect(sandbox.customers).toEqual(customers);
	expect(sandbox.requestsTo('updateCustomer')).toHaveLength(updates);

	// Refused too often, an execution ends with the gateway's words, and its rows are sent again.
	const limited = batchesOf('Limited');
	await pass(`2 workers and a limit of ${LIMIT.perSecond} requests a second`, limited, LIMIT);
	sandbox.settings.limits = {};
	expectSuccess(await send(limited));
	expectEachCustomerOnce();
});

test('says how often two executions at the same instant make the same customer', async () => {
	const { sandbox } = cluster;
	sandbox.reset();
	sandbox.settings.latency = LATENCY_MS;
	const rows = Array.from({ length: SAME_INSTANT }, (_, index) => ({
		email: `instant${index}@example.com`,
		name: `Instant ${index}`,
	}));
	await send(rows.flatMap((row) => [[row], [row]]));
	const twins = sandbox.customers.length - SAME_INSTANT;
	say(`${SAME_INSTANT} new customers, each in two executions at the same instant: ${twins} twins`);
	expect(new Set(sandbox.customers.map(({ email }) => email)).size).toBe(SAME_INSTANT);
});

test(`charges no cart twice that two executions have at the same instant, ${PAIRS} times`, async () => {
	const { sandbox } = cluster;
	sandbox.reset();
	// While no event shows, nothing but n8n's own store can keep the second from charging.
	sandbox.settings.eventLag = Infinity;
	const references = Array.from({ length: PAIRS }, (_, index) => `INSTANT-${index}`);
	const pairs = references.flatMap((referenceID) => {
		const paymentData = sandbox.addCart({ referenceID, amount: CART_TOTAL });
		const cart = { paymentData, total: CART_TOTAL };
		return [cart, cart];
	});
	const charging = await cluster.addActive(charge(cluster.credential));
	const executions = await cluster.run(charging, 'charge', pairs);
	const times = cluster.timesCharged(references);
	say(
		`${PAIRS} carts, each in two executions at the same instant: charged ${countsOf(times)}`,
		`  on the workers: ${(await spreadOver(workers, executions)).join(' and ')}`,
		`  executions: ${statusesOf(executions)}`,
		`  ${await cluster.wordsOf(executions)}`,
	);
	expect(times).toEqual(references.map(() => 'once'));
});
