import { measureMemory } from '../memory';
import type { Memory } from '../memory';
import type { Bench, Findings, Row } from '../row';
import { count, judged, kilobytes, megabytes, times } from '../row';

/** The memory that Return All of many events needs, with small and with large payloads. */

const SMALL = 2_000;
const LARGE = 20_000;
const PAGE = 100;
const PARALLEL = 5;
/** It is chance when JavaScript collects its garbage. */
const ROUNDS = 3;

/** Of all rounds, the one with the median peak. */
async function listed(
	bench: Bench,
	events: number,
	payloadBytes: number,
	isLive: boolean,
): Promise<Memory> {
	const rounds: Memory[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		rounds.push(await listedOnce(bench, events, payloadBytes, isLive));
	}
	rounds.sort((a, b) => a.peak - b.peak);
	return rounds[Math.floor(ROUNDS / 2)] as Memory;
}

async function listedOnce(bench: Bench, events: number, payloadBytes: number, isLive: boolean) {
	bench.progress(`${count(events)} events of ${kilobytes(payloadBytes)}${isLive ? ', live' : ''}`);
	await bench.service.fresh({ events: { count: events, payloadBytes } });
	const credentials = await bench.service.credentials();
	const { directory } = bench.subject;
	return await measureMemory({ directory, credentials, task: 'list', events, isLive });
}

export const events: Row = {
	name: 'events',
	title: 'Many events',
	run: async (bench): Promise<Findings> => {
		const many = bench.isQuick ? 10_000 : 100_000;
		const some = bench.isQuick ? 2_000 : 20_000;
		const all = await listed(bench, many, SMALL, false);
		const held = await listed(bench, many, SMALL, true);
		const small = await listed(bench, some, SMALL, true);
		const large = await listed(bench, some, LARGE, true);
		const smallPeak = await listed(bench, some, SMALL, false);
		const largePeak = await listed(bench, some, LARGE, false);
		await bench.service.fresh();
		const head = `${count(many)} events`;
		const growth = `${count(some)} events with payloads of 20 kB instead of 2 kB`;
		/** By how much five pages grow: as many as are read at once have to be held. */
		const underWay = PARALLEL * PAGE * (LARGE - SMALL);
		const memory = (what: string, of: Memory) => [
			what,
			megabytes(of.json),
			megabytes(of.peak),
			megabytes(of.kept),
			megabytes(of.resident),
		];
		return {
			tables: [
				{
					title: 'Memory',
					caption: `Return All of events, in a process of its own; of ${ROUNDS} rounds the one with the median peak.`,
					head: [
						'',
						"The results' JSON",
						'Peak in use',
						'What the results hold',
						'Growth of the process',
					],
					body: [
						memory(`${head} of 2 kB`, all),
						memory(`${head} of 2 kB, without garbage`, held),
						memory(`${count(some)} events of 2 kB`, smallPeak),
						memory(`${count(some)} events of 2 kB, without garbage`, small),
						memory(`${count(some)} events of 20 kB`, largePeak),
						memory(`${count(some)} events of 20 kB, without garbage`, large),
					],
					note: 'The peak is heap and external memory beyond what was in use before, with garbage that is not collected yet. Without garbage: it is collected before each measurement, which leaves what is really needed.',
				},
			],
			targets: [
				judged(
					`${head}: peak memory, compared with the results' JSON`,
					all.peak / all.json,
					{ most: 4 },
					times,
					`${megabytes(all.peak)} for ${megabytes(all.json)}`,
				),
				judged(
					`${growth}: memory of the results`,
					large.kept / small.kept,
					{ most: 1.1 },
					times,
					`${megabytes(large.kept)} for ${megabytes(small.kept)}`,
				),
				judged(
					`${growth}: by how much the peak grows, compared with ${PARALLEL} pages of payloads`,
					(large.peak - small.peak) / underWay,
					// A page is held as bytes, as text and as objects; a fourth time for one just done with.
					{ most: 4 },
					times,
					`${megabytes(large.peak - small.peak)}, of ${megabytes(some * (LARGE - SMALL))} more payload in all`,
				),
			],
		};
	},
};
