import type { Cluster, ExecutionRow, Worker } from './cluster';
import { CONCURRENCY, countsOf, say, spreadOver, startCluster } from './cluster';
import { variables } from './compose';
import type { Row } from './flows';
import { sync } from './flows';

/** A CRM's rows on one worker and on two: nobody twice, and how much faster. */

const CUSTOMERS = 1_000;
const BATCHES = 50;
/** Of each batch so many rows come twice, as they do from a CRM. */
const REPEATED = 5;
/** What the service takes to answer: so long that n8n waits for it, and not for the machine. */
const LATENCY_MS = 500;
/** In the run with a limit: requests a second, and how many of them at once. */
const LIMIT = 60;
const BURST = 10;
const SAME_INSTANT = 20;

let cluster: Cluster;
let first: Worker;
let second: Worker;
let workflow: string;

beforeAll(async () => {
	cluster = await startCluster();
	first = await cluster.addWorker('first');
	workflow = await cluster.addWorkflow(sync(cluster.credential));
});

afterAll(async () => await cluster?.close());

/** Equal customers are in one batch, since two workers that look for one at once both miss it. */
const BATCHED: Row[][] = Array.from({ length: BATCHES }, (_, batch) => {
	const size = CUSTOMERS / BATCHES;
	const rows = Array.from({ length: size }, (_, index) => {
		const number = batch * size + index + 1;
		return { email: `guest${number}@example.com`, name: `Guest ${number}` };
	});
	const again = rows
		.slice(0, REPEATED)
		.map(({ email, name }) => ({ email: email.toUpperCase(), name }));
	return [...rows, ...again];
});

async function send(batches: readonly Row[][]): Promise<ExecutionRow[]> {
	return await cluster.run(
		workflow,
		'sync',
		batches.map((rows) => ({ rows })),
	);
}

interface Pass {
	executions: ExecutionRow[];
	/** From the first request to the last answer. */
	seconds: number;
	requests: number;
	refused: number;
	underWay: number;
}

async function pass(batches: readonly Row[][], limit?: number): Promise<Pass> {
	const { sandbox } = cluster;
	sandbox.reset();
	sandbox.settings.latency = LATENCY_MS;
	if (limit !== undefined) {
		sandbox.settings.limits = { rate: { perSecond: limit, burst: BURST }, retryAfter: 1 };
	}
	const executions = await send(batches);
	const { requests, maxInFlight } = sandbox;
	const last = Math.max(...requests.map(({ answeredAt = 0 }) => answeredAt));
	return {
		executions,
		seconds: (last - (requests[0]?.startedAt ?? last)) / 1000,
		requests: requests.length,
		refused: requests.filter(({ status }) => status === 429).length,
		underWay: maxInFlight,
	};
}

function told(what: string, { seconds, requests, refused, underWay }: Pass): string {
	return [
		`  ${what}: ${CUSTOMERS} customers in ${seconds.toFixed(1)} s`,
		`(${(CUSTOMERS / seconds).toFixed(0)} a second); ${requests} requests,`,
		`${(requests / seconds).toFixed(0)} a second, ${underWay} under way at most, ${refused} refused`,
	].join(' ');
}

function expectEachCustomerOnce(): void {
	const emails = cluster.sandbox.customers.map(({ email }) => email.toLowerCase());
	expect(emails).toHaveLength(CUSTOMERS);
	expect(new Set(emails).size).toBe(CUSTOMERS);
}

test('deploy/.env.example offers what deploy/compose.yml asks for', async () => {
	const { offered, asked } = await variables();
	expect(offered).toEqual(asked);
});

test('one worker and two make a thousand customers without a twin', async () => {
	const warmUp = async () => void (await pass(BATCHED.slice(0, 10)));

	await warmUp();
	const alone = await pass(BATCHED);
	expectEachCustomerOnce();

	second = await cluster.addWorker('second');
	await warmUp();
	const together = await pass(BATCHED);
	expectEachCustomerOnce();
	const spread = await spreadOver([first, second], together.executions);

	const { customers } = cluster.sandbox;
	const updates = cluster.sandbox.requestsTo('updateCustomer').length;
	await send(BATCHED.slice(0, 10));
	expect(cluster.sandbox.customers).toEqual(customers);
	expect(cluster.sandbox.requestsTo('updateCustomer')).toHaveLength(updates);

	const limited = await pass(BATCHED, LIMIT);
	// Refused too often, an execution ends with the service's words, and its rows are sent again.
	const refused = limited.executions.filter(({ status }) => status !== 'success').length;
	cluster.sandbox.settings.limits = {};
	const again = await send(BATCHED);
	expectEachCustomerOnce();

	say(
		`Sync of ${BATCHED.flat().length} rows in ${BATCHES} executions, ${CONCURRENCY} at once on a worker,`,
		`the service answers after ${LATENCY_MS} ms`,
		told('1 worker', alone),
		told('2 workers', together),
		`    their executions: ${spread.join(' and ')}`,
		told(`2 workers and a limit of ${LIMIT} requests a second`, limited),
		`    executions refused too often, and sent again: ${refused}`,
	);
	for (const executions of [alone.executions, together.executions, again]) {
		expect(countsOf(executions.map(({ status }) => status))).toBe(`${BATCHES} success`);
	}
	expect(Math.min(...spread)).toBeGreaterThan(0);
	expect(spread.reduce((sum, count) => sum + count)).toBe(BATCHES);
	expect(limited.refused).toBeGreaterThan(0);
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
