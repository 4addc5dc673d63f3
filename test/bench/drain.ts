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
	let state = 0;
	// Some poll may need all of its time to find the place where the last one stopped.
	for (let polls = 1; polls <= events / 100; polls++) {
		const rows = (await poller.poll())?.flat() ?? [];
		state = Math.max(state, JSON.stringify(poller.workflowMemory).length);
		// n8n hands the items over to an execution and forgets them; so does this.
		poller.emitted.length = 0;
		log.clear();
		for (const { json } of rows) see(json);
		fired += rows.length;
		if (fired === events) return { polls, state };
	}
	throw new Error(`${fired} events fired instead of ${events}`);
}
