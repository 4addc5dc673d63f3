import { tally } from '../reliability/tally';
import { useClock } from './processes';
import { ACTIONS, World } from './smallWorld';
import type { Action } from './smallWorld';

/**
 * Every schedule of a small world of charges: each order of so many actions. Random storms find what
 * somebody thought of drawing; this finds what nobody has thought of. smallWorld.ts says what the
 * world is, what an action does and what must hold.
 *
 * A process cannot be copied, so each schedule is played from its start. Schedules that
 * lead to equivalent worlds have the same key, and only the first of them is extended.
 */

const LENGTH = Number(process.env.CHARGE_SCHEDULE_LENGTH ?? (process.env.STORM ? 5 : 3));
/** Random schedules of more actions, none of which is left out because it seems known. */
const WALKS = process.env.STORM ? 5_000 : 200;
const WALK_LENGTH = 10;

useClock();

type Schedule = readonly Action[];

/** A schedule to go on from, and the actions that are possible after it. */
interface Reached {
	readonly schedule: Schedule;
	readonly next: Schedule;
}

const possibleIn = (world: World): Schedule =>
	ACTIONS.filter(({ isPossible = () => true }) => isPossible(world));

const namesOf = (schedule: Schedule) => schedule.map(({ name }) => name).join('; ');

async function play(schedule: Schedule): Promise<World> {
	const world = new World();
	for (const action of schedule) await world.act(action);
	return world;
}

/** What is wrong with a world, or shows when its processes are asked for the status. */
async function faultsOf(world: World): Promise<readonly string[]> {
	// Without a memory, B would answer as a restarted A does, and 'A restarts' is an action of its own.
	const isBWorthAsking = world.hasMemory('B') || !world.hasMemory('A');
	if (world.faults.length === 0 && isBWorthAsking) await world.getStatus('B');
	if (world.faults.length === 0 && world.hasMemory('A')) await world.getStatus('A');
	return world.faults;
}

test(`nobody is charged twice, told wrongly or blocked without a reason in any schedule of ${LENGTH} actions`, async () => {
	const seen = new Set<string>();
	const failing: string[] = [];
	let schedules = 0;
	/** Gives the schedules that lead to new worlds with one more action. */
	const extend = async ({ schedule, next }: Reached): Promise<Reached[]> => {
		const found: Reached[] = [];
		for (const action of next) {
			const longer = [...schedule, action];
			const world = await play(longer);
			schedules += 1;
			const { key } = world;
			if (seen.has(key) && world.faults.length === 0) continue;
			seen.add(key);
			found.push({ schedule: longer, next: possibleIn(world) });
			const faults = await faultsOf(world);
			if (faults.length > 0) failing.push(`${namesOf(longer)}: ${faults.join(', ')}`);
		}
		return found;
	};

	let reached: Reached[] = [{ schedule: [], next: possibleIn(await play([])) }];
	for (let length = 1; length <= LENGTH; length++) {
		const found: Reached[] = [];
		for (const each of reached) found.push(...(await extend(each)));
		reached = found;
		// The shortest come first.
		expect(failing.slice(0, 3)).toEqual([]);
	}
	tally('chargeSchedules', { schedules, worlds: seen.size, failing: failing.length });
}, 36_000_000);

test(`the same holds in ${WALKS} random schedules of ${WALK_LENGTH} actions`, async () => {
	let state = 1;
	const chance = (most: number) => (state = (state * 48_271) % 2_147_483_647) % most;
	for (let walk = 0; walk < WALKS; walk++) {
		const done: Action[] = [];
		const world = new World();
		while (done.length < WALK_LENGTH && world.faults.length === 0) {
			const possible = possibleIn(world);
			const action = possible[chance(possible.length)] as Action;
			done.push(action);
			await world.act(action);
		}
		expect({ done: namesOf(done), faults: await faultsOf(world) }).toEqual({
			done: namesOf(done),
			faults: [],
		});
	}
}, 600_000);
