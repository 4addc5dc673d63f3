import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import type { Bench, Row } from '../frame';
import { atMost, count, megabytes, rounds, times } from '../frame';
import type { Memory, MemoryOrder } from '../memoryProcess';
import { LOOP, PAGE } from '../rivals';
import { ROOMY } from '../service';
import { activated } from './trigger';

/** The memory that Return All of many events needs, and the trigger with a backlog. */

const SMALL = 2_000;
const LARGE = 20_000;
const PARALLEL = 5;

/** What a task needs, in a process of its own. */
async function needed(order: MemoryOrder): Promise<Memory> {
	const args = [...ROOMY, '--expose-gc', join(__dirname, '../memoryProcess.ts')];
	const input = JSON.stringify(order);
	return JSON.parse(execFileSync(process.execPath, args, { input, encoding: 'utf8' }));
}

/** Of all rounds, the one with the median peak: it is chance when garbage is collected. */
async function listed(bench: Bench, events: number, payloadBytes: number, isLive: boolean) {
	const { credentials } = await bench.service.fresh({ events: { count: events, payloadBytes } });
	const found = await rounds(bench, 3, async () => await needed({ credentials, events, isLive }));
	found.sort((a, b) => a.peak - b.peak);
	return found[Math.floor(found.length / 2)] as Memory;
}

export const listMemory: Row = async (bench) => {
	const [many, some] = bench.isQuick ? [10_000, 2_000] : [100_000, 20_000];
	const all = await listed(bench, many, SMALL, false);
	const small = await listed(bench, some, SMALL, true);
	const large = await listed(bench, some, LARGE, true);
	await bench.service.fresh();
	const growth = large.peak - small.peak;
	const larger = `${count(some)} events with payloads of 20 kB instead of 2 kB`;
	return {
		title: 'Memory of Return All of events',
		note: 'In a process of its own; of the rounds, the one with the median peak. The peak is heap and external memory beyond what was in use before; for payloads of 20 kB without garbage, which is collected before each measurement.',
		figures: [
			atMost(
				`${count(many)} events: peak memory, compared with the results' JSON`,
				all.peak / all.jsonSize,
				4,
				times,
				`${megabytes(all.peak)} for ${megabytes(all.jsonSize)}`,
			),
			atMost(
				`${larger}: memory of the results`,
				large.kept / small.kept,
				1.1,
				times,
				`${megabytes(large.kept)} for ${megabytes(small.kept)}`,
			),
			atMost(
				`${larger}: by how much the peak grows, compared with ${PARALLEL} pages of payloads`,
				// As many pages as are read at once have to be held.
				growth / (PARALLEL * PAGE * (LARGE - SMALL)),
				// A page is held as bytes, as text and as objects; a fourth time for one just done with.
				4,
				times,
				`${megabytes(growth)}, of ${megabytes(some * (LARGE - SMALL))} more in all`,
			),
		],
	};
};

export const drainMemory: Row = async (bench) => {
	const { service, engine, isQuick } = bench;
	const [few, many] = isQuick ? [2_000, 10_000] : [10_000, 100_000];
	const drained = async (events: number) => {
		const { poller, workflow, credentials } = await activated(bench, 300);
		await service.ask({ events: { count: events } });
		const active = { workflow, workflowData: poller.workflowMemory };
		return await needed({ credentials, events, active, isLive: true });
	};
	const small = await drained(few);
	const large = await drained(many);
	const { credentials } = await service.ask();
	const parameters = { endpoint: 'webhookEvents', pages: 1 };
	const page = { nodeType: LOOP, credentials, parameters };
	const { bytes } = await service.tally(async () => await engine.run(page));
	await service.fresh();
	return {
		title: 'Memory of a drain',
		note: 'In a process of its own, without garbage.',
		figures: [
			// Both are so small that their ratio says nothing: what counts is what more events add.
			atMost(
				`Drain of ${count(many)} events: by how much its peak exceeds that of ${count(few)}, compared with the additional events`,
				(large.peak - small.peak) / ((bytes / PAGE) * (many - few)),
				0.05,
				(value) => `${(value * 100).toFixed(1)} %`,
				`${megabytes(large.peak)} against ${megabytes(small.peak)}`,
			),
		],
	};
};
