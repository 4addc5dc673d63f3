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

/** Milliseconds between the end of the look-up and the charge, of each charge: the time of a claim. */
function claimTimes(): number[] {
	const { sandbox } = cluster;
	const charges = sandbox.requestsTo('createTokenizedManualEntry');
	const lookups = sandbox.requestsTo('webhookEvents');
	return charges.map(({ body, startedAt }) => {
		const { paymentData } = body.data;
		const referenceID = sandbox.carts.find((cart) => cart.paymentData === paymentData)?.referenceID;
		const searches = lookups.filter(
			(each) => each.body.data.page.search === referenceID && each.startedAt <= startedAt,
		);
		// The newest page comes right after the search.
		return startedAt - Math.max(...searches.map((each) => each.startedAt));
	});
}

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
	const waits = claimTimes().sort((a, b) => a - b);
	const waitAt = (part: number) => Math.round(waits[Math.floor(part * (waits.length - 1))] ?? 0);
	say(
		`${PAIRS} carts, each in two executions at the same instant, in ${seconds.toFixed(1)} s`,
		`  charged: ${countsOf(times.map((count) => ['not at all', 'once'][count] ?? 'twice'))}`,
		`  on the workers: ${(await spreadOver(workers, executions)).join(' and ')}`,
		`  executions: ${countsOf(executions.map(({ status }) => status))}`,
		`  ${countsOf(words)}`,
		`  from look-up to charge: ${waitAt(0)} ms at least, ${waitAt(0.5)} ms in the middle, ${waitAt(0.95)} ms for 95 %, ${waitAt(1)} ms at most`,
	);
	expect(times).toEqual(references.map(() => 1));
});
