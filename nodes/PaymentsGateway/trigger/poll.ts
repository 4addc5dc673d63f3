import type { INode, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readParameters } from '../form/read';
import type { Client } from '../gateway/client';
import { createClient } from '../gateway/clients';
import type { Mask } from '../output/mask';
import { maskedError } from '../output/maskError';
import type { WebhookEvent } from '../wire';
import { HOUR } from '../wire/duration';
import { takeBaseline } from './baseline';
import { catchUp } from './catchUp';
import { EventPages } from './eventPages';
import { fields, lookBackHours, maxEventsPerPoll } from './fields';
import { triggerKey } from './keys';
import { isSelected, outputsOf } from './outputs';
import { forgetRefusal, pollError } from './pollError';
import { acquireLease } from './pollLease';
import { isState, startAt } from './state';
import { openStateStore } from './stateStore';

/**
 * One poll, as n8n calls it: form and stored state in, events out. catchUp.ts decides what fires. The
 * order of the steps keeps an event from firing twice:
 *
 * 1. Lease: if another poll of this trigger runs, this one does nothing.
 * 2. Replay: if n8n has not saved the last emission yet, this poll does nothing.
 * 3. Read and decide. An error leaves the state as it was.
 * 4. Lease again: if this poll took so long that another one has taken over, its result is dropped.
 * 5. Save the state and return the events, with no `await` in between.
 */

/** n8n 2.37 and older do not say how long a poll may take. Newer ones abandon a scheduled poll after 45 s. */
const DEFAULT_BUDGET_MS = 45_000;
/** The rest, a tenth, is for saving the state and starting the execution. Chosen, not measured. */
const SHARE_FOR_REQUESTS = 0.9;
/** The 1,000 newest events, or fewer if the gateway refuses pages of 100. */
const MAX_PREVIEW_PAGES = 10;
const FOREIGN_STATE =
	'The stored state belongs to another group or address, or cannot be read: starting from now';

type Settings = ReturnType<typeof readSettings>;

function readSettings(context: IPollFunctions, mask: Mask) {
	const parameters = readParameters(context, fields, 0, mask);
	const { events, outputMode, simplify, startDate, options } = parameters;
	if (events.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			"'Trigger On' is empty: choose at least one event",
		);
	}
	return {
		events,
		isPerEvent: outputMode === 'perEvent',
		isSimple: simplify,
		isSelected: (event: WebhookEvent) => isSelected(events, event),
		lookBackMs: (options.lookBackHours ?? lookBackHours.default) * HOUR,
		maxEvents: options.maxEventsPerPoll ?? maxEventsPerPoll.default,
		// Without the option, or with 0, nothing is skipped.
		skipOlderMs: (options.skipOlderThanHours || Infinity) * HOUR,
		// Epoch milliseconds; undefined unless 'Start From' is a date.
		startDate: startDate === undefined ? undefined : Date.parse(startDate),
	};
}

export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const budgetMs =
		typeof context.getPollBudgetMs === 'function' ? context.getPollBudgetMs() : DEFAULT_BUDGET_MS;
	const deadline = Date.now() + budgetMs * SHARE_FOR_REQUESTS;
	const client = await createClient(context, deadline);
	try {
		const settings = readSettings(context, client.mask);
		if (context.getMode() === 'manual') return await preview(context, settings, client);
		return await pollOnce(context, settings, client, budgetMs);
	} catch (error) {
		throw maskedError(error, client.mask);
	}
}

async function pollOnce(
	context: IPollFunctions,
	settings: Settings,
	client: Client,
	budgetMs: number,
): Promise<INodeExecutionData[][] | null> {
	const node = context.getNode();
	const trigger = triggerKey(context.getWorkflow().id ?? '', node.id);
	const lease = acquireLease(trigger, budgetMs);
	if (lease === undefined) return null;
	try {
		const store = openStateStore(context, trigger);
		if (store.isReplay) return null;
		const decision = await decide(store.state, client, node, settings);
		forgetRefusal(trigger);
		if (!lease.isHeld()) return null;
		for (const warning of decision.warnings) {
			context.logger.warn(`Payments Gateway Trigger: ${warning}`);
		}
		const outputs = outputsOf(decision.events, settings, client.mask);
		store.save(decision.state, outputs !== null);
		return outputs;
	} catch (error) {
		throw pollError(trigger, error);
	} finally {
		lease.release();
	}
}

/**
 * Continues from the stored state. Without one: from the Start Date, else from now. A foreign state
 * starts from now, even with a Start Date.
 */
async function decide(
	stored: unknown,
	client: Client,
	node: INode,
	{ startDate, ...rules }: Settings,
) {
	const isOwn = isState(stored) && stored.merchant === client.scope;
	const pages = new EventPages(client, node, isOwn ? stored.pageSize : undefined);
	if (isOwn) return await catchUp(stored, pages, rules);
	if (stored === null && startDate !== undefined) {
		return await catchUp(startAt(client.scope, startDate), pages, rules);
	}
	return {
		state: await takeBaseline(pages, client.scope, rules.lookBackMs),
		events: [],
		warnings: stored === null ? [] : [FOREIGN_STATE],
	};
}

/** "Fetch Test Event" shows the newest selected event, and changes no state. */
async function preview(
	context: IPollFunctions,
	settings: Settings,
	client: Client,
): Promise<INodeExecutionData[][] | null> {
	const pages = new EventPages(client, context.getNode());
	for (let number = 1; number <= MAX_PREVIEW_PAGES; number++) {
		const { rows, length } = await pages.read(number);
		const newest = rows.find(({ event }) => settings.isSelected(event));
		if (newest !== undefined) return outputsOf([newest.event], settings, client.mask);
		if (length === 0) break;
	}
	throw new NodeOperationError(context.getNode(), 'There is no event to show yet', {
		description:
			"None of the newest events is selected under 'Trigger On'. Select others, or make a payment (in the sandbox, with a test card), and fetch again. The gateway stores the events that it delivers to a webhook endpoint: if no endpoint is registered with it, there may be no events at all. Once the workflow is active, the trigger fires by itself.",
	});
}
