import { randomUUID } from 'crypto';
import type { IPollFunctions } from 'n8n-workflow';

import { DAY, MINUTE } from '../wire/duration';
import { isObject, textOf } from '../wire/json';
import type { State } from './state';
import { slotFor } from './stateSlot';

/**
 * Keeps a trigger's state between polls. n8n may give a poll an older state than the last poll wrote:
 * it does not save every state, and it saves the state of a poll that fired only after that poll. So
 * each state names the last poll that fired (its emission). This process remembers the emission that the
 * state of the last poll named. If n8n gives a state that names the same one, it may not have saved what
 * that poll wrote. The next poll then starts from the remembered state or, if that poll fired, does nothing.
 *
 *     poll  is given       so it            fires    writes
 *     1     A              starts from A    nothing  A', still naming emission e1
 *     2     A or A'        starts from A'   nothing  A'', still naming emission e1
 *     3     A, A' or A''   starts from A''  events   B, naming emission e2
 *     4     B              starts from B    …
 *     4     A, A' or A''   does nothing: n8n is still saving B, so the events would fire twice
 *
 * If n8n still gives A, A' or A'' after a minute, it has lost B, and the same events fire again. A
 * restart forgets all of this: n8n then gives what it has saved.
 */

interface LastPoll {
	/** `lastEmission` of the state from which that poll started; '' before the first emission. */
	emission: string;
	/** The state that the poll wrote, as JSON; undefined if it fired events, since n8n saves that state itself. */
	written: string | undefined;
	/** By the monotonic clock. */
	expires: number;
}

const lastPolls = new Map<string, LastPoll>();
/** How long n8n may take to save an emission: the lease that its scheduler gives a poll. */
const SAVED_WITHIN = MINUTE;
/**
 * How long a state that n8n has not saved counts. Later polls start from what n8n has saved. Longer than
 * the pause between two polls of a trigger that polls once a month, or was off for a month.
 */
const UNSAVED_FOR = 40 * DAY;

function lastPollFrom(trigger: string, emission: string): LastPoll | undefined {
	const now = performance.now();
	for (const [each, { expires }] of lastPolls) if (expires <= now) lastPolls.delete(each);
	const last = lastPolls.get(trigger);
	return last?.emission === emission ? last : undefined;
}

export function openStateStore(context: IPollFunctions, trigger: string) {
	const slot = slotFor(context, trigger);
	const given = slot.read() ?? null;
	const emission = isObject(given) ? textOf(given.lastEmission) : '';
	const last = lastPollFrom(trigger, emission);
	const json = last?.written ?? JSON.stringify(given);
	return {
		/** The state to go on from, or null. A copy by JSON: structuredClone refuses n8n's Proxy. */
		state: JSON.parse(json) as unknown,
		isReplay: last !== undefined && last.written === undefined,
		save: (state: State, isEmission: boolean): void => {
			const next = { ...state, lastEmission: isEmission ? randomUUID() : emission };
			const nextJson = JSON.stringify(next);
			// A state that has not changed is not written.
			if (given !== null && nextJson === json) return;
			slot.write(next, isEmission);
			const written = isEmission ? undefined : nextJson;
			const expires = performance.now() + (isEmission ? SAVED_WITHIN : UNSAVED_FOR);
			lastPolls.set(trigger, { emission, written, expires });
		},
	};
}
