import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { EventPages } from '../../nodes/PaymentsGateway/trigger/eventPages';
import { rowOf } from '../../nodes/PaymentsGateway/trigger/handled';
import { startAt } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
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
const FAR_AHEAD = (400 * DAY) / STEP;
const PAGE = 2;
const KEPT = 4;
const LIMITS = {
	lookBackMs: 3 * STEP,
	maxEvents: 1,
	skipOlderMs: Infinity,
	isWanted: () => true,
};
/** A sweep is due with every second step. */
const SWEEP_EVERY = 2 * STEP;

export interface Kind {
	/** Whether the gateway counts its rows. */
	isCounted: boolean;
	/** How many events can be remembered. */
	remembered: number;
}

/** An event in the list. */
interface Listed {
	readonly event: WebhookEvent;
	readonly at: number;
	/** What the trigger knows it by. */
	readonly hash: string;
	/** It must fire, it may, or it must not any more. */
	readonly still: 'must' | 'may' | 'never';
}

export interface World {
	readonly now: number;
	/** Newest first. */
	readonly rows: readonly Listed[];
	/** How many have come so far. */
	readonly made: number;
	readonly state: State;
	/** As n8n's default engine has stored it: when something last fired. */
	readonly stored: State;
	/** How many fired in the last step. */
	readonly fired: number;
	/** What was wrong in the last step. */
	readonly faults: readonly string[];
}

/** What changes in the list with a step, and what happens to the poll that follows. */
export interface Action {
	name: string;
	/** The dates of what comes, as steps after the present. */
	comes?: readonly number[];
	oldestGoes?: boolean;
	/** From this page on. */
	failsAt?: number;
	restarts?: boolean;
}

export const NOTHING: Action = { name: 'nothing' };
export const FUTURE: Action = { name: 'one of the future comes', comes: [FAR_AHEAD] };
export const ACTIONS: readonly Action[] = [
	{ name: 'one comes', comes: [0] },
	{ name: 'three of one moment come', comes: [0, 0, 0] },
	{ name: 'one comes late by a step', comes: [-1] },
	{ name: 'one comes late by three steps', comes: [-3] },
	{ name: 'the oldest is removed and one comes', comes: [0], oldestGoes: true },
	NOTHING,
	{ name: 'one comes and page 2 fails', comes: [0], failsAt: 2 },
	{ name: 'one comes and page 3 fails', comes: [0], failsAt: 3 },
	{ name: 'one comes and n8n starts anew', comes: [0], restarts: true },
	FUTURE,
];

function open(world: World, { isCounted }: Kind, failsAt = Infinity): EventPages {
	Date.now = () => world.now;
	return pagesOf(
		async (page, pageSize) => {
			if (page >= failsAt) throw new Error('503');
			const rows = world.rows.slice((page - 1) * pageSize, page * pageSize);
			const counts = isCounted ? { total: world.rows.length } : {};
			const answer = { data: rows.map(({ event }) => event), page: counts as never };
			return await Promise.resolve({ answer });
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
		...{ now: START, rows: [], made: 0, state: none, stored: none, fired: 0, faults: [] },
	};
	for (const steps of OLD_STEPS) world = insert(world, steps);
	const rows = world.rows.map((row) => ({ ...row, still: 'never' as const }));
	const pages = open(world, kind);
	const state = await takeBaseline(pages, 'merchant', LIMITS.lookBackMs, boundsOf(kind));
	return { ...world, rows, state, stored: state };
}

function insert(world: World, steps: number): World {
	const at = world.now + steps * STEP;
	const above = world.rows.filter((row) => row.at > at);
	const made = world.made + 1;
	const event = { eventID: String(made), date: new Date(at).toISOString(), type: 't', payload: '' };
	const { hash } = rowOf(event, at);
	// All that come late are within the look-back; promised are those among the newest.
	const still = above.length < KEPT ? 'must' : 'may';
	const rows = [...above, { event, at, hash, still } as const, ...world.rows.slice(above.length)];
	return { ...world, made, rows };
}

/** The world a step later: something happens in the list, and a poll follows. */
export async function act(world: World, kind: Kind, action: Action): Promise<World> {
	let next: World = { ...world, now: world.now + STEP, fired: 0, faults: [] };
	if (action.oldestGoes) next = { ...next, rows: next.rows.slice(0, -1) };
	for (const steps of action.comes ?? []) next = insert(next, steps);
	if (action.restarts) next = { ...next, state: next.stored };
	const pages = open(next, kind, action.failsAt);
	const decision = await catchUp(next.state, pages, LIMITS, boundsOf(kind)).catch(() => undefined);
	if (decision === undefined) return next;
	const { state, events } = decision;
	const faults: string[] = [];
	const rows = next.rows.map((row) => {
		if (!events.includes(row.event)) return row;
		if (row.still === 'never') faults.push(`event ${row.event.eventID} fired once more`);
		return { ...row, still: 'never' as const };
	});
	if (Object.keys(state.handled).length > kind.remembered) faults.push('the state is too large');
	const stored = events.length > 0 ? state : next.stored;
	return { ...next, rows, state, stored, fired: events.length, faults };
}

/**
 * Worlds with the same key go on in the same way. Of dates only that counts which the trigger compares:
 * how far they are from now, and of those of the future, nothing but their order. Rows below the floor
 * are only counted, since nothing reads them; what the gateway counts, only as far as it has risen.
 */
export function keyOf(world: World): string {
	const { now, rows, state, stored } = world;
	const ago = (at: number) => Math.max(now - at, -DAY);
	const floor = Math.min(state.floor, stored.floor);
	const isOpen = ({ at, still }: Listed) => at >= floor || still === 'must';
	const open = rows.filter(isOpen);
	const hashes = new Set(rows.map(({ hash }) => hash));
	const unlisted = ({ handled }: State) =>
		Object.entries(handled)
			.filter(([hash]) => !hashes.has(hash))
			.map(([, date]) => ago(parseInt(date, 36)))
			.sort((a, b) => a - b);
	const told = (each: State) => [
		ago(each.floor),
		Math.min(ago(each.sweptAt), SWEEP_EVERY),
		each.accountedFor === undefined ? 0 : rows.length - each.accountedFor,
		unlisted(each),
		open.map(({ hash }) => (hash in each.handled ? 1 : 0)),
	];
	return JSON.stringify([
		open.map(({ at, still }) => [ago(at), still]),
		rows.length - open.length,
		told(state),
		state === stored ? 0 : told(stored),
	]);
}
