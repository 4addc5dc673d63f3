import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { createClient } from '../gateway/merchants';
import { readParameters } from '../form/read';
import type { WebhookEvent } from '../wire';
import { takeBaseline } from './baseline';
import { catchUp } from './catchUp';
import type { Decision } from './catchUp';
import { EventPages } from './eventPages';
import type { Surroundings } from './eventPages';
import { failedPoll, forgetRefusal } from './failedPoll';
import { fields, lookBackHours, maxEventsPerPoll } from './fields';
import { isChosen, outputsOf } from './outputs';
import { holdBack, rememberHandOver, takeTurn } from './pollTurn';
import { isState, startAt } from './state';
import { openState } from './stateStore';

/**
 * One poll as n8n asks for it: the form and the stored state in, the events that start the workflow
 * out. What is decided on the way is in catchUp.ts.
 */

const HOUR = 3_600_000;
/** Where n8n does not say how long a poll may take, as before 2.38. */
const DEFAULT_BUDGET = 45_000;
/** How much of the budget is used, so that what was read is also handed over in time. */
const SHARE = 0.9;
const MOST_PREVIEW_PAGES = 10;
const NOT_OWN =
	'The stored state is of another group or address, or cannot be read; the trigger starts anew from now';

type Settings = ReturnType<typeof readSettings>;

function readSettings(context: IPollFunctions) {
	const { events, outputMode, simplify, startDate, options } = readParameters(context, fields, 0);
	if (events.length === 0) {
		throw new NodeOperationError(context.getNode(), "Choose at least one event under 'Trigger On'");
	}
	return {
		events,
		isPerEvent: outputMode === 'perEvent',
		isSimple: simplify,
		isWanted: (event: WebhookEvent) => isChosen(events, event),
		lookBackMs: (options.lookBackHours ?? lookBackHours.default) * HOUR,
		maxEvents: options.maxEventsPerPoll ?? maxEventsPerPoll.default,
		// The option begins with 24. Without it, or with 0, nothing is skipped.
		skipOlderMs: (options.skipOlderThanHours || Infinity) * HOUR,
		// Epoch milliseconds. The form shows the date for Start From: Date alone.
		startDate: startDate === undefined ? undefined : Date.parse(startDate),
	};
}

export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const settings = readSettings(context);
	const budget =
		typeof context.getPollBudgetMs === 'function' ? context.getPollBudgetMs() : DEFAULT_BUDGET;
	const deadline = Date.now() + budget * SHARE;
	if (context.getMode() === 'manual') return await preview(context, settings, deadline);

	const node = `${context.getWorkflow().id} ${context.getNode().id}`;
	// A poll that lasts longer is taken to be lost.
	const turn = takeTurn(node, performance.now() + budget);
	if (turn === undefined) return null;
	try {
		// In the turn: whatever n8n starts meanwhile, with a copy of the same state, finds it taken.
		const client = await createClient(context, deadline);
		const store = openState(context);
		if (holdBack(node, store.inN8n)) return null;
		const { state, events, warnings } = await decide(
			JSON.parse(store.latest),
			surroundingsOf(context, client, deadline),
			client.scope,
			settings,
		);
		forgetRefusal(node);
		// Given up for lost meanwhile: another poll has started from the state before this one.
		if (!turn.isHeld()) return null;
		for (const warning of warnings) context.logger.warn(`Payments Gateway Trigger: ${warning}`);
		const outputs = outputsOf(events, settings, client.mask);
		// The last thing done, at once and as a whole.
		store.write(state, outputs !== null);
		if (outputs !== null) rememberHandOver(node, store.inN8n);
		return outputs;
	} catch (error) {
		throw failedPoll(node, error);
	} finally {
		turn.end();
	}
}

async function decide(
	stored: unknown,
	surroundings: Surroundings,
	merchant: string,
	{ startDate, ...limits }: Settings,
): Promise<Decision> {
	const isOwn = isState(stored) && stored.merchant === merchant;
	const begun = startDate === undefined ? undefined : startAt(merchant, startDate);
	const known = isOwn ? stored : stored === null ? begun : undefined;
	const pages = new EventPages(surroundings, known?.pageSize);
	if (known !== undefined) return await catchUp(known, pages, limits);
	const state = await takeBaseline(pages, merchant, limits.lookBackMs);
	return { state, events: [], warnings: stored === null ? [] : [NOT_OWN] };
}

function surroundingsOf(context: IPollFunctions, client: Client, deadline: number): Surroundings {
	return {
		ask: async (page, size) => {
			const result = await client.attempt('webhookEvents', {
				page: { page, pageSize: size, sort: { field: 'date', order: 'desc' } },
			});
			if ('error' in result) throw result.error;
			return result.reply;
		},
		deadline,
		errorOf: (message, description) =>
			new NodeApiError(context.getNode(), { message }, { message, description }),
		warn: client.warn,
	};
}

/** The newest event as the flow will see it. Nothing is remembered. */
async function preview(
	context: IPollFunctions,
	settings: Settings,
	deadline: number,
): Promise<INodeExecutionData[][] | null> {
	const client = await createClient(context, deadline);
	const pages = new EventPages(surroundingsOf(context, client, deadline));
	for (let number = 1; number <= MOST_PREVIEW_PAGES; number++) {
		const { rows, length } = await pages.read(number);
		const newest = rows.find(({ event }) => settings.isWanted(event));
		if (newest !== undefined) return outputsOf([newest.event], settings, client.mask);
		if (length === 0) break;
	}
	throw new NodeOperationError(context.getNode(), 'There is no event to show yet', {
		description:
			"None of the newest events is one of those chosen under 'Trigger On'. Choose others, or make a payment (in the sandbox, with a test card), and fetch again. The gateway stores the events that it delivers to a webhook endpoint: where none is registered with it, there may be no events at all. Once the workflow is active, the trigger fires by itself.",
	});
}
