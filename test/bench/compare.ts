import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import { Engine } from '../engine';
import { HTTP_REQUEST } from '../engine/standInNodes';
import type { Task } from './byHand';
import { BY_HAND, byHandType, httpRequestType, byHandTask } from './byHand';
import type { Command, Report } from './server';

/** Runs tasks of this package and work by hand, and measures what each costs the gateway. */

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

/** The sandbox has its own process, so that its work does not count as the package's. */
const sandbox = fork(join(__dirname, 'server.ts'), { execArgv: process.execArgv });

/** Executes the command on the sandbox. */
export async function send(command: Command = {}): Promise<Report> {
	sandbox.send(command);
	const [report] = await once(sandbox, 'message');
	return report;
}

export async function costOf(work: () => Promise<unknown>) {
	const before = await send();
	const started = performance.now();
	await work();
	const ms = performance.now() - started;
	const { requests, answerBytes, refused429, maxInFlight } = await send();
	return {
		ms,
		requests: requests - before.requests,
		answerBytes: answerBytes - before.answerBytes,
		refused429: refused429 - before.refused429,
		maxInFlight,
	};
}

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

export interface Run {
	credentials: Report['credentials'];
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

interface Race extends Pick<Figure, 'what'> {
	ours: Task;
	theirs: Task;
	runTask: (task: Task) => Promise<unknown>;
	/** What the figure shows beside the time, instead of the number of requests. */
	beside?: (task: Task) => Promise<string>;
}

/** Runs both tasks alternately after one warm-up each, so that other load hits both. */
export async function race({ what, ours, theirs, runTask, beside }: Race): Promise<Figure> {
	const cost = async (task: Task) => await costOf(async () => await runTask(task));
	const rounds = [];
	await runTask(ours);
	await runTask(theirs);
	for (let round = 0; round < ROUNDS; round++) {
		rounds.push({ ours: await cost(ours), theirs: await cost(theirs) });
	}
	const ourMs = median(rounds.map((each) => each.ours.ms));
	const theirMs = median(rounds.map((each) => each.theirs.ms));
	const [first] = rounds;
	const shown = async (task: Task, ms: number, requests = NaN) =>
		`${formattedMs(ms)}, ${beside ? await beside(task) : `${formatted(requests)} requests`}`;
	return {
		what,
		ours: await shown(ours, ourMs, first?.ours.requests),
		theirs: await shown(theirs, theirMs, first?.theirs.requests),
		ratio: theirMs / ourMs,
	};
}
