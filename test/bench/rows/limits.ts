import type { Row, Target } from '../frame';
import { atMost, count, duration, times } from '../frame';
import { Rounds, time } from '../rounds';
import type { Order } from '../server';
import { readers } from './reads';

/** How a run of many reads fares with services that limit their callers. */

interface Limited {
	name: string;
	reads: number;
	settings: NonNullable<Order['settings']>;
	/**
	 * The least time: milliseconds that the service itself needs, or how many at once it takes; then
	 * it is what n8n's helper needs with so many at once.
	 */
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
	const body: string[][] = [];
	const targets: Target[] = [];
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
		const allowed = `${duration(found.median('least'))} (${times(found.ratio('ms', 'least'))})`;
		body.push([
			...[name, count(reads), duration(found.median('ms')), allowed],
			...[count(found.median('refused')), count(found.median('underWay'))],
		]);
		const [what, limit] = most;
		const head = `${count(reads)} reads, ${name}`;
		targets.push(
			...found.atMost(`${head}: compared with what the service allows`, within, 'ms', 'least'),
			atMost(`${head}: ${WORDS[what]}`, found.median(what), limit, count),
		);
	}
	return {
		title: 'Services that limit their callers',
		head: ['The service takes', 'Reads', 'This package', 'What it allows', 'Refused', 'At once'],
		body,
		note: "No item fails. What it allows is the least time: worked out from its limit, or what n8n's helper takes with exactly as many requests at once. This package does not know the service before.",
		targets,
	};
};
