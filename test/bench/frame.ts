import { resolve } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import type { RunOptions } from '../engine';
import { Engine, output } from '../engine';
import { HTTP_REQUEST, LOOP, loop } from './rivals';
import type { HttpRequestNode } from './rivals';
import type { Service } from './service';

/** What a row of the bench is given and what it finds, and how it measures and writes its figures. */

export const HOME = resolve(__dirname, '../..');
export const ACTION = 'paymentsGateway';
export const TRIGGER = 'paymentsGatewayTrigger';

/** The package that is measured. Its rivals run on the same engine, with the same credential. */
export class Subject {
	readonly engine: Engine;

	constructor(http?: HttpRequestNode) {
		this.engine = new Engine(HOME, { [LOOP]: loop, [HTTP_REQUEST]: http?.type });
	}

	/** What a run puts out, which must be so many rows. */
	async rows(expected: number, run: RunOptions): Promise<IDataObject[]> {
		const rows = output(await this.engine.run(run));
		if (rows.length !== expected) throw new Error(`${rows.length} rows instead of ${expected}`);
		return rows;
	}
}

export interface Bench {
	subject: Subject;
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
	figures: readonly Figure[];
}

export type Row = (bench: Bench) => Promise<Findings>;

type Shown = (value: number) => string;
export const times: Shown = (value) => `${Number(value.toFixed(2))}×`;
export const kilobytes: Shown = (value) => `${(value / 1000).toFixed(1)} kB`;
export const megabytes: Shown = (value) => `${(value / 1e6).toFixed(1)} MB`;
export const count: Shown = (value) => value.toLocaleString('en-US');
export const duration: Shown = (ms) =>
	ms >= 10_000
		? `${(ms / 1000).toFixed(1)} s`
		: `${ms < 20 ? ms.toFixed(1) : count(Math.round(ms))} ms`;

/** A figure beside the most that it should be; the details are shown with it. */
export function atMost(
	what: string,
	value: number,
	most: number,
	shown: Shown,
	{ details, reason }: { details?: string; reason?: string } = {},
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

/** What each of several rounds has found, by name. */
export class Rounds<Name extends string> {
	private constructor(private readonly rounds: ReadonlyArray<Record<Name, number>>) {}

	static async run<Name extends string>(
		{ isQuick }: Bench,
		rounds: number,
		measure: () => Promise<Record<Name, number>>,
	): Promise<Rounds<Name>> {
		const found: Array<Record<Name, number>> = [];
		while (found.length < (isQuick ? 1 : rounds)) found.push(await measure());
		return new Rounds(found);
	}

	/**
	 * Rivals side by side, in milliseconds: each runs once beforehand and once in each round, each
	 * round in another order, so that what the machine does meanwhile hits them alike.
	 */
	static async race<Name extends string>(
		bench: Bench,
		rounds: number,
		rivals: Readonly<Record<Name, Task>>,
	): Promise<Rounds<Name>> {
		const names = Object.keys(rivals) as Name[];
		for (const name of names) await rivals[name]();
		return await Rounds.run(bench, rounds, async () => {
			names.push(...names.splice(0, 1));
			const took: Array<[Name, number]> = [];
			for (const name of names) took.push([name, await time(rivals[name])]);
			return Object.fromEntries(took) as Record<Name, number>;
		});
	}

	median(name: Name): number {
		return median(this.rounds.map((round) => round[name]));
	}

	most(name: Name): number {
		return Math.max(...this.rounds.map((round) => round[name]));
	}

	/** How many times as much the first is as the second, taken round by round; and both of them. */
	against(name: Name, other: Name): { ratio: number; details: string } {
		const ratio = median(this.rounds.map((round) => round[name] / round[other]));
		const [took, otherTook] = [name, other].map((each) => duration(this.median(each)));
		return { ratio, details: `${took} against ${otherTook}` };
	}

	/** How many times as long as its rival it may take. */
	atMost(what: string, most: number, name: Name, rival: Name, reason?: string): Figure {
		const { ratio, details } = this.against(name, rival);
		return atMost(what, ratio, most, times, { details, ...(reason && { reason }) });
	}
}
