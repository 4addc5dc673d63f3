import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { log } from '../engine';
import { answer } from './child';
import { drain } from './drain';
import { ACTION, Subject, TRIGGER } from './subject';

/**
 * A process for `rows/memory.ts`: prepares a task, and when it is told to, runs it and looks every
 * few milliseconds how much memory is in use.
 */

export interface MemoryOrder {
	credentials: ICredentialDataDecryptedObject;
	task: 'list' | 'drain';
	events: number;
	/** Collects garbage before each measurement, so that only what is still used counts. */
	isLive: boolean;
}

/** Bytes beyond what was there before. */
export interface Memory {
	/** The most seen of heap and external memory. */
	peak: number;
	/** What is still in use at the end, after garbage was collected. */
	kept: number;
	/** The results as JSON. */
	json: number;
}

const PAUSE_MS = 10;

function inUse(): number {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

function collect(): void {
	if (global.gc === undefined) throw new Error('This process needs --expose-gc');
	global.gc();
}

/** The most that is in use while a task runs, and right after it. */
async function mostInUse(isLive: boolean, task: () => Promise<unknown>): Promise<number> {
	let most = 0;
	let timer: NodeJS.Timeout;
	const look = () => {
		// The test engine keeps what was logged; n8n does not.
		log.clear();
		if (isLive) collect();
		most = Math.max(most, inUse());
	};
	const again = () => {
		const started = performance.now();
		look();
		// On a large heap a collection takes long, and the task has to get on in between.
		timer = setTimeout(again, PAUSE_MS + 2 * (performance.now() - started));
	};
	timer = setTimeout(again, PAUSE_MS);
	try {
		await task();
		// No timer runs between the end of the task and here, and all that it made is still in use.
		look();
		return most;
	} finally {
		clearTimeout(timer);
	}
}

async function prepared({ credentials, task, events, isLive }: MemoryOrder) {
	const subject = new Subject();
	const list = async (expected: number, limit: object) =>
		await subject.rows(expected, {
			nodeType: ACTION,
			credentials,
			parameters: { resource: 'webhookEvent', operation: 'getAll', ...limit },
		});
	const poller = subject.engine.poller({ nodeType: TRIGGER, credentials, parameters: {} });
	// Once beforehand: code and connections are there already when it counts.
	await list(1, { limit: 1 });
	if (task === 'drain') await poller.activate();
	return async (): Promise<Memory> => {
		collect();
		const before = inUse();
		let rows: IDataObject[] = [];
		const peak = await mostInUse(isLive, async () => {
			if (task === 'list') rows = await list(events, { returnAll: true });
			else await drain(poller, events);
		});
		collect();
		const kept = inUse();
		const json = rows.reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)) + 1, 0);
		return { peak: peak - before, kept: kept - before, json };
	};
}

let measure: (() => Promise<Memory>) | undefined;

answer(async (order: MemoryOrder | { measure: true }) => {
	if ('measure' in order) return await measure?.();
	measure = await prepared(order);
	return undefined;
});
