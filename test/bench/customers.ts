import { randomUUID } from 'node:crypto';

import type { Task } from './byHand';
import { everyPage, lookUpThenWrite, readCustomer } from './byHand';
import type { Figure, Run } from './compare';
import { costOf, formatted, formattedMs, race, run, scaled, send, SLOW } from './compare';

/** Figures of customers: a whole list, many single reads, many upserts. */

/** Under a group ID that the package has not seen, so it has learned no limits for it. */
async function runInNewGroup(task: Task, { credentials, ...given }: Run) {
	const groupId = `grp_${randomUUID()}`;
	return await run(task, { ...given, credentials: { ...credentials, groupId } });
}

export async function returnAll(): Promise<Figure[]> {
	const customers = scaled(20_000);
	const { credentials } = await send({ fresh: true, customers, settings: SLOW });
	const figure = await race({
		what: `Return All of ${formatted(customers)} customers (by hand: page after page)`,
		ours: { parameters: { resource: 'customer', operation: 'getAll', returnAll: true } },
		theirs: everyPage('customers'),
		runTask: async (task) => await runInNewGroup(task, { credentials, expected: customers }),
	});
	return [figure];
}

const GET: Task = {
	parameters: { resource: 'customer', operation: 'get', customerId: '={{ $json.id }}' },
};

export async function manyReads(): Promise<Figure[]> {
	const customers = scaled(500);
	const begin = async (settings: object = {}) => {
		const command = { fresh: true, customers, settings: { ...SLOW, ...settings } };
		const { customers: items, credentials, url } = await send(command);
		return { items: items.map(({ id }) => ({ id, url })), credentials };
	};
	const given = { ...(await begin()), expected: customers };
	const raced = await race({
		what: `${formatted(customers)} single reads (HTTP Request node: all at once)`,
		ours: GET,
		theirs: readCustomer,
		runTask: async (task) => await runInNewGroup(task, given),
		beside: async (task) => {
			const now = await begin();
			const { maxInFlight } = await costOf(async () => await runInNewGroup(task, now));
			return `at most ${maxInFlight} at once`;
		},
	});

	const rate = { perSecond: 50, burst: 10 };
	const limited = async (task: Task) => {
		const now = await begin({ limits: { rate, retryAfter: 1 } });
		let answered = 0;
		const cost = await costOf(async () => {
			answered = (await runInNewGroup(task, now)).length;
		});
		return `${formatted(answered)} read in ${formattedMs(cost.ms)}, ${formatted(cost.refused429)} refusals`;
	};
	const least = ((customers - rate.burst) / rate.perSecond) * 1000;
	return [
		raced,
		{
			what: `The same, if the gateway takes 50 per second (at least ${formattedMs(least)})`,
			ours: await limited(GET),
			theirs: await limited(readCustomer),
		},
	];
}

const UPSERT: Task = {
	parameters: {
		resource: 'customer',
		operation: 'upsert',
		email: '={{ $json.email }}',
		customerFields: { nameOnCard: '={{ $json.name }}' },
	},
};

export async function upserts(): Promise<Figure[]> {
	const rows = scaled(1_000);
	const stored = 5 * rows;
	const report = await send({ fresh: true, customers: stored, settings: SLOW });
	const known = report.customers.slice(0, rows / 2);
	let round = 0;
	const figure = await race({
		what: `${formatted(rows)} upserts among ${formatted(stored)} customers, half of them new, a quarter changed (by hand: look up and write each, all at once)`,
		ours: UPSERT,
		theirs: lookUpThenWrite,
		// A quarter stays unchanged. New emails and changed names differ each round.
		runTask: async (task) => {
			round += 1;
			const items = known.flatMap(({ email, nameOnCard }, index) => [
				{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
				{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
			]);
			await runInNewGroup(task, { credentials: report.credentials, items, expected: rows });
		},
	});
	return [figure];
}
