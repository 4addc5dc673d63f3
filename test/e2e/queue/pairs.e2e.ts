import type { Cluster, Worker } from './cluster';
import { countsOf, say, spreadOver, startCluster } from './cluster';
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
	charging = await cluster.addWorkflow(charge(cluster.credential));
});

afterAll(async () => await cluster?.close());

test(`charges no cart twice that two executions have at the same instant, ${PAIRS} times`, async () => {
	const { sandbox } = cluster;
	sandbox.settings.eventLag = Infinity;
	const references = Array.from({ length: PAIRS }, (_, index) => `INSTANT-${index}`);
	const bodies = references.map((referenceID) => ({
		paymentData: sandbox.addCart({ referenceID, amount: CART_TOTAL }),
		total: CART_TOTAL,
	}));
	const started = Date.now();
	const pairs = bodies.flatMap((body) => [body, body]);
	const executions = await cluster.run(charging, 'charge', pairs);
	const seconds = (Date.now() - started) / 1000;

	const times = references.map(
		(reference) => sandbox.charges.filter(({ referenceID }) => referenceID === reference).length,
	);
	const errors = executions.filter(({ status }) => status !== 'success');
	const words = await Promise.all(
		errors.map(async ({ id }) => {
			const { error } = await cluster.api.execution(String(id));
			return (error?.message ?? 'no error').replace(/INSTANT-\d+/, 'INSTANT-…');
		}),
	);
	say(
		`${PAIRS} carts, each in two executions at the same instant, in ${seconds.toFixed(1)} s`,
		`  charged: ${countsOf(times.map((count) => ['not at all', 'once'][count] ?? 'twice'))}`,
		`  on the workers: ${(await spreadOver(workers, executions)).join(' and ')}`,
		`  executions: ${countsOf(executions.map(({ status }) => status))}`,
		`  ${countsOf(words)}`,
	);
	expect(times).toEqual(references.map(() => 1));
});
