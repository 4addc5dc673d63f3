import type { Instance } from '../instance';
import { say, use } from '../testbed';
import { Cluster, countsOf, spreadOver, statusesOf } from './cluster';
import { charge } from './flows';

/**
 * The same cart in two executions at the same instant, on two workers, while no event shows: nothing
 * but n8n's own store can keep the second from charging.
 */

const PAIRS = 200;
const CART_TOTAL = 2500;

const cluster = use(new Cluster());
let workers: Instance[];
let charging: string;

beforeAll(async () => {
	workers = [await cluster.addWorker('first'), await cluster.addWorker('second')];
	charging = await cluster.addActive(charge(cluster.credential));
});

test(`charges no cart twice that two executions have at the same instant, ${PAIRS} times`, async () => {
	const { sandbox } = cluster;
	sandbox.settings.eventLag = Infinity;
	const references = Array.from({ length: PAIRS }, (_, index) => `INSTANT-${index}`);
	const pairs = references.flatMap((referenceID) => {
		const paymentData = sandbox.addCart({ referenceID, amount: CART_TOTAL });
		const cart = { paymentData, total: CART_TOTAL };
		return [cart, cart];
	});
	const started = Date.now();
	const executions = await cluster.run(charging, 'charge', pairs);
	const seconds = (Date.now() - started) / 1000;

	const times = cluster.timesCharged(references);
	say(
		`${PAIRS} carts, each in two executions at the same instant, in ${seconds.toFixed(1)} s`,
		`  charged: ${countsOf(times)}`,
		`  on the workers: ${(await spreadOver(workers, executions)).join(' and ')}`,
		`  executions: ${statusesOf(executions)}`,
		`  ${await cluster.wordsOf(executions)}`,
	);
	expect(times).toEqual(references.map(() => 'once'));
});
