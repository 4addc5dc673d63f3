import type { Race } from './measure';
import type { Service } from './service';
import type { Subject } from './subject';

/** What a row of the bench is given and what it finds, and how the rows write their figures. */

/** What a row works with. */
export interface Bench {
	subject: Subject;
	service: Service;
	/** How often each rival runs at most. */
	rounds: number;
	/** Smaller lists and fewer rounds: shows that all works, not how fast. */
	isQuick: boolean;
	/** All sizes and latencies, not only those with a target. */
	isFull: boolean;
	progress: (words: string) => void;
}

export interface Table {
	/** The heading; tables with the same one stand together. */
	title: string;
	/** What is in this one, where there are several. */
	caption?: string;
	head: readonly string[];
	body: ReadonlyArray<readonly string[]>;
	note?: string;
}

/** A number beside what the project itself wants it to be. */
export interface Target {
	what: string;
	measured: string;
	target: string;
	isMet: boolean;
	/** Why it is missed, if it is. */
	reason?: string;
}

/** What the chart shows of a comparison: how long each took, ours first. */
export interface Bars {
	title: string;
	bars: ReadonlyArray<{ name: string; ms: number }>;
}

export interface Findings {
	tables: Table[];
	targets?: Target[];
	bars?: Bars;
}

export interface Row {
	name: string;
	title: string;
	run: (bench: Bench) => Promise<Findings>;
}

/** Every row adds to it what more data costs. */
export const GROWTH = 'How cost grows with size';

type Bound = { most: number } | { least: number };

/** A measured number beside what it should be at most, or at least. */
export function judged(
	what: string,
	value: number,
	bound: Bound,
	shown: (value: number) => string,
	details = '',
): Target {
	const [limit, isMet, word] =
		'most' in bound
			? [bound.most, value <= bound.most, 'at most']
			: [bound.least, value >= bound.least, 'at least'];
	return {
		what,
		measured: `${shown(value)}${details === '' ? '' : ` (${details})`}`,
		target: `${word} ${shown(limit)}`,
		isMet,
	};
}

export const NOT_MEASURED = 'not measured';

/** Said once below tables that compare. */
export const IN_BRACKETS =
	'In brackets: how many times as long as this package. Below 1× it was quicker.';

export function medians(rounds: number): string {
	return rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`;
}

/** Its median, and of a rival how many times as long it took as ours. */
export function beside<Name extends string>(
	race: Race<Name | 'ours'>,
	name: Name,
	what: 'ms' | 'cpu' = 'ms',
): string {
	if (!race.has(name)) return NOT_MEASURED;
	const took = duration(race[what](name));
	return name === 'ours' ? took : `${took} (${times(race.ratio(name, 'ours', what))})`;
}

/** Those that took part, with their medians. */
export function barsOf<Name extends string>(
	title: string,
	names: Readonly<Record<Name, string>>,
	race: Race<Name>,
): Bars {
	const present = (Object.keys(names) as Name[]).filter((name) => race.has(name));
	return { title, bars: present.map((name) => ({ name: names[name], ms: race.ms(name) })) };
}

/** Both times of a comparison, medians and best. */
export function against<Name extends string>(race: Race<Name>, name: Name, other: Name): string {
	const pair = (of: 'ms' | 'best') =>
		`${duration(race[of](name))} against ${duration(race[of](other))}`;
	return `${pair('ms')}, at best ${pair('best')}`;
}

export const times = (value: number) => `${Number(value.toFixed(2))}×`;
export const kilobytes = (value: number) => `${(value / 1000).toFixed(1)} kB`;
export const megabytes = (value: number) => `${(value / 1e6).toFixed(1)} MB`;
export const requests = (value: number) => `${count(value)} requests`;

export function duration(ms: number): string {
	if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
	return `${ms < 20 ? ms.toFixed(1) : count(Math.round(ms))} ms`;
}

export function count(value: number): string {
	return value.toLocaleString('en-US');
}
