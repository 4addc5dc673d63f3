import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import { Engine } from '../engine';
import { HTTP_REQUEST } from '../engine/standInNodes';
import type { Task } from './byHand';
import { BY_HAND, byHandType, httpRequestType, byHandTask } from './byHand';
import { Gateway } from './gateway';

/** Runs tasks of this package and work by hand, and measures both. */

export const { values: options } = parseArgs({
	options: { quick: { type: 'boolean', default: false } },
});

const HOME = resolve(__dirname, '../..');
export const SLOW = { latency: 20 };
export const ROUNDS = 3;

export const engine = new Engine(HOME, {
	[BY_HAND]: byHandType,
	[HTTP_REQUEST]: httpRequestType(HOME),
});
export const gateway = new Gateway();

/** A quick run takes a tenth of everything. */
export const scaled = (count: number) => (options.quick ? count / 10 : count);
export const formatted = (value: number) => value.toLocaleString('en-US');
export const formattedMs = (ms: number) => `${formatted(Math.round(ms))} ms`;
export const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

export interface Figure {
	what: string;
	ours: string;
	theirs: string;
	/** By hand divided by ours. */
	ratio?: number;
}

type Credentials = Awaited<ReturnType<Gateway['send']>>['credentials'];

/** The credential under a group ID that the package has not seen, so it has learned no limits for it. */
export const withNewGroup = (credentials: Credentials) => ({
	...credentials,
	groupId: `grp_${randomUUID()}`,
});

export interface Run {
	credentials: Credentials;
	/** The number of output rows. */
	expected?: number;
	items?: IDataObject[];
}

/** Returns the output rows of successful items. */
export async function run(task: Task, { credentials, expected, items = [{}] }: Run) {
	const settings = { onError: 'continueRegularOutput' } as const;
	const node = typeof task === 'function' ? byHandTask(task) : task;
	const ran = await engine.run({ ...node, credentials, items, settings });
	const rows: IDataObject[] = ran.items.filter(({ error }) => error === undefined);
	if (expected !== undefined && rows.length !== expected) {
		throw new Error(`${rows.length} rows instead of ${expected}`);
	}
	return rows;
}

const median = (values: number[]) =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Runs both alternately after one warm-up each, so that other load hits both. */
export async function race(ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
	await ours();
	await theirs();
	const rounds = [];
	for (let round = 0; round < ROUNDS; round++) {
		const ourCost = await gateway.cost(ours);
		const theirCost = await gateway.cost(theirs);
		rounds.push({
			ours: ourCost.ms,
			theirs: theirCost.ms,
			requests: [ourCost.requests, theirCost.requests],
		});
	}
	const [requests = [0, 0]] = rounds.map((each) => each.requests);
	const ourMs = median(rounds.map((each) => each.ours));
	const theirMs = median(rounds.map((each) => each.theirs));
	return {
		ours: ourMs,
		theirs: theirMs,
		ratio: theirMs / ourMs,
		requests: requests.map((each) => `${formatted(each)} requests`),
	};
}
