import type { IDataObject } from 'n8n-workflow';

import type { Poller } from '../engine';
import { log } from '../engine';

/**
 * Lets the trigger work off a backlog, until so many events have fired. Keeps none of them, as that
 * would count where memory is measured; `see` is shown each.
 */
export async function drain(
	poller: Poller,
	events: number,
	see: (event: IDataObject) => void = () => undefined,
): Promise<{ polls: number; state: number }> {
	let fired = 0;
	let quiet = 0;
	let state = 0;
	for (let polls = 1; ; polls++) {
		const data = await poller.poll();
		state = Math.max(state, JSON.stringify(poller.workflowMemory).length);
		// n8n hands the items over to an execution and forgets them; so does this.
		poller.emitted.length = 0;
		log.clear();
		const rows = data?.flat() ?? [];
		for (const { json } of rows) see(json);
		fired += rows.length;
		if (fired > events) throw new Error(`${fired} events fired instead of ${events}`);
		if (fired === events) return { polls, state };
		// A poll may need all of its time to find the place where the last one stopped.
		quiet = rows.length === 0 ? quiet + 1 : 0;
		if (quiet === 3) throw new Error(`Only ${fired} of ${events} events fired`);
	}
}

/** Makes an error of an event that fires twice. */
export function eachOnce(): (event: IDataObject) => void {
	const known = new Set<unknown>();
	return ({ eventID }) => {
		if (known.has(eventID)) throw new Error(`Event ${String(eventID)} fired twice`);
		known.add(eventID);
	};
}
