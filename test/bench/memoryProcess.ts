import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { PollerOptions } from '../engine';
import { Engine, log } from '../engine';
import { HOME, rowsOf } from './frame';
import { drain } from './rows/trigger';

/** A process for `rows/memory.ts`: runs a task, and looks all the while how much memory is in use. */

export interface MemoryOrder {
	credentials: ICredentialDataDecryptedObject;
	events: number;
	/** A trigger that is active: all events since then fire. Without it, all events are listed. */
	active?: Pick<PollerOptions, 'workflow' | 'workflowData'>;
	/** Collects garbage before each measurement, so that only what is still used counts. */
	isLive: boolean;
}

export type Memory = Awaited<ReturnType<typeof measured>>;

const PAUSE_MS = 10;

function inUse(isLive = true): number {
	// The test engine keeps what was logged; n8n does not.
	log.clear();
	if (isLive) global.gc?.();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** The most that is in use while a task runs, and right after it. */
async function mostInUse(isLive: boolean, task: () => Promise<unknown>): Promise<number> {
	let most = 0;
	let timer: NodeJS.Timeout;
	const look = () => {
		const started = performance.now();
		most = Math.max(most, inUse(isLive));
		// On a large heap a collection takes long, and the task has to get on in between.
		timer = setTimeout(look, PAUSE_MS + 2 * (performance.now() - started));
	};
	timer = setTimeout(look, PAUSE_MS);
	await task();
	// No timer runs between the end of the task and here, and all that it made is still in use.
	look();
	clearTimeout(timer);
	return most;
}

/** Bytes; memory is what is used beyond what was there before. */
async function measured({ credentials, events, active, isLive }: MemoryOrder) {
	const engine = new Engine(HOME);
	const list = async (expected: number, limit: object) => {
		const parameters = { resource: 'event', operation: 'getAll', ...limit };
		return await rowsOf(engine, expected, { credentials, parameters });
	};
	// As after a restart of n8n.
	const poller = engine.poller({ credentials, parameters: {}, ...active });
	// Once beforehand: code and connections are there already when it counts.
	await list(1, { limit: 1 });
	// What the first request has begun to load, too.
	await wait(100);
	const before = inUse();
	let rows: IDataObject[] = [];
	const peak = await mostInUse(isLive, async () => {
		if (active === undefined) rows = await list(events, { returnAll: true });
		else await drain(poller, events);
	});
	// What the last answers are still held by goes with their connections.
	await wait(100);
	const kept = inUse();
	const jsonSize = rows.reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)) + 1, 0);
	return { peak: peak - before, kept: kept - before, jsonSize };
}

void json(process.stdin)
	.then(async (order) => await measured(order as MemoryOrder))
	.then((found) => process.stdout.write(JSON.stringify(found), () => process.exit()));
