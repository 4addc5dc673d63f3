import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { EventPages } from '../../nodes/PaymentsGateway/trigger/eventPages';
import { eventHash } from '../../nodes/PaymentsGateway/trigger/keys';
import { startAt } from '../../nodes/PaymentsGateway/trigger/state';
import type { Bounds, State } from '../../nodes/PaymentsGateway/trigger/state';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { DAY, MINUTE } from '../durations';
import { cutPage } from '../gateway/servedList';
import { pagesOf } from './eventListGateway';

/**
 * A world so small that every schedule of a few actions can be played: a list of a handful of events,
 * and a trigger with tiny bounds.
 *
 * - A step takes half an hour: an action changes the list, then the trigger polls.
 * - A page has two rows, a poll fires one event, the watermark keeps four events, the look-back is
 *   three steps, and a late scan is due with every second step.
 * - Each event knows whether it must fire, may fire, or must not. An event that fires although it must
 *   not is a fault, and so is a state that is too large.
 *
 * A world is a value. An action makes a new one, so that schedules with the same beginning share it.
 */
export interface SmallEventWorld {
	readonly now: number;
	/** Newest first. */
	readonly rows: readonly ListedEvent[];
	/** How many events have appeared so far. */
	readonly created: number;
	readonly state: State;
	/** What n8n's default engine has saved: the state of the last emission. */
	readonly savedState: State;
	/** How many events fired in the last step. */
	readonly fired: number;
	/** What was wrong in the last step. */
	readonly faults: readonly string[];
}

interface ListedEvent {
	readonly event: WebhookEvent;
	readonly time: number;
	readonly hash: string;
	readonly fires: 'must' | 'may' | 'mustNot';
}

export interface WorldKind {
	/** Whether the gateway counts its rows. */
	isCounted: boolean;
	/** How many events can be remembered. */
	capacity: number;
}

export interface Action {
	name: string;
	/** The dates of the events that appear, in steps from now. */
	appear?: readonly number[];
	/** The oldest event is removed. */
	removesOldest?: boolean;
	/** The poll fails from this page on. */
	failsAt?: number;
	/** n8n starts again from what it has saved. */
	restarts?: boolean;
}

const STEP = 30 * MINUTE;
const START = Date.UTC(2026, 0, 10, 12);
/** The dates of the events that are old at the start, in steps. */
const OLD = [-3, -2, -1];
const FAR_AHEAD = (400 * DAY) / STEP;
const ROWS_PER_PAGE = 2;
const KEPT = 4;
const LATE_SCAN_EVERY = 2 * STEP;
const RULES = {
	lookBackMs: 3 * STEP,
	maxEvents: 1,
	skipOlderMs: Infinity,
	isSelected: () => true,
};

export const NOTHING: Action = { name: 'nothing' };
export const FUTURE: Action = { name: 'an event dated in the future', appear: [FAR_AHEAD] };
export const ACTIONS: readonly Action[] = [
	{ name: 'an event', appear: [0] },
	{ name: 'three events of one date', appear: [0, 0, 0] },
	{ name: 'an event, late by a step', appear: [-1] },
	{ name: 'an event, late by three steps', appear: [-3] },
	{ name: 'an event, and the oldest is removed', appear: [0], removesOldest: true },
	NOTHING,
	{ name: 'an event, and page 2 fails', appear: [0], failsAt: 2 },
	{ name: 'an event, and page 3 fails', appear: [0], failsAt: 3 },
	{ name: 'an event, and n8n restarts', appear: [0], restarts: true },
	FUTURE,
];

/** With three old events, and a trigger that was just activated. */
export async function start(kind: WorldKind): Promise<SmallEventWorld> {
	const none = startAt('merchant', 0);
	let world: SmallEventWorld = {
		now: START,
		rows: [],
		created: 0,
		state: none,
		savedState: none,
		fired: 0,
		faults: [],
	};
	for (const steps of OLD) world = withEvent(world, steps);
	const rows = world.rows.map((row) => ({ ...row, fires: 'mustNot' as const }));
	Date.now = () => START;
	const pages = openPages(world, kind);
	const state = await takeBaseline(pages, 'merchant', RULES.lookBackMs, boundsOf(kind));
	return { ...world, rows, state, savedState: state };
}

/** The world a step later. */
export async function act(
	world: SmallEventWorld,
	kind: WorldKind,
	action: Action,
): Promise<SmallEventWorld> {
	let next: SmallEventWorld = { ...world, now: world.now + STEP, fired: 0, faults: [] };
	if (action.removesOldest) next = { ...next, rows: next.rows.slice(0, -1) };
	for (const steps of action.appear ?? []) next = withEvent(next, steps);
	if (action.restarts) next = { ...next, state: next.savedState };
	return await poll(next, kind, action.failsAt);
}

function withEvent(world: SmallEventWorld, steps: number): SmallEventWorld {
	const time = world.now + steps * STEP;
	const above = world.rows.filter((row) => row.time > time);
	const below = world.rows.slice(above.length);
	const created = world.created + 1;
	const date = new Date(time).toISOString();
	const event = { eventID: String(created), date, type: 't', payload: '' };
	// No event here is late by more than the look-back, so it must fire if it is among the newest.
	const fires = above.length < KEPT ? 'must' : 'may';
	const row: ListedEvent = { event, time, hash: eventHash(event), fires };
	return { ...world, created, rows: [...above, row, ...below] };
}

async function poll(
	world: SmallEventWorld,
	kind: WorldKind,
	failsAt?: number,
): Promise<SmallEventWorld> {
	Date.now = () => world.now;
	const pages = openPages(world, kind, failsAt);
	const decision = await catchUp(world.state, pages, RULES, boundsOf(kind)).catch(() => undefined);
	if (decision === undefined) return world;
	const { state, events } = decision;
	const faults: string[] = [];
	const rows = world.rows.map((row) => {
		if (!events.includes(row.event)) return row;
		if (row.fires === 'mustNot') faults.push(`event ${row.event.eventID} fired again`);
		return { ...row, fires: 'mustNot' as const };
	});
	if (Object.keys(state.seen).length > kind.capacity) faults.push('the state is too large');
	const savedState = events.length > 0 ? state : world.savedState;
	return { ...world, rows, state, savedState, fired: events.length, faults };
}

function openPages(
	world: SmallEventWorld,
	{ isCounted }: WorldKind,
	failsAt = Infinity,
): EventPages {
	return pagesOf({
		answer: (request) => {
			if (request.page >= failsAt) throw new Error('503');
			const rows = cutPage(world.rows, request) ?? [];
			const total = isCounted ? { total: world.rows.length } : {};
			return { answer: { data: rows.map(({ event }) => event), page: total } };
		},
		deadline: world.now + MINUTE,
		pageSize: ROWS_PER_PAGE,
	});
}

function boundsOf({ capacity }: WorldKind): Bounds {
	return { keepNewest: KEPT, capacity, lateScanEvery: LATE_SCAN_EVERY };
}

/**
 * Worlds with the same key have the same future. The trigger compares dates, so only their distance
 * from now matters, and of dates in the future only their order. Rows below the watermark never
 * fire, so only their number matters; of the gateway's count, only by how much it has risen.
 */
export function keyOf(world: SmallEventWorld): string {
	const { rows, state, savedState } = world;
	const watermark = Math.min(state.watermark, savedState.watermark);
	const canStillMatter = ({ time, fires }: ListedEvent) => time >= watermark || fires === 'must';
	const relevant = rows.filter(canStillMatter);
	return JSON.stringify([
		relevant.map(({ time, fires }) => [ageOf(time, world), fires]),
		rows.length - relevant.length,
		stateKeyOf(state, world, relevant),
		state === savedState ? 0 : stateKeyOf(savedState, world, relevant),
	]);
}

function stateKeyOf(
	state: State,
	world: SmallEventWorld,
	relevant: readonly ListedEvent[],
): unknown[] {
	const { rows } = world;
	const listed = new Set(rows.map(({ hash }) => hash));
	const removedAges = Object.entries(state.seen)
		.filter(([hash]) => !listed.has(hash))
		.map(([, time]) => ageOf(parseInt(time, 36), world))
		.sort((a, b) => a - b);
	return [
		ageOf(state.watermark, world),
		Math.min(ageOf(state.lateScanAt, world), LATE_SCAN_EVERY),
		state.countedTotal === undefined ? 0 : rows.length - state.countedTotal,
		removedAges,
		relevant.map(({ hash }) => (hash in state.seen ? 1 : 0)),
	];
}

function ageOf(time: number, { now }: SmallEventWorld): number {
	return Math.max(now - time, -DAY);
}
