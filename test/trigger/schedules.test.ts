import { tally } from '../reliability/tally';
import type { Action, Kind, World } from './smallWorld';
import { act, ACTIONS, FUTURE, keyOf, NOTHING, start } from './smallWorld';

/**
 * Every schedule of a small world: each order of so many actions, with a poll after each. Random storms
 * find what somebody thought of drawing; this finds what nobody has thought of.
 */

/** How many actions a schedule has. */
const LENGTH = Number(process.env.SCHEDULE_LENGTH ?? (process.env.STORM ? 6 : 4));
/** After its last action a world is through when so many steps bring nothing. */
const QUIET_STEPS = 3;
const MOST_STEPS = 60;
const WALKS = 200;

const { now } = Date;
afterEach(() => {
	Date.now = now;
});

/** A world, and a schedule that leads to it. */
interface Reached {
	world: World;
	done: readonly string[];
}

/** All schedules of worlds of one kind. Worlds with the same key are looked at once. */
class Schedules {
	readonly failing: string[] = [];
	private readonly seen = new Set<string>();
	/** After these all goes well if nothing more happens. */
	private readonly good = new Set<string>();

	constructor(
		private readonly kind: Kind,
		private readonly actions: readonly Action[],
	) {}

	/** Looks at all to which one action more leads, and gives the new ones to go on from. */
	async goOn(reached: Iterable<Reached>, isLast: boolean): Promise<Reached[]> {
		const found: Reached[] = [];
		for (const { world, done } of reached) {
			for (const action of this.actions) {
				const next = await act(world, this.kind, action);
				if (next.faults.length === 0 && this.hasSeen(next)) continue;
				this.seen.add(keyOf(next));
				const schedule = [...done, action.name];
				const faults = await this.faultsAfter(next);
				if (faults.length > 0) this.failing.push(`${schedule.join('; ')}: ${faults.join(', ')}`);
				if (!isLast) found.push({ world: next, done: schedule });
			}
		}
		return found;
	}

	hasSeen(world: World): boolean {
		return this.seen.has(keyOf(world));
	}

	/** What is wrong with a world, or goes wrong after it although nothing more happens. */
	private async faultsAfter(world: World): Promise<readonly string[]> {
		const passed: string[] = [];
		let quiet = 0;
		let last = world;
		while (last.faults.length === 0 && quiet < QUIET_STEPS) {
			const key = keyOf(last);
			if (this.good.has(key)) break;
			if (passed.push(key) > MOST_STEPS) return ['it fires without end'];
			last = await act(last, this.kind, NOTHING);
			quiet = last.fired === 0 ? quiet + 1 : 0;
		}
		if (last.faults.length > 0) return last.faults;
		const lost = quiet < QUIET_STEPS ? [] : last.rows.filter(({ still }) => still === 'must');
		if (lost.length > 0) return lost.map(({ event }) => `event ${event.eventID} never fired`);
		// What comes after the last ones was not looked at.
		for (const key of passed.slice(0, passed.length - quiet)) this.good.add(key);
		return [];
	}
}

const WITHOUT_FUTURE = ACTIONS.filter((action) => action !== FUTURE);

test.each([
	['counted', true, 12, ACTIONS],
	['not counted', false, 12, ACTIONS],
	['counted, six remembered', true, 6, WITHOUT_FUTURE],
	['not counted, six remembered', false, 6, WITHOUT_FUTURE],
])(
	`every event fires once in every schedule of ${LENGTH} actions (%s)`,
	async (_, isCounted, remembered, actions) => {
		const kind: Kind = { isCounted, remembered };
		const schedules = new Schedules(kind, actions);
		const first = await start(kind);
		let reached: Reached[] = [{ world: first, done: [] }];
		for (let length = 1; length <= LENGTH; length++) {
			reached = await schedules.goOn(reached, length === LENGTH);
			// The shortest come first.
			expect(schedules.failing.slice(0, 3)).toEqual([]);
		}
		tally('schedules', { schedules: actions.length ** LENGTH, failing: 0 });

		// What was taken for the same is the same: any schedule leads to a world that was looked at.
		for (let walk = 0; walk < WALKS; walk++) {
			const done: string[] = [];
			let world = first;
			while (done.length < LENGTH) {
				const action = actions[Math.floor(Math.random() * actions.length)] ?? NOTHING;
				done.push(action.name);
				world = await act(world, kind, action);
				expect({ done, hasSeen: schedules.hasSeen(world) }).toEqual({ done, hasSeen: true });
			}
		}
	},
	36_000_000,
);
