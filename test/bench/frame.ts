import type { RunOptions } from '../engine';
import type { Service } from './service';
import type { Subject } from './subject';

/** What a row of the bench is given and what it finds, and how the rows write their figures. */

export interface Bench {
	subject: Subject;
	service: Service;
	/** Small lists and one round: shows that all works, not how fast. */
	isQuick: boolean;
}

/** A number beside what the project itself wants it to be. */
export interface Target {
	what: string;
	measured: string;
	wanted: string;
	isMet: boolean;
	/** Why it is missed, if it is. */
	reason?: string | undefined;
}

export interface Findings {
	title: string;
	head: readonly string[];
	body: ReadonlyArray<readonly string[]>;
	note?: string;
	targets: readonly Target[];
}

export type Row = (bench: Bench) => Promise<Findings>;

/** A measured number beside the most that it should be. */
export function atMost(
	what: string,
	value: number,
	most: number,
	shown: (value: number) => string,
	details?: string,
): Target {
	const measured = details === undefined ? shown(value) : `${shown(value)} (${details})`;
	return { what, measured, wanted: `at most ${shown(most)}`, isMet: value <= most };
}

/** A run as of a merchant that this process has never met: nothing is known of its pace. */
export async function rowsAnew(
	{ subject, service }: Bench,
	expected: number,
	run: Omit<RunOptions, 'credentials'>,
) {
	return await subject.rows(expected, { ...run, credentials: await service.newMerchant() });
}

export const times = (value: number) => `${Number(value.toFixed(2))}×`;
export const kilobytes = (value: number) => `${(value / 1000).toFixed(1)} kB`;
export const megabytes = (value: number) => `${(value / 1e6).toFixed(1)} MB`;
export const count = (value: number) => value.toLocaleString('en-US');

export function duration(ms: number): string {
	if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
	return `${ms < 20 ? ms.toFixed(1) : count(Math.round(ms))} ms`;
}
