import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { isObject } from '../wire/json';
import type { Cursor } from './cursor';

/**
 * Where a trigger's cursor is kept, so that it stays with the node when the node is renamed.
 *
 * n8n's default engine keeps a node's static data under the node's name, and a renamed node finds
 * nothing there; so the cursor goes into the static data of the workflow, under the node's ID. The
 * engine with durable cursors keeps a node's static data by its ID, and stores it with the
 * execution; there the cursor stays with the node, and until the first event with the workflow too.
 */

const KEY = 'paymentsGatewayTriggers';
const DAY = 86_400_000;
/** Nodes that are gone leave their cursors behind: only those written last are kept. */
const MOST_NODES = 100;

export interface StateStore {
	/** The stored cursor as JSON; `null` where there is none. */
	readonly stored: string;
	/** Whether it is stored already, and where it belongs. */
	isKept(cursor: Cursor): boolean;
	/** `isStart`: no event goes out with it. */
	write(cursor: Cursor, isStart: boolean): void;
}

/**
 * Where triggers started that have fired nothing yet. n8n may drop what a poll without events
 * writes, and to start anew would pass over what came since. It is never used to call an event
 * delivered: as soon as one was, n8n has stored the state.
 */
const starts = new Map<string, { stored: string; until: number }>();

function rememberStart(key: string, cursor: Cursor): void {
	const now = performance.now();
	for (const [other, { until }] of starts) if (until < now) starts.delete(other);
	starts.set(key, { stored: JSON.stringify(cursor), until: now + DAY });
}

function recallStart(key: string): string {
	const found = starts.get(key);
	return found !== undefined && performance.now() < found.until ? found.stored : 'null';
}

export function openState(context: IPollFunctions): StateStore {
	const ofNode = context.getWorkflowStaticData('node');
	const ofWorkflow = context.getWorkflowStaticData('global');
	// With the workflow's ID, since imported workflows can bring cursors and node IDs along.
	const { id = '' } = context.getWorkflow();
	const key = `${id}/${context.getNode().id}`;
	// n8n watches static data that is part of the workflow; a durable cursor is a plain copy.
	const isPartOfWorkflow = '__dataChanged' in ofNode;

	// Read anew each time: other triggers of the workflow write there while this one polls.
	const cursors = () => (isObject(ofWorkflow[KEY]) ? ofWorkflow[KEY] : {});
	const ofKey = cursors()[key];
	const [first, second] = isPartOfWorkflow ? [ofKey, ofNode.cursor] : [ofNode.cursor, ofKey];

	const writeToWorkflow = (cursor: Cursor) => {
		const others = Object.entries(cursors()).filter(
			([other]) => other !== key && other.startsWith(`${id}/`),
		);
		const kept = [...others.slice(1 - MOST_NODES), [key, { ...cursor }]];
		// Assigned whole: n8n does not notice a change further down.
		ofWorkflow[KEY] = Object.fromEntries(kept) as IDataObject;
	};
	const kept = first ?? second;
	const stored = kept === undefined ? recallStart(key) : JSON.stringify(kept);
	return {
		stored,
		isKept: (cursor) => first !== undefined && JSON.stringify(cursor) === stored,
		write: (cursor, isStart) => {
			if (isStart && kept === undefined) rememberStart(key, cursor);
			if (isPartOfWorkflow) {
				// It is stored with the events, so the start is over, whatever becomes of what is stored.
				if (!isStart) starts.delete(key);
				writeToWorkflow(cursor);
				if ('cursor' in ofNode) delete ofNode.cursor;
				return;
			}
			// n8n 2.41 drops what an activation without events writes to the node, but not this: the
			// first scheduled poll starts where the activation did, also in a new process. With events
			// it would call them delivered before n8n has stored them.
			if (isStart && ofNode.cursor === undefined) writeToWorkflow(cursor);
			ofNode.cursor = { ...cursor } as unknown as IDataObject;
		},
	};
}

/** How long n8n may take to store what a poll has handed over: the lease of a scheduled poll. */
const STORED_WITHIN = 60_000;
const handedOver = new Map<string, { from: string; until: number }>();

/**
 * With durable cursors each poll works on a copy, and one that n8n starts right behind another may
 * hold a copy from before the other's events were stored: it would fire them again.
 */
export function rememberHandOver(node: string, from: string): void {
	handedOver.set(node, { from, until: performance.now() + STORED_WITHIN });
}

/** Asked once: the poll after is not held up, should n8n have dropped what was handed over. */
export function isStale(node: string, stored: string): boolean {
	const last = handedOver.get(node);
	handedOver.delete(node);
	return last !== undefined && last.from === stored && performance.now() < last.until;
}
