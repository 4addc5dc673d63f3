import type { Bench, Target } from './frame';
import { atMost, duration, times } from './frame';

/** Measures the same several times, or rivals against each other, and takes medians. */

type Task = () => Promise<unknown>;
type Figures<Name extends string> = Record<Name, number>;

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
	const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
	return (lower + upper) / 2;
}

/** Milliseconds. */
export async function time(task: Task): Promise<number> {
	const started = performance.now();
	await task();
	return performance.now() - started;
}

/** How a table of rivals begins. */
export const RIVALS_HEAD = ['', 'Took', 'As long as this package'];

/** What each round has found, by name. */
export class Rounds<Name extends string> {
	private constructor(private readonly figures: ReadonlyArray<Figures<Name>>) {}

	static async run<Name extends string>(
		{ isQuick }: Bench,
		rounds: number,
		measure: () => Promise<Figures<Name>>,
	): Promise<Rounds<Name>> {
		const figures: Array<Figures<Name>> = [];
		while (figures.length < (isQuick ? 1 : rounds)) figures.push(await measure());
		return new Rounds(figures);
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
			return Object.fromEntries(took) as Figures<Name>;
		});
	}

	get count(): number {
		return this.figures.length;
	}

	median(name: Name): number {
		return median(this.of(name));
	}

	most(name: Name): number {
		return Math.max(...this.of(name));
	}

	/** How many times as much the first is as the second, taken round by round. */
	ratio(name: Name, other: Name): number {
		return median(this.figures.map((figures) => figures[name] / figures[other]));
	}

	/** How many times as long as its rival it may take. */
	atMost(what: string, most: number, name: Name, rival: Name, reason?: string): Target {
		const against = this.against(name, rival);
		return { ...atMost(what, this.ratio(name, rival), most, times, against), reason };
	}

	/** How many times as long its rival must take. */
	atLeast(what: string, least: number, name: Name, rival: Name): Target {
		const ratio = this.ratio(rival, name);
		const measured = `${times(ratio)} (${this.against(name, rival)})`;
		return { what, measured, wanted: `at least ${times(least)}`, isMet: ratio >= least };
	}

	/** For each rival by its label: how long it took, and how many times as long as the first. */
	lines(labels: Readonly<Record<Name, string>>): string[][] {
		const names = Object.keys(labels) as [Name, ...Name[]];
		return names.map((name) => [
			...[labels[name], duration(this.median(name)), times(this.ratio(name, names[0]))],
		]);
	}

	private against(name: Name, other: Name): string {
		return `${duration(this.median(name))} against ${duration(this.median(other))}`;
	}

	private of(name: Name): number[] {
		return this.figures.map((figures) => figures[name]);
	}
}
