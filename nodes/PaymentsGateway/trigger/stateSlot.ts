import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { isObject } from '../wire/json';
import { STATES } from './keys';
import type { State } from './state';

/**
 * Where n8n holds a trigger's state. A node can recognise only the last of the three poll engines:
 *
 * | engine                         | slot           | after a poll with events | after one without events       |
 * | ------------------------------ | -------------- | ------------------------ | ------------------------------ |
 * | default                        | `workflowSlot` | saved                    | in memory until the next event |
 * | scheduler                      | `workflowSlot` | saved                    | dropped                        |
 * | scheduler with durable cursors | `cursorSlot`   | saved with the execution | saved, except at an activation |
 */
export interface StateSlot {
	read: () => unknown;
	/** `isEmission`: events leave with this state. */
	write: (state: State, isEmission: boolean) => void;
}

export function slotFor(context: IPollFunctions, trigger: string): StateSlot {
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
