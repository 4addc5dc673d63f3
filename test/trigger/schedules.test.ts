import { tally } from '../reliability/tally';
import { seeded } from '../seed';
import type { Action, SmallEventWorld, WorldKind } from './smallWorld';
import { act, ACTIONS, FUTURE, keyOf, NOTHING, start } from './smallWorld';

/**
 * Every schedule of a small world. Storms are random; this tries every order of `LENGTH` actions.
 *
 * Every world that a schedule leads to is checked: if nothing more happens, the events that must fire
 * do, and no other. Different schedules lead to the same world; it is checked once.
 */

/** How many actions a schedule has. */
const LENGTH = Number(process.env.SCHEDULE_LENGTH ?? (process.env.STORM ? 6 : 4));
/** A world is quiet once this many steps fire nothing. A late scan is due in every second step. */
const QUIET_STEPS = 3;
/** Every world becomes quiet in fewer steps. */
const MAX_STEPS = 60;
const RANDOM_SCHEDULES = 200;

const { now } = Date;
afterEach(() => {
	Date.now = now;
});

interface Reached {
	world: SmallEventWorld;
	/** The names of the actions that lead to it. */
	schedule: readonly string[];
}

/** Checks the worlds of one kind. */
class Checker {
	readonly failures: string[] = [];
	/** The keys of the worlds that were reached. */
	private readonly reached = new Set<string>();
	/** The keys of the worlds that become quiet, with all events fired. */
	private readonly good = new Set<string>();

	constructor(
		private readonly kind: WorldKind,
		private readonly actions: readonly Action[],
	) {}

	/** Checks all worlds that one more action leads to, and returns those that are new. */
	async extend(reached: Iterable<Reached>, isLast: boolean): Promise<Reached[]> {
		const found: Reached[] = [];
		for (const { world, schedule } of reached) {
			for (const action of this.actions) {
				const next = await act(world, this.kind, action);
				if (next.faults.length === 0 && this.hasReached(next)) continue;
				this.reached.add(keyOf(next));
				const longer = [...schedule, action.name];
				const faults = await this.faultsAfter(next);
				if (faults.length > 0) this.failures.push(`${longer.join('; ')}: ${faults.join(', ')}`);
				// The worlds of the last length need no memory.
				if (!isLast) found.push({ world: next, schedule: longer });
			}
		}
		return found;
	}

	hasReached(world: SmallEventWorld): boolean {
		return this.reached.has(keyOf(world));
	}

	/** What is wrong with a world, or goes wrong after it although nothing more happens. */
	private async faultsAfter(world: SmallEventWorld): Promise<readonly string[]> {
		const passed: string[] = [];
		let quiet = 0;
		let last = world;
		while (last.faults.length === 0 && quiet < QUIET_STEPS) {
			const key = keyOf(last);
			if (this.good.has(key)) break;
			if (passed.push(key) > MAX_STEPS) return ['it never becomes quiet'];
			last = await act(last, this.kind, NOTHING);
			quiet = last.fired === 0 ? quiet + 1 : 0;
		}
		if (last.faults.length > 0) return last.faults;
		const isQuiet = quiet === QUIET_STEPS;
		const lost = isQuiet ? last.rows.filter(({ fires }) => fires === 'must') : [];
		if (lost.length > 0) return lost.map(({ event }) => `event ${event.eventID} never fired`);
		// The last worlds were not followed for as many steps.
		for (const key of passed.slice(0, passed.length - quiet)) this.good.add(key);
		return [];
	}
}

const WITHOUT_FUTURE = ACTIONS.filter((action) => action !== FUTURE);

test.each([
	['the gateway counts its rows, 12 events can be remembered', true, 12, ACTIONS],
	['the gateway counts no rows, 12 events can be remembered', false, 12, ACTIONS],
	['the gateway counts its rows, 6 events can be remembered', true, 6, WITHOUT_FUTURE],
	['the gateway counts no rows, 6 events can be remembered', false, 6, WITHOUT_FUTURE],
])(
	`every event fires once in every schedule of ${LENGTH} actions (%s)`,
	async (_, isCounted, capacity, actions) => {
		const kind: WorldKind = { isCounted, capacity };
		const checker = new Checker(kind, actions);
		const first = await start(kind);
		let reached: Reached[] = [{ world: first, schedule: [] }];
		for (let length = 1; length <= LENGTH; length++) {
			reached = await checker.extend(reached, length === LENGTH);
			// Short schedules come first: they are easier to follow.
			expect(checker.failures.slice(0, 3)).toEqual([]);
		}
		tally('schedules', { schedules: actions.length ** LENGTH, failing: 0 });

		// Worlds with the same key are the same: a random schedule leads to a world that was reached.
		const random = seeded(1);
		for (let run = 0; run < RANDOM_SCHEDULES; run++) {
			const schedule: string[] = [];
			let world = first;
			while (schedule.length < LENGTH) {
				const action = actions[Math.floor(random() * actions.length)] ?? NOTHING;
				schedule.push(action.name);
				world = await act(world, kind, action);
				const hasReached = checker.hasReached(world);
				expect({ schedule, hasReached }).toEqual({ schedule, hasReached: true });
			}
		}
	},
	36_000_000,
);
