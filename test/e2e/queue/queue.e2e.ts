import { eventReporter } from '../gatewayWorkflows';
import type { Instance } from '../instance';
import { say, use } from '../testbed';
import { until } from '../until';
import { Cluster, CONCURRENCY } from './cluster';

/**
 * n8n in queue mode with two workers: an event starts one execution, the same cart in two executions
 * at the same instant is charged once, and so is one whose worker is killed while it is charged.
 */

const PAYMENTS = 50;
const PAIRS = Number(process.env.QUEUE_PAIRS ?? 200);
const CARTS = 20;
/** What the gateway takes to answer a charge: time enough to be killed in. */
const CHARGE_MS = 10_000;
const SLOWLY = { within: 900_000, every: 500 };

const cluster = use(new Cluster());
let workers: [Instance, Instance];
let charging: string;

beforeAll(async () => {
	workers = [await cluster.addWorker('first'), await cluster.addWorker('second')];
	charging = await cluster.addCharging();
});

beforeEach(() => cluster.sandbox.reset());

function cartsOf(name: string, count: number) {
	const names = Array.from({ length: count }, (_, index) => `${name}-${index}`);
	return { names, carts: names.map((referenceID) => cluster.cart(referenceID)) };
}

test('every event starts one execution', async () => {
	const { api, inbox, credential } = cluster;
	const id = await api.addWorkflow(eventReporter(credential, inbox.url));
	await cluster.activateAndPoll(id);
	const events = Array.from({ length: PAYMENTS }, () => cluster.pay());
	const areTold = () => events.every((event) => inbox.alerts.includes(event));
	await until(`${PAYMENTS} events`, areTold, SLOWLY);
	// Two more polls would show what fires twice.
	await cluster.polled(2);
	await api.deactivate(id);
	expect([...inbox.alerts].sort()).toEqual([...events].sort());
});

test(`${PAIRS} carts, each in two executions at the same instant, are charged once`, async () => {
	// While no event shows, nothing but n8n's own store can keep the second from charging.
	cluster.sandbox.settings.eventLag = Infinity;
	const { names, carts } = cartsOf('PAIR', PAIRS);
	const executions = await cluster.run(
		charging,
		carts.flatMap((cart) => [cart, cart]),
	);
	const spread = await cluster.spreadOver(workers, executions);
	say(`${PAIRS} pairs, on the workers: ${spread.join(' and ')}`);
	expect(cluster.timesCharged(names)).toEqual(names.map(() => 1));
	expect(Math.min(...spread)).toBeGreaterThan(0);
});

test('a worker killed while it charges charges nobody twice, also when all is sent again', async () => {
	const { sandbox } = cluster;
	const [, second] = workers;
	const { names, carts } = cartsOf('KILLED', CARTS);
	sandbox.fault({ on: 'createTokenizedManualEntry', delay: CHARGE_MS, times: Infinity });
	const before = (await cluster.executions(charging)).length;
	for (const cart of carts) await cluster.post(cart);
	const unanswered = () =>
		sandbox
			.requestsTo('createTokenizedManualEntry')
			.filter(({ closedAt }) => closedAt === undefined);
	// The first worker has no more than this at once: the others are on the second.
	const isCharging = () => unanswered().length >= CONCURRENCY + 2;
	await until('charges on the second worker', isCharging, { every: 20 });
	await second.kill();
	const died = await cluster.runningOn(second);
	// As whatever keeps it running in production does.
	await second.restart();
	const areOver = async () => {
		const all = (await cluster.executions(charging)).slice(before);
		// "crashed" is what the worker itself says when it comes back, and not the last word.
		const isGivenUp = all.every(({ id, status }) => !died.includes(id) || status === 'error');
		return all.length >= CARTS && isGivenUp && cluster.areOver(all);
	};
	await until('the end of all executions', areOver, SLOWLY);
	sandbox.clearFaults();
	await cluster.run(charging, carts);
	const times = cluster.timesCharged(names);
	say(`${died.length} executions died, charged: ${times.join(' ')}`);
	expect(died.length).toBeGreaterThan(1);
	expect(Math.max(...times)).toBe(1);
});
