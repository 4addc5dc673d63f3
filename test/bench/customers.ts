import type { Task } from './byHand';
import { everyPage, lookUpThenWrite, readCustomer } from './byHand';
import type { Figure, Run } from './compare';
import { count, gateway, race, run, scaled, SLOW, took, withNewGroup } from './compare';

/** Figures of customers: a whole list, many single reads, many upserts. */

export async function returnAll(): Promise<Figure[]> {
	const customers = scaled(20_000);
	const { credentials } = await gateway.order({ fresh: true, customers, settings: SLOW });
	const all: Task = {
		parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
	};
	const list = (task: Task) => async () =>
		await run(task, { credentials: withNewGroup(credentials), expected: customers });
	const found = await race(list(all), list(everyPage('customers')));
	return [
		{
			what: `Return All of ${count(customers)} customers (by hand: page after page)`,
			ours: `${took(found.ours)}, ${found.requests[0]}`,
			theirs: `${took(found.theirs)}, ${found.requests[1]}`,
			ratio: found.ratio,
		},
	];
}

const GET: Task = {
	parameters: { resource: 'customer', operation: 'get', customerId: '={{ $json.id }}' },
};

export async function manyReads(): Promise<Figure[]> {
	const customers = scaled(500);
	const begin = async (settings: object) => {
		const order = { fresh: true, customers, settings: { ...SLOW, ...settings } };
		const { customers: items, credentials, url } = await gateway.order(order);
		return { items: items.map(({ id }) => ({ id, url })), credentials: withNewGroup(credentials) };
	};
	const read = (task: Task, given: Run) => async () =>
		await run(task, { ...given, credentials: withNewGroup(given.credentials) });
	const given = { ...(await begin({})), expected: customers };
	const found = await race(read(GET, given), read(readCustomer, given));
	const atOnce = async (task: Task) => (await gateway.cost(read(task, await begin({})))).mostAtOnce;

	const rate = { perSecond: 50, burst: 10 };
	const limited = async (task: Task) => {
		const now = await begin({ limits: { rate, retryAfter: 1 } });
		let answered = 0;
		const cost = await gateway.cost(async () => {
			answered = (await run(task, now)).length;
		});
		return `${count(answered)} read in ${took(cost.ms)}, ${count(cost.refused)} refusals`;
	};
	const least = ((customers - rate.burst) / rate.perSecond) * 1000;
	return [
		{
			what: `${count(customers)} single reads (HTTP Request node: all at once)`,
			ours: `${took(found.ours)}, at most ${await atOnce(GET)} at once`,
			theirs: `${took(found.theirs)}, at most ${await atOnce(readCustomer)} at once`,
			ratio: found.ratio,
		},
		{
			what: `The same, if the gateway takes 50 per second (at least ${took(least)})`,
			ours: await limited(GET),
			theirs: await limited(readCustomer),
		},
	];
}

export async function upserts(): Promise<Figure[]> {
	const rows = scaled(1_000);
	const stored = 5 * rows;
	const report = await gateway.order({ fresh: true, customers: stored, settings: SLOW });
	const known = report.customers.slice(0, rows / 2);
	const upsert: Task = {
		parameters: {
			resource: 'customer',
			operation: 'upsert',
			email: '={{ $json.email }}',
			customerFields: { nameOnCard: '={{ $json.name }}' },
		},
	};
	let round = 0;
	/** Half new, a quarter changed, a quarter unchanged; the new emails and changed names differ each round. */
	const write = (task: Task) => async () => {
		round += 1;
		const items = known.flatMap(({ email, nameOnCard }, index) => [
			{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
			{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
		]);
		await run(task, { credentials: withNewGroup(report.credentials), items, expected: rows });
	};
	const found = await race(write(upsert), write(lookUpThenWrite));
	return [
		{
			what: `${count(rows)} upserts among ${count(stored)} customers, half of them new, a quarter changed (by hand: look up and write each, all at once)`,
			ours: `${took(found.ours)}, ${found.requests[0]}`,
			theirs: `${took(found.theirs)}, ${found.requests[1]}`,
			ratio: found.ratio,
		},
	];
}
