export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const upper = sorted[Math.floor(middle)] ?? NaN;
	return Number.isInteger(middle) ? ((sorted[middle - 1] ?? NaN) + upper) / 2 : upper;
}

export interface Took {
	/** Milliseconds by the clock on the wall. */
	ms: number;
	/** Milliseconds of processor time of this process: not touched by whoever else is at work. */
	cpu: number;
}

export async function time(task: () => Promise<unknown>): Promise<Took> {
	const before = process.cpuUsage();
	const started = performance.now();
	await task();
	const ms = performance.now() - started;
	const { user, system } = process.cpuUsage(before);
	return { ms, cpu: (user + system) / 1000 };
}

type Runs<Name extends string> = Record<Name, Took[]>;

/**
 * Times rivals side by side: in each round every one runs once, each round in another order, so
 * that what the machine does meanwhile hits them alike. Ratios are then taken round by round.
 */
export class Race<Name extends string> {
	private constructor(private readonly runs: Runs<Name>) {}

	static async run<Name extends string>(
		rivals: Record<Name, () => Promise<unknown>>,
		{
			rounds,
			warmUp = true,
			progress,
		}: { rounds: number; warmUp?: boolean; progress: (words: string) => void },
	): Promise<Race<Name>> {
		const names = Object.keys(rivals) as Name[];
		if (warmUp) for (const name of names) await rivals[name]();
		const runs = Object.fromEntries(names.map((name) => [name, [] as Took[]])) as Runs<Name>;
		for (let round = 0; round < rounds; round++) {
			const order = names.map((_, place) => names[(place + round) % names.length] as Name);
			for (const name of round % 2 === 0 ? order : order.reverse()) {
				progress(`round ${round + 1} of ${rounds}: ${name}`);
				runs[name].push(await time(rivals[name]));
			}
		}
		return new Race(runs);
	}

	ms(name: Name): number {
		return median(this.runs[name].map(({ ms }) => ms));
	}

	/** The least that anything else on the machine can have disturbed it. */
	best(name: Name): number {
		return Math.min(...this.runs[name].map(({ ms }) => ms));
	}

	cpu(name: Name): number {
		return median(this.runs[name].map(({ cpu }) => cpu));
	}

	/** How many times as long the first took as the second. */
	ratio(name: Name, other: Name, what: keyof Took = 'ms'): number {
		return median(
			this.runs[name].map((took, round) => took[what] / (this.runs[other][round]?.[what] ?? NaN)),
		);
	}
}
