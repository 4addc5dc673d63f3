import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Engine } from '../engine';
import { HTTP_REQUEST } from '../engine/standInNodes';
import type { Work } from './byHand';
import { BY_HAND, byHand, byHandType, httpRequestType, readCustomer } from './byHand';
import { Gateway } from './gateway';

/** How the benchmark runs this package and what is done by hand, side by side, and shows a figure. */

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
export const some = (count: number) => (options.quick ? count / 10 : count);
export const count = (value: number) => value.toLocaleString('en-US');
export const took = (ms: number) => `${count(Math.round(ms))} ms`;
export const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

export interface Figure {
	what: string;
	ours: string;
	theirs: string;
	/** By hand divided by ours. */
	ratio?: number;
}

type Credentials = Awaited<ReturnType<Gateway['order']>>['credentials'];

/** The credential of a merchant of whom this process knows nothing, the gateway's limits included. */
export const unknown = (credentials: Credentials) => ({
	...credentials,
	groupId: `grp_${randomUUID()}`,
});

export interface Run {
	credentials: Credentials;
	/** How many rows come out. */
	expected?: number;
	items?: IDataObject[];
}

/** The package's node, n8n's HTTP Request node, or work that is done by hand. */
export type Task = INodeParameters | Work;

function nodeOf(task: Task) {
	if (typeof task === 'function') return { nodeType: byHand(task), parameters: {} };
	return { parameters: task, ...(task === readCustomer && { nodeType: HTTP_REQUEST }) };
}

/** The rows of it; of an item that fails there is none. */
export async function run(task: Task, { credentials, expected, items = [{}] }: Run) {
	const settings = { onError: 'continueRegularOutput' } as const;
	const ran = await engine.run({ ...nodeOf(task), credentials, items, settings });
	const rows: IDataObject[] = ran.items.filter(({ error }) => error === undefined);
	if (expected !== undefined && rows.length !== expected) {
		throw new Error(`${rows.length} rows instead of ${expected}`);
	}
	return rows;
}

const median = (values: number[]) =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Both in turn, once beforehand and then round by round, so that other work on the machine hits both. */
export async function race(ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
	await ours();
	await theirs();
	const rounds = [];
	for (let round = 0; round < ROUNDS; round++) {
		const [mine, other] = [await gateway.cost(ours), await gateway.cost(theirs)];
		rounds.push({ ours: mine.ms, theirs: other.ms, requests: [mine.requests, other.requests] });
	}
	const [requests = [0, 0]] = rounds.map((each) => each.requests);
	const ms = {
		ours: median(rounds.map((each) => each.ours)),
		theirs: median(rounds.map((each) => each.theirs)),
	};
	return {
		...ms,
		ratio: ms.theirs / ms.ours,
		requests: requests.map((each) => `${count(each)} requests`),
	};
}
