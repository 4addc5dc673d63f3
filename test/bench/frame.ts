import { resolve } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import type { Engine, RunOptions } from '../engine';
import { output } from '../engine';
import type { Service } from './service';

/** What a row of the bench is given and what it finds, and how it measures and writes its figures. */

export const HOME = resolve(__dirname, '../..');
export const ACTION = 'paymentsGateway';

export interface Bench {
	/** Runs the package that is measured and its rivals, with the same credential. */
	engine: Engine;
	service: Service;
	/** Small lists and one round: shows that all works, not how fast. */
	isQuick: boolean;
}

/** A figure of the report, and what the project itself wants it to be, if anything. */
export interface Figure {
	what: string;
	measured: string;
	wanted?: string;
	isMet?: boolean;
	/** Why it is missed, if it is. */
	reason?: string | undefined;
}

export interface Findings {
	/** What was done. All figures are of that. */
	title: string;
	note?: string;
	figures: Figure[];
}

export type Row = (bench: Bench) => Promise<Findings>;

/** What a run puts out, which must be so many rows. */
export async function rowsOf(engine: Engine, expected: number, run: RunOptions) {
	const rows: IDataObject[] = output(await engine.run(run));
	if (rows.length !== expected) throw new Error(`${rows.length} rows instead of ${expected}`);
	return rows;
}

type Shown = (value: number) => string;
export const times: Shown = (value) => `${Number(value.toFixed(2))}×`;
export const kilobytes: Shown = (value) => `${(value / 1000).toFixed(1)} kB`;
export const megabytes: Shown = (value) => `${(value / 1e6).toFixed(1)} MB`;
export const count: Shown = (value) => value.toLocaleString('en-US');
export const duration: Shown = (ms) => `${ms < 20 ? ms.toFixed(1) : count(Math.round(ms))} ms`;

/** A figure beside the most that it should be; the details are shown with it. */
export function atMost(
	what: string,
	value: number,
	most: number,
	shown: Shown,
	details?: string,
	reason?: string,
): Figure {
	const measured = shown(value) + (details === undefined ? '' : ` (${details})`);
	return { what, measured, wanted: `at most ${shown(most)}`, isMet: value <= most, reason };
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
	const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
	return (lower + upper) / 2;
}

type Task = () => Promise<unknown>;

/** Milliseconds. */
export async function time(task: Task): Promise<number> {
	const started = performance.now();
	await task();
	return performance.now() - started;
}

export async function rounds<Found>(
	{ isQuick }: Bench,
	wanted: number,
	measure: () => Promise<Found>,
): Promise<Found[]> {
	const found: Found[] = [];
	while (found.length < (isQuick ? 1 : wanted)) found.push(await measure());
	return found;
}

/**
 * Rivals side by side, in milliseconds: each runs once beforehand and once in each round, each
 * round in another order, so that what the machine does meanwhile hits them alike.
 */
export async function race<Name extends string>(
	bench: Bench,
	wanted: number,
	rivals: Readonly<Record<Name, Task>>,
): Promise<Array<Record<Name, number>>> {
	const names = Object.keys(rivals) as Name[];
	for (const name of names) await rivals[name]();
	return await rounds(bench, wanted, async () => {
		names.push(...names.splice(0, 1));
		const took: Array<[Name, number]> = [];
		for (const name of names) took.push([name, await time(rivals[name])]);
		return Object.fromEntries(took) as Record<Name, number>;
	});
}

/** How many times as much the first is as the second, taken round by round; and both of them. */
export function against<Name extends string>(
	found: ReadonlyArray<Record<Name, number>>,
	...names: [Name, Name]
) {
	const [took, otherTook] = names.map((name) => duration(median(found.map((each) => each[name]))));
	const ratio = median(found.map((each) => each[names[0]] / each[names[1]]));
	return { ratio, details: `${took} against ${otherTook}` };
}

/** How many times as long as its rival this package may take. */
export function atMostAgainst(
	what: string,
	most: number,
	{ ratio, details }: ReturnType<typeof against>,
	reason?: string,
): Figure {
	return atMost(what, ratio, most, times, details, reason);
}
