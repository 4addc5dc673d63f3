import type { Race } from './measure';
import type { Service } from './service';
import type { Subject } from './subject';

/** What a row of the benchmark works with. */
export interface Bench {
	subject: Subject;
	service: Service;
	/** How often each rival runs. */
	rounds: number;
	/** Smaller lists and fewer rounds: shows that all works, not how fast. */
	isQuick: boolean;
	/** All sizes and latencies, not only those with a target. */
	isFull: boolean;
	progress: (words: string) => void;
}

export interface Line {
	what: string;
	measured: string;
	/** As the project has set it itself; a line without one only informs. */
	target?: string;
	isMet?: boolean;
}

export interface Row {
	name: string;
	title: string;
	run: (bench: Bench) => Promise<Line[]>;
}

type Bound = { most: number } | { least: number };

/** A measured number beside what it should be at most, or at least. */
export function judged(
	what: string,
	value: number,
	bound: Bound,
	shown: (value: number) => string,
	details = '',
): Line {
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

/** Both times of a comparison, medians and best. */
export function against<Name extends string>(race: Race<Name>, name: Name, other: Name): string {
	const pair = (of: 'ms' | 'best') =>
		`${milliseconds(race[of](name))} against ${milliseconds(race[of](other))}`;
	return `${pair('ms')}, at best ${pair('best')}`;
}

export const times = (value: number) => `${Number(value.toFixed(2))}×`;
export const milliseconds = (value: number) => `${value.toFixed(value < 20 ? 1 : 0)} ms`;
export const kilobytes = (value: number) => `${(value / 1000).toFixed(1)} kB`;
export const megabytes = (value: number) => `${(value / 1e6).toFixed(1)} MB`;
export const requests = (value: number) => `${count(value)} requests`;

export function count(value: number): string {
	return value.toLocaleString('en-US');
}
