import { say } from '../testbed';
import type { Cluster, Worker } from './cluster';
import { countsOf, spreadOver, startCluster, timesCharged, wordsOf } from './cluster';
import { charge } from './flows';

/**
 * The same cart in two executions at the same instant, on two workers, while no event shows: nothing
 * but n8n's own store can keep the second from charging.
 */

const PAIRS = 200;
const CART_TOTAL = 2500;

let cluster: Cluster;
let workers: Worker[];
let charging: string;

beforeAll(async () => {
	cluster = await startCluster();
	workers = [await cluster.addWorker('first'), await cluster.addWorker('second')];
	charging = await cluster.addWorkflow(charge(await cluster.credential()));
});

afterAll(async () => await cluster?.close());

test(`charges no cart twice that two executions have at the same instant, ${PAIRS} times`, async () => {
	const { sandbox } = cluster;
	sandbox.settings.eventLag = Infinity;
	const references = Array.from({ length: PAIRS }, (_, index) => `INSTANT-${index}`);
	const pairs = references.flatMap((referenceID) => {
		const paymentData = sandbox.addCart({ referenceID, amount: CART_TOTAL });
		return [
			{ paymentData, total: CART_TOTAL },
			{ paymentData, total: CART_TOTAL },
		];
	});
	const started = Date.now();
	const executions = await cluster.run(charging, 'charge', pairs);
	const seconds = (Date.now() - started) / 1000;

	const times = timesCharged(cluster, references);
	say(
		`${PAIRS} carts, each in two executions at the same instant, in ${seconds.toFixed(1)} s`,
		`  charged: ${countsOf(times)}`,
		`  on the workers: ${(await spreadOver(workers, executions)).join(' and ')}`,
		`  executions: ${countsOf(executions.map(({ status }) => status))}`,
		`  ${await wordsOf(cluster, executions)}`,
	);
	expect(times).toEqual(references.map(() => 'once'));
});
