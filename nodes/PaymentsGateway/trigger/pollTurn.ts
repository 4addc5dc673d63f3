/**
 * Keeps the polls of one trigger apart. n8n lets them overlap: two Poll Times can fire together, and
 * a long poll can still be under way when the next one is due. And n8n can start a poll before it has
 * stored what the poll before has handed over.
 */

/** By node, the poll that is under way, and the moment from which it is taken to be lost. */
const underWay = new Map<string, { until: number }>();

/** The right to poll for a node; undefined while another poll of the node is under way. */
export function takeTurn(node: string, until: number) {
	// The monotonic clock: a wall clock that is put back would lock the node out.
	if (performance.now() < (underWay.get(node)?.until ?? 0)) return undefined;
	const own = { until };
	underWay.set(node, own);
	/** Whether no later poll has taken over. */
	const isHeld = () => underWay.get(node) === own;
	const end = () => {
		if (isHeld()) underWay.delete(node);
	};
	return { isHeld, end };
}

/** How long n8n may take to store what a poll has handed over: the lease of a scheduled poll. */
const STORED_WITHIN = 60_000;
/** By node, the state that the last poll with events started from. */
const handedOver = new Map<string, { inN8n: string; until: number }>();

export function rememberHandOver(node: string, inN8n: string): void {
	handedOver.set(node, { inN8n, until: performance.now() + STORED_WITHIN });
}

/**
 * Holds a poll back that starts from the same state as the one before, whose events would fire again.
 * It does with durable cursors, where each poll works on a copy, and after a restart, when n8n starts
 * several at once. Should n8n have dropped what was handed over, it fires once the time is over.
 */
export function holdBack(node: string, inN8n: string): boolean {
	const last = handedOver.get(node);
	if (last?.inN8n === inN8n && performance.now() < last.until) return true;
	handedOver.delete(node);
	return false;
}
