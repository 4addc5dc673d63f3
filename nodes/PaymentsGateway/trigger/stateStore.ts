import { randomUUID } from 'crypto';
import type { IPollFunctions } from 'n8n-workflow';

import { isObject, textOf } from '../wire/json';
import { DAY, MINUTE } from './durations';
import type { State } from './state';
import { slotFor } from './stateSlot';

/**
 * Keeps a trigger's state between polls. n8n may start a poll from an older state than the last poll
 * has written: it does not save each state, and it saves that of an emission (a poll that fires
 * events) only after the poll. So each state names the last emission, and this process remembers from
 * which emission a trigger's last poll started:
 *
 *     poll  n8n gives it   so it            fires    writes
 *     1     A              starts from A    nothing  A', which names emission A as well
 *     2     A or A'        starts from A'   nothing  A''
 *     3     A, A' or A''   starts from A''  events   B
 *     4     B              starts from B    …
 *     4     A, A' or A''   does nothing: n8n is still saving B, so the events would fire twice
 *
 * If n8n still gives A'' after a minute, it has lost B, and the same events fire again. A restart
 * forgets all of this: n8n then gives what it has saved.
 */

interface LastPoll {
	/** The emission that its state named when it started; '' before the first one. */
	startedFrom: string;
	/** The state that it has written, as JSON; undefined if it fired events. */
	written: string | undefined;
	/** By the monotonic clock. */
	expires: number;
}

const lastPolls = new Map<string, LastPoll>();
/** How long n8n may take to save an emission: the lease that its scheduler gives a poll. */
const SAVED_WITHIN = MINUTE;

function lastPollFrom(trigger: string, emission: string): LastPoll | undefined {
	const now = performance.now();
	for (const [each, { expires }] of lastPolls) if (expires <= now) lastPolls.delete(each);
	const last = lastPolls.get(trigger);
	return last?.startedFrom === emission ? last : undefined;
}

export function openStateStore(context: IPollFunctions, trigger: string) {
	const slot = slotFor(context, trigger);
	const held = slot.read() ?? null;
	const startedFrom = isObject(held) ? textOf(held.lastEmission) : '';
	const last = lastPollFrom(trigger, startedFrom);
	const json = last?.written ?? JSON.stringify(held);
	return {
		/** The state to go on from, or null. A copy: n8n's own object cannot be cloned otherwise. */
		state: JSON.parse(json) as unknown,
		isReplay: last !== undefined && last.written === undefined,
		/** `isEmission`: events leave with this state. */
		save: (state: State, isEmission: boolean): void => {
			const next = { ...state, lastEmission: isEmission ? randomUUID() : startedFrom };
			const nextJson = JSON.stringify(next);
			// An idle poll writes nothing.
			if (held !== null && nextJson === json) return;
			slot.write(next, isEmission);
			const written = isEmission ? undefined : nextJson;
			const expires = performance.now() + (isEmission ? SAVED_WITHIN : DAY);
			lastPolls.set(trigger, { startedFrom, written, expires });
		},
	};
}
