import type { Instance } from '../instance';
import { say, use } from '../testbed';
import { until } from '../until';
import type { ExecutionRow } from './cluster';
import { Cluster, countsOf, isOver, runningOn, spreadOver, statusesOf } from './cluster';
import { alarm, catchUp, charge, slowWatcher } from './flows';

/** A worker dies without warning while events and charges are on it: what is lost, what is doubled. */

const PAYMENTS = 500;
const CARTS = 40;
const CART_TOTAL = 2500;
/** What the gateway takes to answer a charge: time enough to be killed in. */
const CHARGE_MS = 4_000;
const WATCHER = { seconds: 12, maxEvents: 10 };
const SLOWLY = { within: 900_000, every: 500 };

/** Keeps what every execution is begun with: n8n writes over it when a worker has died. */
const KEEP_WHAT_STARTED = `
	create schema proof;
	create table proof.started (execution int, data text);
	create function proof.keep() returns trigger language plpgsql as $$
	begin
		insert into proof.started values (new."executionId", new.data);
		return new;
	end $$;
	create trigger keep after insert on execution_data
		for each row execute function proof.keep();`;

const CART_NAMES = Array.from({ length: CARTS }, (_, index) => `CART-${index}`);

const cluster = use(new Cluster());
let workers: [Instance, Instance];
let watching: string;
let charging: string;

beforeAll(async () => {
	const { inbox, credential, stores } = cluster;
	await stores.sql(KEEP_WHAT_STARTED);
	workers = [await cluster.addWorker('first'), await cluster.addWorker('second')];
	const errorWorkflow = await cluster.addActive(alarm(inbox.url));
	charging = await cluster.addActive(charge(credential));
	const watcher = slowWatcher(credential, inbox.url, WATCHER);
	watching = await cluster.addActive({ ...watcher, settings: { errorWorkflow } });
	await cluster.polled();
});

/** What executions were begun with. */
async function dataOf(executions: readonly number[]): Promise<string[]> {
	const rows = await cluster.stores.query<{ data: string }>(
		`select data from proof.started where execution = any('{${executions.join(', ')}}')`,
	);
	return rows.map(({ data }) => data);
}

/** For each event, how many executions the trigger has started with it. */
async function startsOf(events: readonly string[]): Promise<number[]> {
	const triggered = (await cluster.executions(watching)).filter(({ mode }) => mode === 'trigger');
	const data = (await dataOf(triggered.map(({ id }) => id))).join('\n');
	return events.map((event) => data.split(`"${event}"`).length - 1);
}

/** Charges that the gateway has made and a worker waits to hear of. */
async function unansweredOn(worker: Instance): Promise<number> {
	const data = await dataOf(await runningOn(worker));
	return cluster.sandbox
		.requestsTo('createTokenizedManualEntry')
		.filter(({ answeredAt }) => answeredAt === undefined)
		.filter(({ body }) => data.some((text) => text.includes(body.data.paymentData))).length;
}

test('a worker killed with its jobs loses no event and charges nobody twice', async () => {
	const { sandbox, inbox } = cluster;
	const [, second] = workers;
	const events = Array.from({ length: PAYMENTS }, () => cluster.pay());
	const undone = () => events.filter((event) => !inbox.alerts.includes(event));
	const begun = async () => (await startsOf(events)).filter((count) => count > 0).length;
	const submitted = CART_NAMES.map((referenceID) => ({
		paymentData: sandbox.addCart({ referenceID, amount: CART_TOTAL }),
		total: CART_TOTAL,
	}));

	sandbox.fault({ on: 'createTokenizedManualEntry', delay: CHARGE_MS, times: Infinity });
	await until('half of the events', async () => (await begun()) >= PAYMENTS / 2, SLOWLY);
	await Promise.all(submitted.map(async (body) => await cluster.post('charge', body)));
	await until(
		'charges and events on the second worker',
		async () => {
			// Asked for at once: on a busy machine the one is over before the other is counted.
			const [running, watched, unanswered] = await Promise.all([
				runningOn(second),
				cluster.executions(watching),
				unansweredOn(second),
			]);
			return watched.some(({ id }) => running.includes(id)) && unanswered >= 2;
		},
		{ every: 50 },
	);
	await second.kill();
	const died = await runningOn(second);
	const chargedThen = countsOf(cluster.timesCharged(CART_NAMES));
	// As whatever keeps it running in production does.
	await second.restart();
	await until('all events to start', async () => (await begun()) === PAYMENTS, SLOWLY);
	const isDead = ({ id }: ExecutionRow) => died.includes(id);
	const ended = async () => {
		const watched = await cluster.executions(watching);
		const charges = await cluster.executions(charging);
		const all = [...watched, ...charges];
		// "crashed" is what the worker itself says when it comes back, and not the last word.
		const isGivenUp = all.filter(isDead).every(({ status }) => status === 'error');
		return isGivenUp && isOver(all) && { watched, charges };
	};
	const { watched, charges } = await until('the end', ended, SLOWLY);

	const starts = await startsOf(events);
	const dead = { watched: watched.filter(isDead), charges: charges.filter(isDead) };
	const allDead = [...dead.watched, ...dead.charges];
	const alarms = inbox.alerts.filter((text) => text.startsWith('alarm'));
	say(
		`${PAYMENTS} payments, ${watched.length} executions of the trigger's workflow,`,
		`  on the workers: ${(await spreadOver(workers, watched)).join(' and ')}`,
		`  events by how many executions they started: ${countsOf(starts.map((n) => `in ${n}`))}`,
		`  begun and died with the worker: ${undone().length} events in ${dead.watched.length} executions`,
		`${CARTS} carts, on the workers: ${(await spreadOver(workers, charges)).join(' and ')}`,
		`  executions: ${statusesOf(charges)}`,
		`  charged when the worker died: ${chargedThen}`,
		`  charged in the end: ${countsOf(cluster.timesCharged(CART_NAMES))}`,
		`  died with the worker: ${dead.charges.length}`,
		`What the executions that died say: ${await cluster.wordsOf(allDead)}`,
		`  told to the trigger's error workflow: ${new Set(alarms).size} (in ${alarms.length} messages)`,
	);
	// As a person would, in the list of executions; n8n has lost what they had begun with.
	for (const { id } of allDead) {
		const retried = cluster.api.send('POST', `executions/${id}/retry`, { loadWorkflow: false });
		await retried.catch(() => undefined);
	}

	sandbox.clearFaults();
	const again = await cluster.run(charging, 'charge', submitted);
	const times = cluster.timesCharged(CART_NAMES);
	say(
		`All carts submitted again: ${statusesOf(again)}`,
		`  ${await cluster.wordsOf(again)}`,
		`  charged: ${countsOf(times)}`,
	);
	const catching = await cluster.addActive(catchUp(cluster.credential, inbox.url));
	await cluster.run(catching, 'catch-up', [{}]);
	say(`All events listed again: ${undone().length} undone`);

	expect(dead.watched.length).toBeGreaterThan(0);
	expect(dead.charges.length).toBeGreaterThan(1);
	expect(starts).toEqual(events.map(() => 1));
	expect(times).not.toContain('twice');
	expect(undone()).toEqual([]);
});
