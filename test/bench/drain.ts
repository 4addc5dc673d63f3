import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { log } from '../engine';
import type { Poller } from '../engine';
import { TRIGGER } from './subject';
import type { Subject } from './subject';

/** Lets the trigger work off a backlog, and makes sure that each event fires once. */

export function pollerFor(subject: Subject, credentials: ICredentialDataDecryptedObject): Poller {
	return subject.engine.poller({ nodeType: TRIGGER, credentials, parameters: {} });
}

/** Polls until so many events have fired; any that is missing or fires twice is an error. */
export async function drain(poller: Poller, events: number): Promise<{ polls: number }> {
	const known = new Set<string>();
	return await drainBy(poller, events, (id) => {
		if (known.has(id)) throw new Error(`Event ${id} fired twice`);
		known.add(id);
	});
}

/** As `drain`, without keeping the IDs, which would count where memory is measured. */
export async function drainBy(
	poller: Poller,
	events: number,
	see: (id: string) => void = () => undefined,
	polled: () => void = () => undefined,
): Promise<{ polls: number }> {
	let fired = 0;
	let quiet = 0;
	for (let polls = 1; ; polls++) {
		const data = await poller.poll();
		polled();
		// n8n hands the items over to an execution and forgets them; so does this.
		poller.emitted.length = 0;
		log.clear();
		const rows = data?.flat() ?? [];
		for (const { json } of rows) see(String(json.eventID));
		fired += rows.length;
		if (fired > events) throw new Error(`${fired} events fired instead of ${events}`);
		if (fired === events) return { polls };
		// A poll may need all of its time to find the place where the last one stopped.
		quiet = rows.length === 0 ? quiet + 1 : 0;
		if (quiet === 3) throw new Error(`Only ${fired} of ${events} events fired`);
	}
}
