import { count, duration, times } from './frame';

/** Times tasks, alone or against each other, and takes medians. */

export type Task = () => Promise<unknown>;

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const upper = sorted[Math.floor(middle)] ?? NaN;
	return Number.isInteger(middle) ? ((sorted[middle - 1] ?? NaN) + upper) / 2 : upper;
}

/** Milliseconds. */
export async function time(task: Task): Promise<number> {
	const started = performance.now();
	await task();
	return performance.now() - started;
}

interface Rules {
	rounds: number;
	isQuick: boolean;
	progress: (words: string) => void;
}

/**
 * Times rivals side by side: in each round every one runs once, each round in another order, so
 * that what the machine does meanwhile hits them alike. Ratios are then taken round by round.
 */
export class Race<Name extends string> {
	private constructor(
		private readonly runs: ReadonlyMap<Name, readonly number[]>,
		readonly rounds: number,
	) {}

	/** Each runs once beforehand. A rival that is undefined does not take part, and has no times. */
	static async run<Name extends string>(
		rivals: Readonly<Record<Name, Task | undefined>>,
		rules: Rules,
	): Promise<Race<Name>> {
		const present = (Object.entries(rivals) as Array<[Name, Task | undefined]>).flatMap(
			([name, task]) => (task ? [{ name, task, runs: [] as number[] }] : []),
		);
		const rounds = rules.isQuick ? 1 : rules.rounds;
		for (const { task } of present) await task();
		for (let round = 1; round <= rounds; round++) {
			present.push(...present.splice(0, 1));
			for (const { name, task, runs } of present) {
				rules.progress(`round ${round} of ${rounds}: ${name}`);
				runs.push(await time(task));
			}
		}
		return new Race(new Map(present.map(({ name, runs }) => [name, runs])), rounds);
	}

	has(name: Name): boolean {
		return this.runs.has(name);
	}

	ms(name: Name): number {
		return median(this.of(name));
	}

	/** How many times as long the first took as the second. */
	ratio(name: Name, other: Name): number {
		const others = this.of(other);
		return median(this.of(name).map((ms, round) => ms / (others[round] ?? NaN)));
	}

	/** Both medians, beside a ratio. */
	against(name: Name, other: Name): string {
		return `${duration(this.ms(name))} against ${duration(this.ms(other))}`;
	}

	/** A line for each rival: how long it took, and how many times as long as the first of them. */
	lines(names: Readonly<Record<Name, string>>): string[][] {
		const all = Object.keys(names) as Name[];
		return all.map((name) => {
			if (!this.has(name)) return [names[name], 'not measured', ''];
			const ratio = all[0] === undefined ? NaN : this.ratio(name, all[0]);
			return [names[name], duration(this.ms(name)), times(ratio)];
		});
	}

	get note(): string {
		return `Medians of ${count(this.rounds)} rounds.`;
	}

	private of(name: Name): readonly number[] {
		return this.runs.get(name) ?? [];
	}
}
