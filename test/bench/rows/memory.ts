import { Child } from '../child';
import type { Bench, Row } from '../frame';
import { count, atMost, kilobytes, megabytes, times } from '../frame';
import type { Memory, MemoryOrder } from '../memoryProcess';
import { USUAL } from '../subject';

/** The memory that Return All of many events needs, and the trigger with a backlog. */

const SMALL = 2_000;
const LARGE = 20_000;
const PAGE = 100;
const PARALLEL = 5;
/** It is chance when JavaScript collects its garbage. */
const ROUNDS = 3;

/** What a task needs, in a process of its own. `prepare` runs once that stands ready. */
async function needed(
	{ service }: Bench,
	job: Pick<MemoryOrder, 'task' | 'events' | 'isLive'>,
	prepare: () => Promise<unknown> = async () => undefined,
): Promise<Memory> {
	const child = new Child<MemoryOrder | { measure: true }, Memory>(
		'memoryProcess.ts',
		'--expose-gc',
	);
	try {
		await child.ask({ ...job, credentials: await service.credentials() });
		await prepare();
		return await child.ask({ measure: true });
	} finally {
		child.close();
	}
}

/** Of all rounds, the one with the median peak. */
async function listed(bench: Bench, events: number, payloadBytes: number, isLive: boolean) {
	const { service, progress, isQuick } = bench;
	progress(`${count(events)} events of ${kilobytes(payloadBytes)}`);
	await service.fresh({ events: { count: events, payloadBytes } });
	const rounds: Memory[] = [];
	while (rounds.length < (isQuick ? 1 : ROUNDS)) {
		rounds.push(await needed(bench, { task: 'list', events, isLive }));
	}
	rounds.sort((a, b) => a.peak - b.peak);
	return rounds[Math.floor(rounds.length / 2)] as Memory;
}

export const listMemory: Row = {
	name: 'events',
	run: async (bench) => {
		const [many, some] = bench.isQuick ? [10_000, 2_000] : [100_000, 20_000];
		const all = await listed(bench, many, SMALL, false);
		const small = await listed(bench, some, SMALL, true);
		const large = await listed(bench, some, LARGE, true);
		await bench.service.fresh();
		/** By how much five pages grow: as many as are read at once have to be held. */
		const underWay = PARALLEL * PAGE * (LARGE - SMALL);
		const line = (what: string, { json, peak, kept }: Memory) => [
			what,
			...[json, peak, kept].map(megabytes),
		];
		const growth = `${count(some)} events with payloads of 20 kB instead of 2 kB`;
		return {
			title: 'Memory of Return All of events',
			head: ['', "The results' JSON", 'Peak in use', 'What the results hold'],
			body: [
				line(`${count(many)} events of 2 kB`, all),
				line(`${count(some)} events of 2 kB, without garbage`, small),
				line(`${count(some)} events of 20 kB, without garbage`, large),
			],
			note: 'In a process of its own; of the rounds, the one with the median peak. The peak is heap and external memory beyond what was in use before. Without garbage: it is collected before each measurement, which leaves what is really needed.',
			targets: [
				atMost(
					`${count(many)} events: peak memory, compared with the results' JSON`,
					all.peak / all.json,
					4,
					times,
					`${megabytes(all.peak)} for ${megabytes(all.json)}`,
				),
				atMost(
					`${growth}: memory of the results`,
					large.kept / small.kept,
					1.1,
					times,
					`${megabytes(large.kept)} for ${megabytes(small.kept)}`,
				),
				atMost(
					`${growth}: by how much the peak grows, compared with ${PARALLEL} pages of payloads`,
					(large.peak - small.peak) / underWay,
					// A page is held as bytes, as text and as objects; a fourth time for one just done with.
					4,
					times,
					`${megabytes(large.peak - small.peak)}, of ${megabytes(some * (LARGE - SMALL))} more payload in all`,
				),
			],
		};
	},
};

export const drainMemory: Row = {
	name: 'drain-memory',
	run: async (bench) => {
		const { service, subject, isQuick, progress } = bench;
		const [few, many] = isQuick ? [2_000, 10_000] : [10_000, 100_000];
		const held = async (events: number) => {
			progress(`${count(events)} events`);
			await service.fresh({ events: { count: 300, agoMs: 3_600_000 } });
			return await needed(
				bench,
				{ task: 'drain', events, isLive: true },
				async () => await service.ask({ events: { count: events } }),
			);
		};
		const small = await held(few);
		const large = await held(many);
		const page = {
			nodeType: USUAL,
			credentials: await service.credentials(),
			parameters: { task: 'webhookEvents', pages: 1 },
		};
		const answer = await service.tally(async () => await subject.engine.run(page));
		const bytes = answer.bytes / PAGE;
		await service.fresh();
		const more = bytes * (many - few);
		const line = (events: number, { peak, kept }: Memory) => [
			count(events),
			...[peak, kept].map(megabytes),
		];
		return {
			title: 'Memory of a drain',
			head: ['New events', 'Peak in use', 'In use at the end'],
			body: [line(few, small), line(many, large)],
			note: 'In a process of its own, without garbage.',
			targets: [
				// Both are so small that their ratio says nothing: what counts is what more events add.
				atMost(
					`Drain of ${count(many)} events: by how much its peak exceeds that of ${count(few)}, compared with the additional events`,
					(large.peak - small.peak) / more,
					0.05,
					(value) => `${(value * 100).toFixed(1)} %`,
					`${megabytes(large.peak - small.peak)} for ${megabytes(more)}`,
				),
			],
		};
	},
};
