import { earliest, KEPT, startAt } from './cursor';
import type { Cursor } from './cursor';
import type { EventList } from './eventList';
import { Ledger } from './ledger';
import { Walk, withOneSize } from './walk';

/** The start of a trigger: what the list shows is recorded without firing, all that comes is new. */

/** Where the first answer shows nothing, only what is dated as lately before it is taken for new. */
const TEN_MINUTES = 600_000;

/** The rows that may still be seen: those of the look-back, and no more than are kept. */
async function readNewest(list: EventList, lookBackMs: number) {
	const walk = new Walk(list, startAt('', 0), new Ledger(), 1);
	for (;;) {
		await walk.step();
		const ledger = new Ledger();
		for (const row of walk.fresh.values()) ledger.add(row);
		const believed = ledger.newestFirst(ledger.believedUntil(walk.clock));
		const [newest] = believed;
		const isEnough =
			believed.length >= KEPT ||
			(newest !== undefined && (believed.at(-1) ?? newest) < newest - lookBackMs);
		if (walk.reachedFloor || isEnough || list.pace.requestsLeft === 0) {
			return { walk, ledger, newest, oldest: believed.at(-1) };
		}
	}
}

export async function takeBaseline(
	list: EventList,
	scope: string,
	lookBackMs: number,
): Promise<Cursor> {
	const readOnce = async () => await withOneSize(async () => await readNewest(list, lookBackMs));
	let look = await readOnce();
	const isEmpty = look.walk.fresh.size === 0 && (look.walk.total ?? 0) > 0;
	if ((look.walk.isDoubtful || isEmpty) && list.pace.requestsLeft > 0) {
		const first = look.walk.fresh.values();
		look = await readOnce();
		for (const row of first) look.ledger.add(row);
	}
	const { walk, ledger, newest, oldest } = look;
	const now = earliest(walk.clock);
	let floor = now - TEN_MINUTES;
	if (newest !== undefined && oldest !== undefined) {
		floor = Math.max(0, Math.min(newest, now) - lookBackMs);
		// The moment at the lower end may go on below it.
		if (!walk.reachedFloor) floor = Math.max(floor, oldest + 1);
		// One that may hide a row is closed.
		if (walk.isDoubtful) floor = Math.max(floor, Math.min(walk.newestRepeated + 1, now));
	}
	ledger.settle(floor);
	return {
		...startAt(scope, floor),
		known: ledger.toJSON(),
		audited: walk.clock.service,
		total: walk.total,
		pageSize: list.served,
	};
}
