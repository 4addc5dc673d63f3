import type { Task } from './byHand';
import { everyPage, lookUpThenWrite, readCustomer } from './byHand';
import type { Figure, Run } from './compare';
import { formatted, formattedMs, gateway, race, run, scaled, SLOW, withNewGroup } from './compare';

/** Figures of customers: a whole list, many single reads, many upserts. */

export async function returnAll(): Promise<Figure[]> {
	const customers = scaled(20_000);
	const { credentials } = await gateway.send({ fresh: true, customers, settings: SLOW });
	const all: Task = {
		parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
	};
	const list = (task: Task) => async () =>
		await run(task, { credentials: withNewGroup(credentials), expected: customers });
	const found = await race(list(all), list(everyPage('customers')));
	return [
		{
			what: `Return All of ${formatted(customers)} customers (by hand: page after page)`,
			ours: `${formattedMs(found.ours)}, ${found.requests[0]}`,
			theirs: `${formattedMs(found.theirs)}, ${found.requests[1]}`,
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
		const command = { fresh: true, customers, settings: { ...SLOW, ...settings } };
		const { customers: items, credentials, url } = await gateway.send(command);
		return { items: items.map(({ id }) => ({ id, url })), credentials: withNewGroup(credentials) };
	};
	const read = (task: Task, given: Run) => async () =>
		await run(task, { ...given, credentials: withNewGroup(given.credentials) });
	const given = { ...(await begin({})), expected: customers };
	const found = await race(read(GET, given), read(readCustomer, given));
	const mostInFlight = async (task: Task) =>
		(await gateway.cost(read(task, await begin({})))).maxInFlight;

	const rate = { perSecond: 50, burst: 10 };
	const limited = async (task: Task) => {
		const now = await begin({ limits: { rate, retryAfter: 1 } });
		let answered = 0;
		const cost = await gateway.cost(async () => {
			answered = (await run(task, now)).length;
		});
		return `${formatted(answered)} read in ${formattedMs(cost.ms)}, ${formatted(cost.refused429)} refusals`;
	};
	const least = ((customers - rate.burst) / rate.perSecond) * 1000;
	return [
		{
			what: `${formatted(customers)} single reads (HTTP Request node: all at once)`,
			ours: `${formattedMs(found.ours)}, at most ${await mostInFlight(GET)} at once`,
			theirs: `${formattedMs(found.theirs)}, at most ${await mostInFlight(readCustomer)} at once`,
			ratio: found.ratio,
		},
		{
			what: `The same, if the gateway takes 50 per second (at least ${formattedMs(least)})`,
			ours: await limited(GET),
			theirs: await limited(readCustomer),
		},
	];
}

export async function upserts(): Promise<Figure[]> {
	const rows = scaled(1_000);
	const stored = 5 * rows;
	const report = await gateway.send({ fresh: true, customers: stored, settings: SLOW });
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
			what: `${formatted(rows)} upserts among ${formatted(stored)} customers, half of them new, a quarter changed (by hand: look up and write each, all at once)`,
			ours: `${formattedMs(found.ours)}, ${found.requests[0]}`,
			theirs: `${formattedMs(found.theirs)}, ${found.requests[1]}`,
			ratio: found.ratio,
		},
	];
}
