import { measureMemory } from '../memory';
import type { Bench, Row } from '../row';
import { count, judged, kilobytes, megabytes, times } from '../row';

const SMALL = 2_000;
const LARGE = 20_000;
const PAGE = 100;
const PARALLEL = 5;

async function listed(bench: Bench, events: number, payloadBytes: number, isLive: boolean) {
	bench.progress(`${count(events)} events of ${kilobytes(payloadBytes)}${isLive ? ', live' : ''}`);
	await bench.service.fresh({ events: { count: events, payloadBytes } });
	const credentials = await bench.service.credentials();
	const { directory } = bench.subject;
	return await measureMemory({ directory, credentials, task: 'list', events, isLive });
}

export const events: Row = {
	name: 'events',
	title: 'Many events',
	run: async (bench) => {
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
		const growth = `${count(some)} events, 20 kB payloads for 2 kB`;
		/** What five pages of such payloads weigh: it has to be there while they are read. */
		const underWay = PARALLEL * PAGE * (LARGE - SMALL);
		return [
			judged(
				`${head}: peak memory, of the results' JSON`,
				all.peak / all.json,
				{ most: 4 },
				times,
				`${megabytes(all.peak)} for ${megabytes(all.json)}`,
			),
			{
				what: `${head}: what is held at most, of the results' JSON`,
				measured: `${times(held.peak / held.json)} (${megabytes(held.peak)})`,
			},
			{
				what: `${head}: growth of the whole process`,
				measured: megabytes(all.resident),
			},
			judged(
				`${growth}: what the results hold`,
				large.kept / small.kept,
				{ most: 1.1 },
				times,
				`${megabytes(large.kept)} for ${megabytes(small.kept)}`,
			),
			judged(
				`${growth}: what is held more at most, of the ${PARALLEL} pages under way`,
				(large.peak - small.peak) / underWay,
				// As bytes, as text, and read; and one that is not yet let go.
				{ most: 4 },
				times,
				`${megabytes(large.peak - small.peak)}, of ${megabytes(some * (LARGE - SMALL))} more payload in all`,
			),
			{
				what: `${growth}: peak memory, with what is not yet collected`,
				measured: `${times(largePeak.peak / smallPeak.peak)} (${megabytes(largePeak.peak)} for ${megabytes(smallPeak.peak)})`,
			},
		];
	},
};
