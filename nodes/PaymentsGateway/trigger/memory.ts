import { DAY } from './cursor';
import type { Cursor } from './cursor';

/**
 * What a process remembers of its polls. It never says that an event was delivered: n8n may drop
 * what a poll returns, and a process may end.
 */

/** The right to poll for one node, until a moment at which it is taken to be lost. */
export interface Turn {
	readonly until: number;
}

const turns = new Map<string, Turn>();
const baselines = new Map<string, { cursor: Cursor; taken: number }>();

/** n8n lets polls overlap. Undefined while another poll of the node is under way. */
export function takeTurn(node: string, until: number): Turn | undefined {
	const other = turns.get(node);
	// The monotonic clock: a wall clock put back would lock the node out.
	if (other !== undefined && performance.now() < other.until) return undefined;
	const turn = { until };
	turns.set(node, turn);
	return turn;
}

/** Whether the turn was not taken over meanwhile. */
export function isHeld(node: string, turn: Turn): boolean {
	return turns.get(node) === turn;
}

export function endTurn(node: string, turn: Turn): void {
	if (isHeld(node, turn)) turns.delete(node);
}

/**
 * Durable cursors are not stored for an activation poll without events, so the next poll would
 * start anew and pass over what came in between. Starting where the activation did loses nothing.
 */
export function rememberBaseline(key: string, cursor: Cursor): void {
	for (const [other, { taken }] of baselines) {
		if (performance.now() - taken > DAY) baselines.delete(other);
	}
	baselines.set(key, { cursor, taken: performance.now() });
}

export function recallBaseline(key: string): Cursor | undefined {
	const found = baselines.get(key);
	return found !== undefined && performance.now() - found.taken < DAY ? found.cursor : undefined;
}

/** Once a state is stored, there is nothing to fall back to. */
export function forgetBaseline(key: string): void {
	baselines.delete(key);
}

/** How long n8n may take to store what a poll has handed over: the lease of a scheduled poll. */
const STORED_WITHIN = 60_000;
const handedOver = new Map<string, { from: string; until: number }>();

/**
 * With durable cursors each poll works on a copy, and one that n8n starts right behind another may
 * hold a copy from before the other's events were stored: it would fire them again.
 */
export function rememberHandOver(node: string, from: string): void {
	handedOver.set(node, { from, until: performance.now() + STORED_WITHIN });
}

/** Asked once: the poll after is not held up, should n8n have dropped what was handed over. */
export function isStale(node: string, stored: string): boolean {
	const last = handedOver.get(node);
	handedOver.delete(node);
	return last !== undefined && last.from === stored && performance.now() < last.until;
}
