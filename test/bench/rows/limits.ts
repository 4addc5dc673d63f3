import { output } from '../../engine';
import { median, time } from '../measure';
import type { Bench, Findings, Row, Target } from '../row';
import { count, duration, judged, times } from '../row';
import type { Order } from '../server';
import { ACTION, USUAL } from '../subject';

/** How a run of many reads fares with services that limit their callers. */

interface Limited {
	name: string;
	reads: number;
	settings: NonNullable<Order['settings']>;
	/** Milliseconds that the service itself needs, where that can be worked out. */
	least?: (reads: number) => number;
	/** How many at once it takes. The least time is what n8n's helper needs with so many at once. */
	atOnce?: number;
	/** How many times as long as the least time this package may take. */
	within: number;
	/** How many of so many reads may be refused at most. */
	refused?: (reads: number) => number;
	underWay?: number;
}

const SERVICES: readonly Limited[] = [
	{
		name: '50 a second (burst 10, 429 with Retry-After 1)',
		reads: 400,
		settings: { latency: 20, limits: { rate: { perSecond: 50, burst: 10 }, retryAfter: 1 } },
		least: (reads) => ((reads - 10) / 50) * 1000,
		within: 1.2,
		refused: (reads) => 0.1 * reads,
	},
	{
		name: '8 requests at work at once, 40 ms each (others wait)',
		reads: 500,
		settings: { latency: 40, limits: { workers: 8 } },
		least: (reads) => (reads / 8) * 40,
		within: 1.2,
		underWay: 32,
	},
	{
		name: '10 requests at once (more are refused, without Retry-After)',
		reads: 500,
		settings: { latency: 20, limits: { atOnce: 10 } },
		atOnce: 10,
		within: 1.5,
		refused: () => 50,
	},
];

interface Measured {
	ms: number;
	least: number;
	refused: number;
	underWay: number;
}

async function measured(bench: Bench, limited: Limited, reads: number): Promise<Measured> {
	const { service, subject } = bench;
	const { settings, least, atOnce: parallel = 1 } = limited;
	const { customers } = await service.fresh({ customers: reads, settings });
	const items = customers.map(({ id }) => ({ id }));
	const run = async (nodeType: string, parameters: Record<string, string | number>) => {
		const credentials = await service.newMerchant();
		const rows = output(await subject.engine.run({ nodeType, credentials, items, parameters }));
		if (rows.length !== reads) throw new Error(`${rows.length} rows came instead of ${reads}`);
	};
	const get = { resource: 'customer', operation: 'get', customerId: '={{ $json.id }}' };
	const ours = await service.tally(async () => await time(async () => await run(ACTION, get)));
	const exact = { task: 'get', customer: '={{ $json.id }}', parallel };
	return {
		ms: ours.result.ms,
		least: least?.(reads) ?? (await time(async () => await run(USUAL, exact))).ms,
		refused: ours.refused,
		underWay: ours.maxInFlight,
	};
}

async function judgedOn(bench: Bench, limited: Limited) {
	const { name, within, refused, underWay } = limited;
	const reads = bench.isQuick ? 100 : limited.reads;
	const runs: Measured[] = [];
	for (let round = 1; round <= Math.min(3, bench.rounds); round++) {
		bench.progress(`${name}, round ${round}`);
		runs.push(await measured(bench, limited, reads));
	}
	const of = (what: keyof Measured) => median(runs.map((each) => each[what]));
	const ratio = median(runs.map(({ ms, least }) => ms / least));
	const head = `${count(reads)} reads, ${name}`;
	const targets: Target[] = [
		judged(
			`${head}: compared with what the service allows`,
			ratio,
			{ most: within },
			times,
			`${duration(of('ms'))} against ${duration(of('least'))}`,
		),
	];
	if (refused) {
		targets.push(judged(`${head}: refused`, of('refused'), { most: refused(reads) }, count));
	}
	if (underWay !== undefined) {
		targets.push(judged(`${head}: under way at once`, of('underWay'), { most: underWay }, count));
	}
	const body = [
		name,
		count(reads),
		duration(of('ms')),
		`${duration(of('least'))} (${times(ratio)})`,
		count(of('refused')),
		count(of('underWay')),
	];
	return { targets, body };
}

export const limits: Row = {
	name: 'limits',
	title: 'Limited services',
	run: async (bench): Promise<Findings> => {
		const all: Array<Awaited<ReturnType<typeof judgedOn>>> = [];
		for (const limited of SERVICES) all.push(await judgedOn(bench, limited));
		return {
			tables: [
				{
					title: 'Services that limit their callers',
					head: [
						'The service takes',
						'Reads',
						'This package',
						'What it allows',
						'Refused',
						'At once',
					],
					body: all.map(({ body }) => body),
					note: "No item fails. What it allows is the least time: worked out from its limit, or what n8n's helper takes with exactly as many requests at once. This package does not know the service before.",
				},
			],
			targets: all.flatMap(({ targets }) => targets),
		};
	},
};
