import { say, startForTests } from '../testbed';
import { until } from '../until';
import { Cluster, CONCURRENCY, haveAllFinished, PATIENCE } from './cluster';

/**
 * n8n in queue mode with two workers: an event starts one execution, the same cart in two executions
 * at the same instant is charged once, and a cart whose worker is killed while charging it is charged
 * at most once.
 */

const PAYMENTS = 50;
const PAIRS = Number(process.env.QUEUE_PAIRS ?? 200);
const CARTS = 20;
/** The gateway's time to answer a charge: long enough to kill a worker meanwhile. */
const CHARGE_MS = 10_000;

const cluster = startForTests(new Cluster());

beforeEach(() => cluster.sandbox.reset());

function cartsOf(name: string, count: number) {
	const names = Array.from({ length: count }, (_, index) => `${name}-${index}`);
	return { names, carts: names.map((referenceID) => cluster.sandbox.addCart({ referenceID })) };
}

test('every event starts one execution', async () => {
	const id = await cluster.addEventReporter();
	await cluster.activateAndPoll(id);
	const events = Array.from({ length: PAYMENTS }, () => cluster.pay().eventID);
	await cluster.expectFiredOnce(id, events, PATIENCE.within);
});

test(`${PAIRS} carts, each in two executions at the same instant, are charged once`, async () => {
	// Events never appear, so only the lock in n8n's database prevents the second charge.
	cluster.sandbox.settings.eventLag = Infinity;
	const { names, carts } = cartsOf('PAIR', PAIRS);
	const executions = await cluster.charge(carts.flatMap((cart) => [cart, cart]));
	const spread = await cluster.spreadOver(executions);
	say(`${PAIRS} pairs; executions on each worker: ${spread.join(' and ')}`);
	expect(cluster.timesCharged(names)).toEqual(names.map(() => 1));
	expect(Math.min(...spread)).toBeGreaterThan(0);
});

test('a killed worker charges nobody twice, even when every cart is sent again', async () => {
	const { sandbox, workers } = cluster;
	const [, second] = workers;
	const { names, carts } = cartsOf('KILLED', CARTS);
	sandbox.fault({ on: 'createTokenizedManualEntry', delay: CHARGE_MS, times: Infinity });
	const before = (await cluster.executions()).length;
	for (const cart of carts) await cluster.post(cart);
	const unanswered = () =>
		sandbox
			.requestsTo('createTokenizedManualEntry')
			.filter(({ closedAt }) => closedAt === undefined);
	// The first worker runs at most CONCURRENCY, so at least two are on the second.
	const isCharging = () => unanswered().length >= CONCURRENCY + 2;
	await until('charges on the second worker', isCharging, { every: 20 });
	await second.kill();
	const died = await cluster.runningOn(second);
	// A process manager does this in production.
	await second.restart();
	const haveEnded = async () => {
		const all = (await cluster.executions()).slice(before);
		// A restarted worker first marks them 'crashed'; the main then sets 'error'.
		const haveFailed = all.every(({ id, status }) => !died.includes(id) || status === 'error');
		return all.length >= CARTS && haveFailed && haveAllFinished(all);
	};
	await until('the end of all executions', haveEnded, PATIENCE);
	sandbox.clearFaults();
	await cluster.charge(carts);
	const times = cluster.timesCharged(names);
	say(`${died.length} executions died; charges of each cart: ${times.join(' ')}`);
	expect(died.length).toBeGreaterThan(1);
	expect(Math.max(...times)).toBe(1);
});
