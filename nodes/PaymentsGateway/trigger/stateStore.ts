import { randomUUID } from 'crypto';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { createExpiringMap } from '../gateway/expiringMap';
import { DAY, MINUTE } from '../wire/duration';
import { isObject, textOf } from '../wire/json';
import { STATES } from './keys';
import type { State } from './state';

/**
 * Keeps a trigger's state between polls. n8n may give a poll an older state than the last poll wrote:
 * it does not save every state, and it saves the state of a poll that fired only after that poll. So
 * each state names the last poll that fired (its emission). For each trigger, this process remembers which
 * emission was named by the state that its last poll started from, and what that poll wrote. If n8n gives the
 * next poll a state that names the same emission, it may not have saved what was written. If the last poll
 * fired, the next one then does nothing; otherwise, it starts from what the last one wrote.
 *
 *     poll  is given       so it            fires    writes
 *     1     A              starts from A    nothing  A', still naming emission e1
 *     2     A or A'        starts from A'   nothing  A'', still naming emission e1
 *     3     A, A' or A''   starts from A''  events   B, naming emission e2
 *     4     B              starts from B    …
 *     4     A, A' or A''   does nothing: n8n is still saving B, so the events would fire twice
 *
 * If n8n still gives A, A' or A'' after a minute, it has lost B, and the same events fire again. (If what
 * n8n gives is no state, or one of another group, the trigger starts from now.) A restart forgets all of
 * this: n8n then gives what it has saved.
 */

/**
 * By trigger, the emission that was named by the state from which the last poll with events started (''
 * if none). n8n saves what that poll wrote within a minute, the lease that its scheduler gives a poll.
 */
const replacedEmissions = createExpiringMap<string>(MINUTE);
/**
 * By trigger, the state that the last poll without events wrote, as JSON, and the emission that it names.
 * Kept longer than the pause between two polls of a trigger that polls once a month, or was off for a
 * month. Polls that are later than that start from what n8n has saved.
 */
const unsavedStates = createExpiringMap<{ emission: string; json: string }>(40 * DAY);

export function openStateStore(context: IPollFunctions, trigger: string) {
	const slot = slotFor(context, trigger);
	const given = slot.read() ?? null;
	const givenJson = JSON.stringify(given);
	const emission = isObject(given) ? textOf(given.lastEmission) : '';
	const unsaved = unsavedStates.get(trigger);
	const json = unsaved?.emission === emission ? unsaved.json : givenJson;
	return {
		/** The state to go on from, or null. A copy by JSON: structuredClone refuses n8n's Proxy. */
		state: JSON.parse(json) as unknown,
		isReplay: replacedEmissions.get(trigger) === emission,
		save: (state: State, isEmission: boolean): void => {
			const next = { ...state, lastEmission: isEmission ? randomUUID() : emission };
			const nextJson = JSON.stringify(next);
			// n8n has this state already: nothing to save.
			if (nextJson !== givenJson) slot.write(next, isEmission);
			if (isEmission) {
				replacedEmissions.set(trigger, emission);
				unsavedStates.delete(trigger);
			} else {
				unsavedStates.set(trigger, { emission, json: nextJson });
			}
		},
	};
}

/**
 * Where n8n holds a trigger's state. A node can recognise only the last of the three poll engines:
 *
 * | engine                         | slot           | after a poll with events | after one without events                               |
 * | ------------------------------ | -------------- | ------------------------ | ------------------------------------------------------ |
 * | default                        | `workflowSlot` | saved                    | in memory until the next event; saved at an activation |
 * | scheduler                      | `workflowSlot` | saved                    | dropped; saved at an activation                        |
 * | scheduler with durable cursors | `cursorSlot`   | saved with the execution | saved, except at an activation                         |
 */
interface StateSlot {
	read: () => unknown;
	/** `isEmission`: events leave with this state. */
	write: (state: State, isEmission: boolean) => void;
}

function slotFor(context: IPollFunctions, trigger: string): StateSlot {
	const workflow = workflowSlot(context.getWorkflowStaticData('global'), trigger);
	const nodeData = context.getWorkflowStaticData('node');
	// n8n wraps static data in a Proxy that has `__dataChanged`. With durable cursors,
	// n8n gives a plain copy of the cursor instead.
	const isWatched = '__dataChanged' in nodeData;
	return isWatched ? workflow : cursorSlot(nodeData, workflow);
}

/** The workflow's static data. The node's own goes by the node's name, so a rename would lose it. */
function workflowSlot(data: IDataObject, trigger: string): StateSlot {
	// Read again each time: other triggers of the workflow write there meanwhile.
	const states = () => (isObject(data[STATES]) ? data[STATES] : {});
	return {
		read: () => states()[trigger],
		write: (state) => {
			// Assigned as a whole: the Proxy does not notice a change further down.
			data[STATES] = { ...states(), [trigger]: state } as IDataObject;
		},
	};
}

/** The node's durable cursor. Before the first write to it, reads come from the workflow's data. */
function cursorSlot(data: IDataObject, workflow: StateSlot): StateSlot {
	return {
		read: () => data.cursor ?? workflow.read(),
		write: (state, isEmission) => {
			// n8n 2.41 drops the cursor of an activation without events, but saves the workflow's data. An
			// emission is not written there: n8n would save it even if it fails to start the execution.
			if (data.cursor === undefined && !isEmission) workflow.write(state, isEmission);
			data.cursor = { ...state } as IDataObject;
		},
	};
}
