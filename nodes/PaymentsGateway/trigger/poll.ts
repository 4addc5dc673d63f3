import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { createClient } from '../gateway/merchants';
import { readParameters } from '../form/read';
import { takeBaseline } from './baseline';
import { catchUp } from './catchUp';
import type { Lists } from './catchUp';
import { readCursor, startAt } from './cursor';
import type { Cursor, Decision, Limits } from './cursor';
import { EventList } from './eventList';
import { failedPoll, forgetRefusal } from './failedPoll';
import { fields } from './fields';
import { isChosen, outputsOf } from './outputs';
import type { Choice } from './outputs';
import { Pace } from './pace';
import { endTurn, isHeld, takeTurn } from './pollTurn';
import { isStale, openState, rememberHandOver } from './stateStore';

/**
 * One poll as n8n asks for it: the form and the stored state in, the events that start the workflow
 * out. What is decided on the way is in catchUp.ts and cursor.ts.
 */

const HOUR = 3_600_000;
/** Where n8n does not say how long a poll may take. */
const DEFAULT_BUDGET = 45_000;
/** How much of the budget is used, so that what was read is also handed over in time. */
const SHARE = 0.9;
/** After its deadline a poll sends nothing more. So long after, it is taken to be lost. */
const GRACE = 5_000;
const MOST_PREVIEW_PAGES = 10;
/** So many of the newest rows show whether there is anything new. */
const GLANCE = 10;

interface Settings {
	choice: Choice;
	limits: Limits;
	pageSize: number;
	/** Epoch milliseconds; undefined starts now. */
	startDate?: number;
}

function readSettings(context: IPollFunctions): Settings {
	const form = readParameters(context, fields, 0);
	const { events, outputMode, simplify, startDate, options } = form;
	if (events.length === 0) {
		throw new NodeOperationError(context.getNode(), 'Choose at least one event under Trigger On');
	}
	const { referenceId = '' } = options;
	const choice: Choice = {
		events,
		isPerEvent: outputMode === 'perEvent',
		isSimple: simplify,
		isSensitive: options.includeSensitive ?? false,
		referenceId,
	};
	return {
		choice,
		limits: {
			lookBackMs: (options.lookBackHours ?? 72) * HOUR,
			maxEvents: options.maxEventsPerPoll ?? 1_000,
			isWanted: (event) => isChosen(choice, event),
		},
		pageSize: options.pageSize ?? 100,
		// The form shows the date for Start From: Date alone.
		...(startDate === undefined ? {} : { startDate: Date.parse(startDate) }),
	};
}

function openLists(
	context: IPollFunctions,
	client: Client,
	{ pageSize }: Settings,
	remembered: Cursor['pageSize'],
	deadline: number,
): Lists {
	const pace = new Pace(deadline);
	const open = (size: number) =>
		new EventList(
			size,
			remembered,
			async (page, asked) =>
				await client.attempt(
					'webhookEvents',
					{ page: { page, pageSize: asked, sort: { field: 'date', order: 'desc' } } },
					{ deadline },
				),
			(message, description) =>
				new NodeApiError(context.getNode(), { message }, { message, description }),
			pace,
			client.warn,
		);
	const list = open(pageSize);
	return pageSize > GLANCE ? { list, glance: open(GLANCE) } : { list };
}

/** The newest event as the flow will see it. Nothing is remembered. */
async function preview(
	context: IPollFunctions,
	list: EventList,
	{ choice }: Settings,
	{ mask }: Client,
): Promise<INodeExecutionData[][] | null> {
	for (let page = 1; page <= MOST_PREVIEW_PAGES; page++) {
		const { rows, isLast } = await list.read(page);
		const newest = rows.find(({ event }) => isChosen(choice, event));
		if (newest !== undefined) return outputsOf([newest.event], choice, mask);
		if (isLast) break;
	}
	throw new NodeOperationError(context.getNode(), 'There is no event to show yet', {
		description:
			'None of the newest events is one of those chosen under Trigger On. Choose others, or make a payment (in the sandbox, with a test card), and fetch again. Once the workflow is active, the trigger fires by itself.',
	});
}

export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const settings = readSettings(context);
	// n8n before 2.38 does not say it.
	const allowed =
		typeof context.getPollBudgetMs === 'function' ? context.getPollBudgetMs() : undefined;
	const budget = (allowed ?? DEFAULT_BUDGET) * SHARE;
	const deadline = Date.now() + budget;

	if (context.getMode() === 'manual') {
		const client = await createClient(context, { deadline });
		const { list } = openLists(context, client, settings, undefined, deadline);
		return await preview(context, list, settings, client);
	}

	const node = `${context.getWorkflow().id} ${context.getNode().id}`;
	const turn = takeTurn(node, performance.now() + budget + GRACE);
	if (turn === undefined) {
		context.logger.debug('A poll of this trigger is still under way; the next one goes on');
		return null;
	}
	try {
		const client = await createClient(context, { deadline });
		const state = openState(context);
		if (isStale(node, state.stored)) {
			context.logger.debug('The events of the poll before are still being stored');
			return null;
		}
		const { cursor, events, warnings } = await readEvents(
			client,
			settings,
			readCursor(JSON.parse(state.stored), client.scope),
			(pageSize) => openLists(context, client, settings, pageSize, deadline),
		);
		forgetRefusal(node);
		// Given up for lost meanwhile: another poll has started from the state before this one.
		if (!isHeld(node, turn)) return null;
		for (const warning of warnings) context.logger.warn(`Payments Gateway Trigger: ${warning}`);
		const outputs = outputsOf(events, settings.choice, client.mask);
		// The last thing done, at once and as a whole; an idle poll writes nothing.
		if (!state.isKept(cursor)) state.write(cursor, outputs === null);
		if (outputs !== null) rememberHandOver(node, state.stored);
		return outputs;
	} catch (error) {
		throw failedPoll(node, error);
	} finally {
		endTurn(node, turn);
	}
}

const NEW_START: Readonly<Record<'broken' | 'foreign', string>> = {
	broken: 'The stored state cannot be read; the trigger starts anew from now',
	foreign: 'The stored state is of another group or address; the trigger starts anew from now',
};

async function readEvents(
	{ scope }: Client,
	{ limits, startDate }: Settings,
	stored: ReturnType<typeof readCursor>,
	open: (pageSize?: Cursor['pageSize']) => Lists,
): Promise<Omit<Decision, 'handled'>> {
	if (typeof stored === 'object') return await catchUp(stored, open(stored.pageSize), limits);
	if (stored === 'none' && startDate !== undefined) {
		return await catchUp(startAt(scope, startDate), open(), limits);
	}
	const cursor = await takeBaseline(open().list, scope, limits.lookBackMs);
	return { cursor, events: [], warnings: stored === 'none' ? [] : [NEW_START[stored]] };
}
