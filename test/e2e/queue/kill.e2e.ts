import type { Cluster, ExecutionRow, Worker } from './cluster';
import { countsOf, isOver, say, spreadOver, startCluster } from './cluster';
import { alarm, catchUp, charge, slowWatcher } from './flows';
import { until } from '../testbed';

/** A worker dies without warning while events and charges are on it: what is lost, what is doubled. */

const PAYMENTS = 500;
const CARTS = 40;
const CART_TOTAL = 2500;
/** What the service takes to answer a charge: time enough to be killed in. */
const CHARGE_MS = 4_000;
const WATCHER = { seconds: 12, maxEvents: 10 };
/** A minute until the job's lock ends, half a minute until that is noticed, and another one. */
const SETTLED_WITHIN = 240_000;
const DONE_WITHIN = 900_000;

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

interface SubmittedCart {
	referenceID: string;
	paymentData: string;
}

let cluster: Cluster;
let first: Worker;
let second: Worker;
let watching: string;
let charging: string;

beforeAll(async () => {
	cluster = await startCluster();
	const { credential, inbox } = cluster;
	await cluster.stores.command(KEEP_WHAT_STARTED);
	first = await cluster.addWorker('first');
	second = await cluster.addWorker('second');
	const errorWorkflow = await cluster.addWorkflow(alarm(inbox.url));
	charging = await cluster.addWorkflow(charge(credential));
	watching = await cluster.addWorkflow({
		...slowWatcher(credential, inbox.url, WATCHER),
		settings: { errorWorkflow },
	});
	await until('the first poll', () => {
		const [request] = cluster.sandbox.requestsTo('webhookEvents');
		return request?.status === 200;
	});
});

afterAll(async () => await cluster?.close());

function pay(count: number): string[] {
	const { sandbox } = cluster;
	return Array.from({ length: count }, (_, index) => {
		const link = sandbox.addPaylink({ referenceID: `PAID-${index}`, pricing: { amount: 1999 } });
		return sandbox.pay(link.payLinkID).eventID;
	});
}

function carts(prefix: string, count: number): SubmittedCart[] {
	return Array.from({ length: count }, (_, index) => {
		const referenceID = `${prefix}-${index}`;
		return {
			referenceID,
			paymentData: cluster.sandbox.addCart({ referenceID, amount: CART_TOTAL }),
		};
	});
}

function bodies(submitted: readonly SubmittedCart[]) {
	return submitted.map(({ paymentData }) => ({ paymentData, total: CART_TOTAL }));
}

async function dataOf(executions: readonly number[]): Promise<string[]> {
	if (executions.length === 0) return [];
	const rows = await cluster.stores.query<{ data: string }>(
		`select data from proof.started where execution in (${executions.join(', ')})`,
	);
	return rows.map(({ data }) => data);
}

/** How many executions the trigger has started with each event. */
async function starts(events: readonly string[]): Promise<Map<string, number>> {
	const triggered = (await cluster.executions(watching)).filter(({ mode }) => mode === 'trigger');
	const data = (await dataOf(triggered.map(({ id }) => id))).join('\n');
	return new Map(events.map((event) => [event, data.split(`"${event}"`).length - 1]));
}

/** Charges that the service has made and a worker waits to hear of. */
async function unansweredOn(worker: Worker): Promise<number> {
	const data = await dataOf(await worker.running());
	return cluster.sandbox
		.requestsTo('createTokenizedManualEntry')
		.filter(({ answeredAt }) => answeredAt === undefined)
		.filter(({ body }) => data.some((text) => text.includes(body.data.paymentData))).length;
}

function timesCharged(submitted: readonly SubmittedCart[]): number[] {
	const { charges } = cluster.sandbox;
	return submitted.map(
		(cart) => charges.filter(({ referenceID }) => referenceID === cart.referenceID).length,
	);
}

function toldOf(times: readonly number[]): string {
	const count = (isMeant: (each: number) => boolean) => times.filter(isMeant).length;
	return [
		`${count((each) => each === 1)} once`,
		`${count((each) => each === 0)} not at all`,
		`${count((each) => each > 1)} twice`,
	].join(', ');
}

async function errorsOf(executions: readonly number[]): Promise<string> {
	const errors = await Promise.all(
		executions.map(async (id) => {
			const { error } = await cluster.api.execution(String(id));
			return error?.message ?? 'no error';
		}),
	);
	return countsOf(errors);
}

/** What n8n makes of executions whose worker has died, with the seconds since then. */
async function settled(died: readonly number[], since: number): Promise<Map<number, string[]>> {
	const history = new Map<number, string[]>();
	const look = async () => {
		const rows = await cluster.stores.query<ExecutionRow>(
			`select id, status, mode from execution_entity where id in (${died.join(', ')})`,
		);
		for (const { id, status } of rows) {
			const seen = history.get(id) ?? [];
			const after = Math.round((Date.now() - since) / 1000);
			if (!seen.at(-1)?.startsWith(status)) history.set(id, [...seen, `${status} (${after} s)`]);
		}
		// "crashed" is what the worker itself says when it comes back, and not the last word.
		return rows.every(({ status }) => status === 'error');
	};
	await until('n8n to settle what died', look, { within: SETTLED_WITHIN, every: 500 });
	return history;
}

function toldToAlarm(alerts: readonly string[]): string {
	const alarms = alerts.filter((text) => text.startsWith('alarm'));
	return `${new Set(alarms).size} (in ${alarms.length} messages)`;
}

/** As a person would, in the list of executions. */
async function retry(execution: number): Promise<string> {
	return await cluster.api
		.send<{ status: string }>('POST', `executions/${execution}/retry`, { loadWorkflow: false })
		.then(
			({ status }) => status,
			(error: unknown) => String(error).replace(/executions\/\d+/, 'executions/…'),
		);
}

test('a worker killed with its jobs loses no event and charges nobody twice', async () => {
	const { sandbox, inbox } = cluster;
	const events = pay(PAYMENTS);
	const submitted = carts('CART', CARTS);
	const undone = () => events.filter((event) => !inbox.alerts.includes(event));
	const begun = async () =>
		[...(await starts(events)).values()].filter((count) => count > 0).length;
	sandbox.fault({ on: 'createTokenizedManualEntry', delay: CHARGE_MS, times: Infinity });

	await until('half of the events', async () => (await begun()) >= PAYMENTS / 2, {
		within: DONE_WITHIN,
		every: 500,
	});
	await Promise.all(bodies(submitted).map(async (body) => await cluster.post('charge', body)));
	await until(
		'charges and events on the second worker',
		async () => {
			const running = new Set(await second.running());
			const isWatching = (await cluster.executions(watching)).some(({ id }) => running.has(id));
			return isWatching && (await unansweredOn(second)) >= 2;
		},
		{ every: 50 },
	);
	await second.kill();
	const killedAt = Date.now();
	const died = await second.running();
	const charged = timesCharged(submitted).filter((times) => times > 0).length;
	// As whatever keeps it running in production does.
	await second.restart();
	const history = await settled(died, killedAt);

	await until('all events to start', async () => (await begun()) === PAYMENTS, {
		within: DONE_WITHIN,
		every: 1_000,
	});
	await until(
		'the end',
		async () =>
			isOver(await cluster.executions(watching)) && isOver(await cluster.executions(charging)),
		{ within: DONE_WITHIN, every: 500 },
	);

	const started = await starts(events);
	const watched = await cluster.executions(watching);
	const charges = await cluster.executions(charging);
	const diedOf = (executions: readonly ExecutionRow[]) =>
		executions.filter(({ id }) => died.includes(id)).map(({ id }) => id);
	const workers = [first, second];
	say(
		`${PAYMENTS} payments, ${watched.length} executions of the trigger's workflow,`,
		`  on the workers: ${(await spreadOver(workers, watched)).join(' and ')}`,
		`  events that started no execution: ${[...started.values()].filter((n) => n === 0).length}`,
		`  events that started more than one: ${[...started.values()].filter((n) => n > 1).length}`,
		`  begun and died with the worker: ${undone().length} events in ${diedOf(watched).length} executions`,
		`${CARTS} carts, on the workers: ${(await spreadOver(workers, charges)).join(' and ')}`,
		`  executions: ${countsOf(charges.map(({ status }) => status))}`,
		`  charged when the worker died: ${charged}; in the end: ${toldOf(timesCharged(submitted))}`,
		`  died with the worker: ${diedOf(charges).length}`,
		`What became of the executions that died:`,
		...[...history].map(([id, seen]) => `  ${id}: ${seen.join(', then ')}`),
		`  ${await errorsOf(died)}`,
		`  of the trigger's, told to its error workflow: ${toldToAlarm(inbox.alerts)}`,
	);

	const retried: string[] = [];
	for (const execution of died) retried.push(await retry(execution));
	say(`Retried: ${countsOf(retried)}; events undone: ${undone().length}`);

	sandbox.clearFaults();
	const again = await cluster.run(charging, 'charge', bodies(submitted));
	const refused = again.filter(({ status }) => status !== 'success').map(({ id }) => id);
	const times = timesCharged(submitted);
	say(
		`All carts submitted again: ${again.length - refused.length} success, ${refused.length} error`,
		`  ${await errorsOf(refused)}`,
		`  charged: ${toldOf(times)}`,
	);

	const catching = await cluster.addWorkflow(catchUp(cluster.credential, inbox.url));
	await cluster.run(catching, 'catch-up', [{}]);
	say(`All events listed again: ${undone().length} undone`);

	expect(diedOf(watched).length).toBeGreaterThan(0);
	expect(diedOf(charges).length).toBeGreaterThan(1);
	expect([...started.values()]).toEqual(events.map(() => 1));
	expect(times.filter((each) => each > 1)).toEqual([]);
	expect(undone()).toEqual([]);
});
