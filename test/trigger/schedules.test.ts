import { tally } from '../reliability/tally';
import type { Action, Kind, World } from './smallWorld';
import { act, ACTIONS, faultsAfter, keyOf, start } from './smallWorld';

/**
 * Every schedule of a small world: each order of so many actions, with a poll after each. Random storms
 * find what somebody thought of drawing; this finds what nobody has thought of.
 */

/** Without a length, of each length only so many worlds go on: a sample that takes seconds. */
const LENGTH = Number(process.env.SCHEDULE_LENGTH ?? 5);
const MOST_WORLDS = process.env.SCHEDULE_LENGTH === undefined ? 150 : Infinity;

const { now } = Date;
afterEach(() => {
	Date.now = now;
});

/** A world, how many schedules lead to it, and one of them. */
interface Reached {
	world: World;
	schedules: number;
	done: readonly string[];
}

/** What one action more leads to. Schedules that lead to the same world go on as one. */
async function further(reached: Reached[], kind: Kind, actions: readonly Action[]) {
	const next = new Map<string, Reached>();
	for (const { world, schedules, done } of reached) {
		for (const action of actions) {
			const after = await act(world, kind, action);
			const key = keyOf(after);
			const known = next.get(key);
			if (known !== undefined) known.schedules += schedules;
			else next.set(key, { world: after, schedules, done: [...done, action.name] });
		}
	}
	const all = [...next.values()];
	const every = Math.ceil(all.length / MOST_WORLDS) || 1;
	return all.filter((_, index) => index % every === 0);
}

const WITHOUT_FUTURE = ACTIONS.filter(({ name }) => name !== 'one of the future comes');

test.each([
	['counted', true, 12, ACTIONS],
	['not counted', false, 12, ACTIONS],
	['counted, six remembered', true, 6, WITHOUT_FUTURE],
	['not counted, six remembered', false, 6, WITHOUT_FUTURE],
])(
	`every event fires once in every schedule of ${LENGTH} actions (%s)`,
	async (_, isCounted, remembered, actions) => {
		const kind: Kind = { isCounted, remembered };
		let reached: Reached[] = [{ world: await start(kind), schedules: 1, done: [] }];
		for (let length = 1; length <= LENGTH; length++) {
			reached = await further(reached, kind, actions);
			const counts = { schedules: 0, sent: 0, fired: 0, lost: 0, doubled: 0 };
			const failing: string[] = [];
			for (const { world, schedules, done } of reached) {
				const { lost, wrong, fired } = await faultsAfter(world, kind);
				counts.schedules += schedules;
				counts.sent += schedules * world.due.length;
				counts.fired += schedules * fired;
				counts.lost += schedules * lost.length;
				counts.doubled += schedules * wrong.length;
				const faults = [...lost, ...wrong];
				if (faults.length > 0) failing.push(`${done.join('; ')}: ${faults.join(', ')}`);
			}
			if (length === LENGTH) tally('schedules', counts);
			// The shortest come first.
			expect(failing.slice(0, 3)).toEqual([]);
		}
	},
	36_000_000,
);
