import { everyPage, lookUpThenWrite, readCustomer } from './byHand';
import type { Figure, Run, Task } from './compare';
import { count, gateway, race, run, SLOW, some, took, unknown } from './compare';

/** Figures of customers: a whole list, many single reads, many upserts. */

export async function returnAll(): Promise<Figure[]> {
	const customers = some(20_000);
	const { credentials } = await gateway.order({ fresh: true, customers, settings: SLOW });
	const all = { resource: 'customer', operation: 'getAll', returnAll: true };
	const list = (what: Task) => async () =>
		await run(what, { credentials: unknown(credentials), expected: customers });
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

const GET = { resource: 'customer', operation: 'get', customerId: '={{ $json.id }}' };

export async function manyReads(): Promise<Figure[]> {
	const customers = some(500);
	const begin = async (settings: object) => {
		const order = { fresh: true, customers, settings: { ...SLOW, ...settings } };
		const { customers: items, credentials, url } = await gateway.order(order);
		return { items: items.map(({ id }) => ({ id, url })), credentials: unknown(credentials) };
	};
	const read = (what: Task, given: Run) => async () =>
		await run(what, { ...given, credentials: unknown(given.credentials) });
	const given = { ...(await begin({})), expected: customers };
	const found = await race(read(GET, given), read(readCustomer, given));
	const atOnce = async (what: Task) => (await gateway.cost(read(what, await begin({})))).mostAtOnce;

	const rate = { perSecond: 50, burst: 10 };
	const limited = async (what: Task) => {
		const now = await begin({ limits: { rate, retryAfter: 1 } });
		let answered = 0;
		const cost = await gateway.cost(async () => {
			answered = (await run(what, now)).length;
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
	const rows = some(1_000);
	const stored = 5 * rows;
	const report = await gateway.order({ fresh: true, customers: stored, settings: SLOW });
	const known = report.customers.slice(0, rows / 2);
	const upsert = {
		resource: 'customer',
		operation: 'upsert',
		email: '={{ $json.email }}',
		customerFields: { nameOnCard: '={{ $json.name }}' },
	};
	let round = 0;
	/** Half new, a quarter changed, a quarter as they are; others each time. */
	const write = (what: Task) => async () => {
		round += 1;
		const items = known.flatMap(({ email, nameOnCard }, index) => [
			{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
			{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
		]);
		await run(what, { credentials: unknown(report.credentials), items, expected: rows });
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
