import { tally } from '../reliability/tally';
import { seeded } from '../seed';
import { useClock } from './processes';
import { ACTIONS, SmallChargeWorld } from './smallChargeWorld';
import type { ChargeWorldAction } from './smallChargeWorld';

/**
 * Every schedule of the small world in smallChargeWorld.ts. Storms are random; this tries every order of
 * `LENGTH` actions.
 *
 * A process cannot be copied, so each schedule is played from its start. Schedules that lead to
 * equivalent worlds have the same key, and only the first of them is extended.
 */

const LENGTH = Number(process.env.CHARGE_SCHEDULE_LENGTH ?? (process.env.STORM ? 5 : 3));
/** Random schedules of more actions. They continue even if their world has a known key. */
const WALKS = process.env.STORM ? 5_000 : 200;
const WALK_LENGTH = 10;

useClock();

type Schedule = readonly ChargeWorldAction[];

/** A schedule to extend, and the actions that are possible after it. */
interface Reached {
	readonly schedule: Schedule;
	readonly next: Schedule;
}

const possibleIn = (world: SmallChargeWorld): Schedule =>
	ACTIONS.filter(({ isPossible = () => true }) => isPossible(world));

const namesOf = (schedule: Schedule) => schedule.map(({ name }) => name).join('; ');

async function play(schedule: Schedule): Promise<SmallChargeWorld> {
	const world = new SmallChargeWorld();
	for (const action of schedule) await world.act(action);
	return world;
}

/** The faults of a world, including those that Get Status shows. */
async function faultsOf(world: SmallChargeWorld): Promise<readonly string[]> {
	// Without memory, B answers as A does after a restart, which is a schedule of its own. So B is skipped
	// if only A has memory.
	const isBWorthAsking = world.hasMemory('B') || !world.hasMemory('A');
	if (world.faults.length === 0 && isBWorthAsking) await world.getStatus('B');
	if (world.faults.length === 0 && world.hasMemory('A')) await world.getStatus('A');
	return world.faults;
}

test(`no schedule of ${LENGTH} actions charges twice, reports a wrong result or blocks without a reason`, async () => {
	const seen = new Set<string>();
	const failing: string[] = [];
	let schedules = 0;
	/** Adds one action. Returns the schedules that lead to new worlds. */
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
		// Fails at the shortest length.
		expect(failing.slice(0, 3)).toEqual([]);
	}
	tally('chargeSchedules', { schedules, failing: failing.length });
}, 36_000_000);

test(`the same holds in ${WALKS} random schedules of ${WALK_LENGTH} actions`, async () => {
	const random = seeded(1);
	for (let walk = 0; walk < WALKS; walk++) {
		const done: ChargeWorldAction[] = [];
		const world = new SmallChargeWorld();
		while (done.length < WALK_LENGTH && world.faults.length === 0) {
			const possible = possibleIn(world);
			const action = possible[Math.floor(random() * possible.length)] as ChargeWorldAction;
			done.push(action);
			await world.act(action);
		}
		expect({ done: namesOf(done), faults: await faultsOf(world) }).toEqual({
			done: namesOf(done),
			faults: [],
		});
	}
}, 600_000);
