/** Times tasks, alone or against each other, and takes medians. */

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const upper = sorted[Math.floor(middle)] ?? NaN;
	return Number.isInteger(middle) ? ((sorted[middle - 1] ?? NaN) + upper) / 2 : upper;
}

export interface Took {
	/** Milliseconds that have passed. */
	ms: number;
	/** Milliseconds of processor time of this process, whatever else the machine was doing. */
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

/** A comparison of fewer rounds says nothing, however long they take. */
const LEAST_ROUNDS = 3;

export interface Rules {
	/** How often each rival runs at most. */
	rounds: number;
	/** Once there are enough rounds, none begins that would end later than this. */
	seconds?: number;
	warmUp?: boolean;
	progress: (words: string) => void;
}

type Task = () => Promise<unknown>;

/**
 * Times rivals side by side: in each round every one runs once, each round in another order, so
 * that what the machine does meanwhile hits them alike. Ratios are then taken round by round.
 */
export class Race<Name extends string> {
	private readonly runs = new Map<Name, Took[]>();

	private constructor(readonly rounds: number) {}

	/** A rival that is undefined does not take part, and has no times. */
	static async run<Name extends string>(
		rivals: Record<Name, Task | undefined>,
		{ rounds, seconds = Infinity, warmUp = true, progress }: Rules,
	): Promise<Race<Name>> {
		const present = (Object.entries(rivals) as Array<[Name, Task | undefined]>).filter(
			(rival): rival is [Name, Task] => rival[1] !== undefined,
		);
		if (warmUp) for (const [, task] of present) await task();
		const started = performance.now();
		const times: Array<Map<Name, Took>> = [];
		for (let round = 0; round < rounds; round++) {
			const spent = (performance.now() - started) / 1000;
			if (round >= LEAST_ROUNDS && spent * (1 + 1 / round) > seconds) break;
			const place = round % present.length;
			const order = [...present.slice(place), ...present.slice(0, place)];
			const took = new Map<Name, Took>();
			for (const [name, task] of round % 2 === 0 ? order : order.reverse()) {
				progress(`round ${round + 1} of ${rounds}: ${name}`);
				took.set(name, await time(task));
			}
			times.push(took);
		}
		const race = new Race<Name>(times.length);
		for (const [name] of present) {
			race.runs.set(
				name,
				times.flatMap((took) => took.get(name) ?? []),
			);
		}
		return race;
	}

	has(name: Name): boolean {
		return this.runs.has(name);
	}

	ms(name: Name): number {
		return median(this.of(name).map(({ ms }) => ms));
	}

	/** Its quickest round, which the rest of the machine has disturbed least. */
	best(name: Name): number {
		return Math.min(...this.of(name).map(({ ms }) => ms));
	}

	cpu(name: Name): number {
		return median(this.of(name).map(({ cpu }) => cpu));
	}

	/** How many times as long the first took as the second. */
	ratio(name: Name, other: Name, what: keyof Took = 'ms'): number {
		const others = this.of(other);
		return median(this.of(name).map((took, round) => took[what] / (others[round]?.[what] ?? NaN)));
	}

	private of(name: Name): Took[] {
		return this.runs.get(name) ?? [];
	}
}
