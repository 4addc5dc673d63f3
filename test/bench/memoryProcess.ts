import { once } from 'node:events';

import { log, output } from '../engine';
import { drainBy, pollerFor } from './drain';
import { median } from './measure';
import type { Memory, MemoryJob } from './memory';
import { ACTION, Subject } from './subject';

/** Runs a task for `memory.ts`, and looks every few milliseconds how much memory is in use. */

const PAUSE_MS = 10;

function inUse(): number {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

function collect(): void {
	if (global.gc === undefined) throw new Error('This process needs --expose-gc');
	global.gc();
}

/** Looks again and again at what is in use, while a task runs. */
async function watch(
	isLive: boolean,
	task: (look: () => void) => Promise<unknown>,
): Promise<{ most: number; each: number[] }> {
	let most = 0;
	let latest = 0;
	const each: number[] = [];
	let timer: NodeJS.Timeout;
	const glance = () => {
		// The test engine keeps what was logged; n8n does not.
		log.clear();
		if (isLive) collect();
		latest = Math.max(latest, inUse());
		most = Math.max(most, latest);
	};
	const again = () => {
		const started = performance.now();
		glance();
		// On a large heap a collection takes long, and the task has to get on in between.
		timer = setTimeout(again, PAUSE_MS + 2 * (performance.now() - started));
	};
	timer = setTimeout(again, PAUSE_MS);
	try {
		await task(() => {
			glance();
			each.push(latest);
			latest = 0;
		});
		return { most, each };
	} finally {
		clearTimeout(timer);
	}
}

async function measure({
	directory,
	credentials,
	task,
	events,
	isLive,
}: MemoryJob): Promise<Memory> {
	const subject = Subject.open(directory);
	const list = async (limit?: number) =>
		output(
			await subject.engine.run({
				nodeType: ACTION,
				credentials,
				parameters: {
					resource: 'webhookEvent',
					operation: 'getAll',
					...(limit === undefined ? { returnAll: true } : { limit }),
				},
			}),
		);
	const poller = task === 'drain' ? pollerFor(subject, credentials) : undefined;
	// Once beforehand: code and connections are there already when it counts.
	await list(1);
	await poller?.activate();
	process.send?.({ ready: true });
	await once(process, 'message');

	collect();
	const before = inUse();
	const residentBefore = process.memoryUsage().rss;
	let rows: Awaited<ReturnType<typeof list>> = [];
	const { most, each } = await watch(isLive, async (look) => {
		if (poller !== undefined) {
			await drainBy(poller, events, undefined, look);
			return;
		}
		rows = await list();
		// No timer runs between the end of the run and here, and all that it made is still in use.
		look();
	});
	collect();
	const kept = inUse();
	const resident = process.resourceUsage().maxRSS * 1024 - residentBefore;
	if (poller === undefined && rows.length !== events) {
		throw new Error(`${rows.length} events came instead of ${events}`);
	}
	const json = rows.reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)) + 1, 0);
	return {
		peak: most - before,
		typical: median(each) - before,
		kept: kept - before,
		resident,
		json,
	};
}

process.once('message', (job: MemoryJob) => {
	measure(job).then(
		(memory) => process.send?.(memory),
		(error: unknown) =>
			process.send?.({ error: error instanceof Error ? error.message : String(error) }),
	);
});
