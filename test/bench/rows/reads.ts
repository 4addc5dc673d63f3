import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import type { Bench, Row } from '../frame';
import {
	ACTION,
	against,
	atMost,
	atMostAgainst,
	count,
	duration,
	median,
	race,
	rounds,
	rowsOf,
	time,
	times,
} from '../frame';
import { allCustomers, HTTP_REQUEST, LOOP, PAGE, post } from '../rivals';
import type { Order, Report } from '../server';

/**
 * What reads: Return All of customers; many single reads, each of another customer; and the same of
 * services that limit their callers.
 */

const LATENCY = 20;
/** As many as this package has under way at most. */
const PARALLEL = 64;

/**
 * As of a merchant whom this process has never met: nothing is known of the gateway's pace, and the
 * package begins with 5 requests at once. The gateway knows no such group ID, but only asks for it
 * where payments are concerned.
 */
export const newMerchant = ({ credentials }: Report) => ({
	...credentials,
	groupId: `grp_${randomUUID()}`,
});

export const customers: Row = async ({ engine, service, ...bench }) => {
	const customers = bench.isQuick ? 1_000 : 20_000;
	const report = await service.fresh({ customers, settings: { latency: LATENCY } });
	const list = (nodeType: string, parameters: INodeParameters, rows: number) => async () =>
		await rowsOf(engine, rows, { nodeType, parameters, credentials: newMerchant(report) });
	const getAll = { resource: 'customer', operation: 'getAll', returnAll: true };
	const ours = list(ACTION, getAll, customers);
	const found = await race({ engine, service, ...bench }, 3, {
		ours,
		// It puts out pages; the Split Out node that makes rows of them is not counted.
		http: list(HTTP_REQUEST, allCustomers(`${report.url}/api/gateway`), customers / PAGE),
		loop: list(LOOP, { endpoint: 'customers' }, customers),
	});
	const { requests } = await service.tally(ours);
	const [loop, node] = [against(found, 'loop', 'ours'), against(found, 'http', 'ours')];
	return {
		title: `Return All, ${count(customers)} customers at ${LATENCY} ms`,
		figures: [
			{
				what: 'The sequential loop takes so many times as long',
				measured: `${times(loop.ratio)} (${loop.details})`,
				wanted: 'at least 8×',
				isMet: loop.ratio >= 8,
			},
			{
				what: 'The HTTP Request node, without the Split Out node that makes rows of its pages',
				measured: `${times(node.ratio)} (${node.details})`,
			},
			atMost('Requests', requests, 206, count),
		],
	};
};

/** Ways to read so many customers of a gateway with these settings. */
async function readers(
	{ engine, service }: Bench,
	reads: number,
	settings: Order['settings'] = {},
) {
	const report = await service.fresh({ customers: reads, settings });
	const items = report.customers.map(({ id }) => ({ id }));
	const read = (nodeType: string, parameters: INodeParameters) => async () =>
		await rowsOf(engine, reads, { nodeType, parameters, items, credentials: newMerchant(report) });
	const id = '={{ $json.id }}';
	const body = '={ "data": { "customerID": "{{ $json.id }}" } }';
	return {
		ours: read(ACTION, { resource: 'customer', operation: 'get', customerId: id }),
		http: read(HTTP_REQUEST, post(`${report.url}/api/gateway/customer`, body)),
		helper: (parallel: number) => read(LOOP, { endpoint: 'customer', customer: id, parallel }),
	};
}

export const reads: Row = async (bench) => {
	const reads = bench.isQuick ? 100 : 500;
	const alone = await readers(bench, reads, { latency: 0 });
	// Short and close together, so more rounds tell more.
	const cost = await race(bench, 9, { ours: alone.ours, helper: alone.helper(PARALLEL) });
	const { ours, http } = await readers(bench, reads, { latency: LATENCY });
	// The sandbox tells the most requests at once since its reset: the rival with fewer goes first.
	const { maxInFlight } = await bench.service.tally(ours);
	const slow = await race(bench, 5, { ours, http });
	const more = median(cost.map((each) => each.ours)) - median(cost.map((each) => each.helper));
	return {
		title: `${count(reads)} single reads`,
		figures: [
			atMostAgainst(
				`At ${LATENCY} ms: compared with the HTTP Request node`,
				1.3,
				against(slow, 'ours', 'http'),
				`That node sends all ${count(reads)} at once, which a gateway that limits its callers may refuse, and this package begins with 5 until it knows what the gateway takes.`,
			),
			atMost(`At ${LATENCY} ms: under way at once`, maxInFlight, PARALLEL, count),
			atMostAgainst(
				`Without latency: compared with n8n's helper alone, ${PARALLEL} at once`,
				1.15,
				against(cost, 'ours', 'helper'),
				`${duration(more / reads)} an item, for its own merchant, the checked form, the pace, the time limit and the mask.`,
			),
		],
	};
};

interface Limited {
	name: string;
	reads: number;
	settings: NonNullable<Order['settings']>;
	/** The least time that it takes: by its limit, or with n8n's helper and so many at once. */
	least: { ms: (reads: number) => number } | { atOnce: number };
	/** How many times as long as the least time this package may take. */
	within: number;
	/** How many reads may be refused, or be under way at once. */
	most: [what: 'refused' | 'under way at once', limit: number];
}

const SERVICES: readonly Limited[] = [
	{
		name: '50 a second (burst 10, 429 with Retry-After 1)',
		reads: 400,
		settings: { latency: 20, limits: { rate: { perSecond: 50, burst: 10 }, retryAfter: 1 } },
		least: { ms: (reads) => ((reads - 10) / 50) * 1000 },
		within: 1.2,
		most: ['refused', 40],
	},
	{
		name: '8 requests at work at once, 40 ms each (others wait)',
		reads: 500,
		settings: { latency: 40, limits: { workers: 8 } },
		least: { ms: (reads) => (reads / 8) * 40 },
		within: 1.2,
		most: ['under way at once', 32],
	},
	{
		name: '10 requests at once (more are refused, without Retry-After)',
		reads: 500,
		settings: { latency: 20, limits: { atOnce: 10 } },
		least: { atOnce: 10 },
		within: 1.5,
		most: ['refused', 50],
	},
];

async function limited(bench: Bench, { name, settings, least, within, most, ...service }: Limited) {
	const reads = bench.isQuick ? 100 : service.reads;
	const found = await rounds(bench, 3, async () => {
		const { ours, helper } = await readers(bench, reads, settings);
		const { ms, refused, maxInFlight } = await bench.service.tally(ours);
		return {
			...{ ms, refused, 'under way at once': maxInFlight },
			least: 'ms' in least ? least.ms(reads) : await time(helper(least.atOnce)),
		};
	});
	const [what, limit] = most;
	const head = `${count(reads)} reads, ${name}`;
	const compared = `${head}: compared with what the gateway allows`;
	return [
		atMostAgainst(compared, within, against(found, 'ms', 'least')),
		atMost(`${head}: ${what}`, median(found.map((each) => each[what])), limit, count),
	];
}

export const limits: Row = async (bench) => {
	const figures = [];
	for (const service of SERVICES) figures.push(...(await limited(bench, service)));
	return {
		title: 'Services that limit their callers',
		note: "No item fails. What a gateway allows is the least time: worked out from its limit, or what n8n's helper takes with exactly as many requests at once.",
		figures,
	};
};
