import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Bench, Figure, Row } from '../frame';
import { ACTION, atMost, count, duration, Rounds, time, times } from '../frame';
import { allCustomers, HTTP_REQUEST, LOOP, post } from '../rivals';
import type { Order } from '../server';

/**
 * What reads: Return All of customers; many single reads, each of another customer; and the same of
 * services that limit their callers. Each run is that of a merchant whom this process has never met:
 * nothing is known of the service's pace, and the package begins with 5 requests at once.
 */

const LATENCY = 20;
const PAGE = 100;
/** As many as this package has under way at most. */
const PARALLEL = 64;

function reader({ subject, service }: Bench, rows: number, items: IDataObject[] = [{}]) {
	return (nodeType: string, parameters: INodeParameters, expected = rows) =>
		async () => {
			const credentials = await service.newMerchant();
			return await subject.rows(expected, { nodeType, parameters, items, credentials });
		};
}

export const customers: Row = async (bench) => {
	const { service, isQuick } = bench;
	const customers = isQuick ? 1_000 : 20_000;
	const { url } = await service.fresh({ customers, settings: { latency: LATENCY } });
	const list = reader(bench, customers);
	const ours = list(ACTION, { resource: 'customer', operation: 'getAll', returnAll: true });
	// It puts out pages; the Split Out node that makes rows of them is not counted.
	const http = list(HTTP_REQUEST, allCustomers(`${url}/api/gateway`), customers / PAGE);
	const race = await Rounds.race(bench, 3, {
		ours,
		http,
		usual: list(LOOP, { task: 'customers' }),
	});
	const { requests } = await service.tally(ours);
	const [loop, node] = [race.against('usual', 'ours'), race.against('http', 'ours')];
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

/** Ways to read so many customers of a service with these settings. */
async function readers(bench: Bench, reads: number, settings: Order['settings']) {
	const { customers, url } = await bench.service.fresh({ customers: reads, settings });
	const read = reader(
		bench,
		reads,
		customers.map(({ id }) => ({ id })),
	);
	const id = '={{ $json.id }}';
	const body = '={ "data": { "customerID": "{{ $json.id }}" } }';
	return {
		ours: read(ACTION, { resource: 'customer', operation: 'get', customerId: id }),
		http: read(HTTP_REQUEST, post(`${url}/api/gateway/customer`, body)),
		helper: (parallel: number) => read(LOOP, { task: 'get', customer: id, parallel }),
	};
}

export const reads: Row = async (bench) => {
	const reads = bench.isQuick ? 100 : 500;
	const quick = await readers(bench, reads, { latency: 0 });
	// Short and close together, so more rounds tell more.
	const alone = { ours: quick.ours, helper: quick.helper(PARALLEL) };
	const cost = await Rounds.race(bench, 9, alone);
	const slow = await readers(bench, reads, { latency: LATENCY });
	// The sandbox tells the most requests at once since its reset: the rival with fewer goes first.
	const { maxInFlight } = await bench.service.tally(slow.ours);
	const race = await Rounds.race(bench, 5, { ours: slow.ours, http: slow.http });
	const each = duration((cost.median('ours') - cost.median('helper')) / reads);
	return {
		title: `${count(reads)} single reads`,
		figures: [
			race.atMost(
				`At ${LATENCY} ms: compared with the HTTP Request node`,
				1.3,
				'ours',
				'http',
				`That node sends all ${count(reads)} at once, which a service that limits its callers may refuse, and this package begins with 5 until it knows what the service takes.`,
			),
			atMost(`At ${LATENCY} ms: under way at once`, maxInFlight, PARALLEL, count),
			cost.atMost(
				`Without latency: compared with n8n's helper alone, ${PARALLEL} at once`,
				1.15,
				'ours',
				'helper',
				`${each} an item, for its own merchant, the checked form, the pace, the time limit and the mask.`,
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
	most: [what: 'refused' | 'underWay', limit: number];
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
		most: ['underWay', 32],
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
const WORDS = { refused: 'refused', underWay: 'under way at once' };

export const limits: Row = async (bench) => {
	const figures: Figure[] = [];
	for (const { name, settings, least, within, most, ...limited } of SERVICES) {
		const reads = bench.isQuick ? 100 : limited.reads;
		const found = await Rounds.run(bench, 3, async () => {
			const { ours, helper } = await readers(bench, reads, settings);
			const { ms, refused, maxInFlight } = await bench.service.tally(ours);
			return {
				...{ ms, refused, underWay: maxInFlight },
				least: 'ms' in least ? least.ms(reads) : await time(helper(least.atOnce)),
			};
		});
		const [what, limit] = most;
		const head = `${count(reads)} reads, ${name}`;
		figures.push(
			found.atMost(`${head}: compared with what the service allows`, within, 'ms', 'least'),
			atMost(`${head}: ${WORDS[what]}`, found.median(what), limit, count),
		);
	}
	return {
		title: 'Services that limit their callers',
		note: "No item fails. What a service allows is the least time: worked out from its limit, or what n8n's helper takes with exactly as many requests at once.",
		figures,
	};
};
