/**
 * One poll of a trigger at a time. n8n lets polls overlap: two Poll Times can fire together, and a
 * long poll can still be under way when the next one is due.
 */

/** The right to poll for one node, until a moment at which the poll is taken to be lost. */
export interface Turn {
	readonly until: number;
}

const turns = new Map<string, Turn>();

/** Undefined while another poll of the node is under way. */
export function takeTurn(node: string, until: number): Turn | undefined {
	const other = turns.get(node);
	// The monotonic clock: a wall clock that is put back would lock the node out.
	if (other !== undefined && performance.now() < other.until) return undefined;
	const turn = { until };
	turns.set(node, turn);
	return turn;
}

/** Whether no later poll has taken over. */
export function isHeld(node: string, turn: Turn): boolean {
	return turns.get(node) === turn;
}

export function endTurn(node: string, turn: Turn): void {
	if (isHeld(node, turn)) turns.delete(node);
}
