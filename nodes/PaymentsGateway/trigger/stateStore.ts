import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { isObject } from '../wire/json';
import type { State } from './state';

/**
 * Where a trigger's state is kept, so that it stays with the node when the node is renamed.
 *
 * n8n's default engine keeps a node's static data under the node's name, and a renamed node finds
 * nothing there; so the state goes into the static data of the workflow, under the node's ID. The
 * engine with durable cursors keeps a node's static data by its ID, and stores it with the
 * execution; there the state stays with the node, and until the first event with the workflow too.
 *
 * | n8n's engine              | what a poll with events writes | and one without              |
 * | ------------------------- | ------------------------------ | ---------------------------- |
 * | default                   | is stored                      | stays in memory until then   |
 * | scheduler                 | is stored                      | is dropped                   |
 * | scheduler, durable cursor | is stored with the execution   | is stored, except at a start |
 */

const KEY = 'paymentsGatewayTriggers';
const DAY = 86_400_000;

/**
 * What polls without events have written last, and the states in n8n's hands from which it goes on.
 * n8n may drop it: at the first poll of an activation, a new start would pass over what came since;
 * and a backlog that takes several polls to read would be begun again with each. Deleted as soon as
 * events go out, so that it never stands for a delivery that n8n has dropped.
 */
const unstored = new Map<string, { inN8n: string[]; latest: string; until: number }>();

function remember(key: string, inN8n: string, latest: string): void {
	const last = unstored.get(key);
	let all = last?.inN8n ?? [];
	// n8n may come back with what it has loaded, and with what is written over that at the end of an
	// activation. Where it has kept the last one in memory, neither has changed.
	if (inN8n !== last?.latest) {
		all = [...all.filter((each) => each !== inN8n).slice(-2), inN8n, latest];
	}
	unstored.set(key, { inN8n: all, latest, until: performance.now() + DAY });
}

function recall(key: string, inN8n: string): string {
	for (const [each, { until }] of unstored) if (until <= performance.now()) unstored.delete(each);
	const found = unstored.get(key);
	return found?.inN8n.includes(inN8n) ? found.latest : inN8n;
}

export function openState(context: IPollFunctions) {
	const ofNode = context.getWorkflowStaticData('node');
	const ofWorkflow = context.getWorkflowStaticData('global');
	// With the workflow's ID, since imported workflows can bring states and node IDs along.
	const { id = '' } = context.getWorkflow();
	const key = `${id}/${context.getNode().id}`;
	// n8n watches static data that is part of the workflow; a durable cursor is a plain copy.
	const isDurable = !('__dataChanged' in ofNode);

	// Read anew each time: other triggers of the workflow write there while this one polls.
	const states = () => (isObject(ofWorkflow[KEY]) ? ofWorkflow[KEY] : {});
	const ofKey = states()[key];
	const own = isDurable ? ofNode.cursor : ofKey;
	const inN8n = JSON.stringify(own ?? ofKey ?? null);
	const latest = recall(key, inN8n);
	return {
		/** The state to go on from, as JSON; `null` where there is none. */
		latest,
		/** The same as n8n has it, without what polls have written that n8n does not keep. */
		inN8n,
		/** Writes nothing where it is stored already. `isEmission`: events go out with it. */
		write: (state: State, isEmission: boolean) => {
			const json = JSON.stringify(state);
			if (own !== undefined && json === latest) return;
			if (isEmission) unstored.delete(key);
			else remember(key, inN8n, json);
			// n8n 2.41 drops what an activation without events writes to the node, but not what it writes
			// to the workflow: the first scheduled poll starts where the activation did, also in a new
			// process. With events it would call them delivered before n8n has stored them.
			if (!isDurable || (!isEmission && own === undefined)) {
				// Assigned whole: n8n does not notice a change further down.
				ofWorkflow[KEY] = { ...states(), [key]: { ...state } } as IDataObject;
			}
			if (isDurable) ofNode.cursor = { ...state } as unknown as IDataObject;
		},
	};
}
