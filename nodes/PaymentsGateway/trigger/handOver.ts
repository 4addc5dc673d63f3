/**
 * What a poll has just handed over. With durable cursors each poll works on a copy of the state, and
 * those that n8n starts right behind another may hold a copy from before the other's events were
 * stored: they would fire them again.
 */

/** How long n8n may take to store what a poll has handed over: the lease of a scheduled poll. */
const STORED_WITHIN = 60_000;
/** After a restart n8n can start a scheduled poll and that of the activation right behind another. */
const MOST_BEHIND = 2;
const handedOver = new Map<string, { source: string; until: number; behind: number }>();

export function rememberHandOver(node: string, source: string): void {
	handedOver.set(node, { source, until: performance.now() + STORED_WITHIN, behind: 0 });
}

/** Holds two polls back at most, should n8n have dropped what was handed over. */
export function isStale(node: string, source: string): boolean {
	const last = handedOver.get(node);
	if (last === undefined) return false;
	last.behind += 1;
	const isBehind = last.source === source && performance.now() < last.until;
	if (!isBehind || last.behind >= MOST_BEHIND) handedOver.delete(node);
	return isBehind;
}
