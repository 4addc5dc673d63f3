import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { EventPages } from '../../nodes/PaymentsGateway/trigger/eventPages';
import { startAt } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { pagesOf } from './eventModel';
import { DAY, MINUTE } from './spans';

/**
 * A list of events and its trigger, so small that every schedule of a few actions can be tried: two
 * rows a page, one event fires a poll, four are kept. A world is a value; each action makes a new one.
 */

const STEP = 30 * MINUTE;
const START = Date.UTC(2026, 0, 10, 12);
const OLD_STEPS = [-3, -2, -1];
const OLD = OLD_STEPS.map((steps) => `${new Date(START + steps * STEP).toISOString()} 0`);
const PAGE = 2;
const KEPT = 4;
const LIMITS = {
	lookBackMs: 3 * STEP,
	maxEvents: 1,
	skipOlderMs: Infinity,
	isWanted: () => true,
};
/** A sweep is due with every second step. After the last action, so many quiet steps show all. */
const SWEEP_EVERY = 2 * STEP;
const QUIET_STEPS = 3;
const MOST_STEPS = 60;

export interface Kind {
	/** Whether the gateway counts its rows. */
	isCounted: boolean;
	/** How many events can be remembered. */
	remembered: number;
}

export interface World {
	readonly now: number;
	/** Newest first. */
	readonly rows: readonly WebhookEvent[];
	readonly state: State;
	/** As n8n's default engine has stored it: when something last fired. */
	readonly stored: State;
	/** IDs of all that has come so far, of what is to fire, and of what has fired. */
	readonly made: readonly string[];
	readonly due: readonly string[];
	readonly fired: readonly string[];
	/** An event fired twice, or one that should not; the state grew too large. */
	readonly faults: readonly string[];
}

/** What changes in the list with a step, and what happens to the poll that follows. */
export interface Action {
	name: string;
	/** The dates of what comes, as steps after the present. */
	comes?: readonly number[];
	oldestGoes?: boolean;
	secondPageFails?: boolean;
	restarts?: boolean;
}

const FAR_AHEAD = (400 * DAY) / STEP;

export const ACTIONS: readonly Action[] = [
	{ name: 'one comes', comes: [0] },
	{ name: 'three of one moment come', comes: [0, 0, 0] },
	{ name: 'one comes late by a step', comes: [-1] },
	{ name: 'one comes late by two steps', comes: [-2] },
	{ name: 'the oldest is removed and one comes', comes: [0], oldestGoes: true },
	{ name: 'nothing', comes: [] },
	{ name: 'one comes and page 2 fails', comes: [0], secondPageFails: true },
	{ name: 'one comes and n8n starts anew', comes: [0], restarts: true },
	{ name: 'one of the future comes', comes: [FAR_AHEAD] },
];

function open(world: World, { isCounted }: Kind, secondPageFails = false): EventPages {
	return pagesOf(
		async (page, pageSize) => {
			if (page === 2 && secondPageFails) throw new Error('503');
			const data = world.rows.slice((page - 1) * pageSize, page * pageSize);
			const counts = isCounted ? { total: world.rows.length } : {};
			return await Promise.resolve({ answer: { data, page: counts as never } });
		},
		world.now + MINUTE,
		PAGE,
	);
}

function boundsOf({ remembered }: Kind) {
	return { kept: KEPT, remembered, sweepEvery: SWEEP_EVERY };
}

/** With three old events, and a trigger that has begun. */
export async function start(kind: Kind): Promise<World> {
	const none = startAt('merchant', 0);
	let world: World = {
		now: START,
		rows: [],
		state: none,
		stored: none,
		made: [],
		due: [],
		fired: [],
		faults: [],
	};
	for (const steps of OLD_STEPS) world = { ...insert(world, steps), due: [] };
	Date.now = () => world.now;
	const pages = open(world, kind);
	const state = await takeBaseline(pages, 'merchant', LIMITS.lookBackMs, boundsOf(kind));
	return { ...world, state, stored: state };
}

function insert(world: World, steps: number): World {
	const { now, rows, made, due } = world;
	const at = now + steps * STEP;
	const rank = rows.filter(({ date }) => Date.parse(date) > at).length;
	const date = new Date(at).toISOString();
	// The same in each schedule that brings the same.
	const eventID = `${date} ${made.filter((id) => id.startsWith(date)).length}`;
	const event = { eventID, date, type: 't', payload: '{}' };
	return {
		...world,
		made: [...made, eventID],
		rows: [...rows.slice(0, rank), event, ...rows.slice(rank)],
		// All that come late are within the look-back; promised are those among the newest.
		due: rank < KEPT ? [...due, eventID] : due,
	};
}

function removeOldest(world: World): World {
	const { rows, due, fired } = world;
	const id = rows.at(-1)?.eventID ?? '';
	const isLost = !fired.includes(id);
	return { ...world, rows: rows.slice(0, -1), due: isLost ? due.filter((d) => d !== id) : due };
}

/** The world a step later: something happens in the list, and a poll follows. */
export async function act(world: World, kind: Kind, action: Action): Promise<World> {
	let next: World = { ...world, now: world.now + STEP };
	if (action.oldestGoes) next = removeOldest(next);
	for (const steps of action.comes ?? []) next = insert(next, steps);
	if (action.restarts) next = { ...next, state: next.stored };
	Date.now = () => next.now;
	const pages = open(next, kind, action.secondPageFails);
	const decision = await catchUp(next.state, pages, LIMITS, boundsOf(kind)).catch(() => undefined);
	if (decision === undefined) return next;
	const { state, events } = decision;
	const faults = events
		.filter(({ eventID }) => next.fired.includes(eventID) || OLD.includes(eventID))
		.map(({ eventID }) => `${eventID} fired once more`);
	if (Object.keys(state.handled).length > kind.remembered) faults.push('the state is too large');
	return {
		...next,
		state,
		stored: events.length > 0 ? state : next.stored,
		fired: [...next.fired, ...events.map(({ eventID }) => eventID)],
		faults: [...new Set([...next.faults, ...faults])],
	};
}

/** Worlds of one step with the same key go on in the same way. */
export function keyOf({ rows, state, stored, due, fired, faults }: World): string {
	const ids = rows.map(({ eventID }) => eventID);
	const isListed = (id: string) => ids.includes(id);
	const open = due.filter((id) => !fired.includes(id));
	return JSON.stringify([ids, state, stored, open, fired.filter(isListed).sort(), faults]);
}

/** What is wrong in the end: after quiet steps, until nothing has fired for some. */
export async function faultsAfter(world: World, kind: Kind) {
	let quiet = 0;
	let last = world;
	for (let step = 0; step < MOST_STEPS && quiet < QUIET_STEPS; step++) {
		const next = await act(last, kind, { name: 'nothing' });
		quiet = next.fired.length === last.fired.length ? quiet + 1 : 0;
		last = next;
	}
	const { due, fired, faults } = last;
	const lost = due.filter((id) => !fired.includes(id)).map((id) => `${id} never fired`);
	return { lost, wrong: faults, fired: fired.length };
}
