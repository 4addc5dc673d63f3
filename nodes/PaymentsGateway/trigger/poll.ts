import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { createClient } from '../gateway/merchants';
import { readParameters } from '../form/read';
import { catchUp, takeBaseline } from './catchUp';
import { readCursor, startAt } from './cursor';
import type { Cursor, Limits } from './cursor';
import { EventList } from './eventList';
import { fields } from './fields';
import { isChosen, outputsOf } from './outputs';
import type { Choice } from './outputs';
import { Pace } from './pace';
import {
	endTurn,
	forgetBaseline,
	isHeld,
	isStale,
	recallBaseline,
	rememberBaseline,
	rememberHandOver,
	takeTurn,
} from './memory';

const HOUR = 3_600_000;
/** Where n8n does not say how long a poll may take. */
const DEFAULT_BUDGET = 45_000;
/** Of the budget, so that what was read is also handed over in time. */
const SHARE = 0.9;
/** After its deadline a poll sends nothing more; by then it is lost. */
const GRACE = 5_000;
const MOST_PREVIEW_PAGES = 10;
const LONGEST_DURABLE = 60_000;

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
	const choice: Choice = {
		events,
		isPerEvent: outputMode === 'perEvent',
		isSimple: simplify,
		isSensitive: options.includeSensitive ?? false,
		referenceId: options.referenceId ?? '',
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

function openList(
	context: IPollFunctions,
	client: Client,
	settings: Settings,
	remembered: Cursor['pageSize'],
	deadline: number,
): EventList {
	return new EventList(
		settings.pageSize,
		remembered,
		async (page, pageSize) =>
			await client.attempt(
				'webhookEvents',
				{ page: { page, pageSize, sort: { field: 'date', order: 'desc' } } },
				{ deadline },
			),
		(message, description) =>
			new NodeApiError(context.getNode(), { message }, { message, description }),
		new Pace(deadline),
		client.warn,
	);
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
	// The engine with durable cursors gives a poll less than a minute, the default one five.
	const isDurable = allowed !== undefined && allowed < LONGEST_DURABLE;

	if (context.getMode() === 'manual') {
		const client = await createClient(context, { deadline });
		const list = openList(context, client, settings, undefined, deadline);
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
		const data = context.getWorkflowStaticData('node');
		const stored = JSON.stringify(data.cursor ?? null);
		if (isDurable && isStale(node, stored)) {
			context.logger.debug('The events of the poll before are still being stored');
			return null;
		}
		const { cursor, events, warnings } = await advance(
			context,
			client,
			settings,
			readCursor(JSON.parse(stored), client.scope),
			`${node} ${client.scope}`,
			deadline,
		);
		// Given up for lost meanwhile: another poll has started from the state before this one.
		if (!isHeld(node, turn)) return null;
		for (const warning of warnings) context.logger.warn(`Payments Gateway Trigger: ${warning}`);
		const outputs = outputsOf(events, settings.choice, client.mask);
		// The last thing done, at once and as a whole; an idle poll writes nothing.
		if (JSON.stringify(cursor) !== stored) data.cursor = { ...cursor } as unknown as IDataObject;
		if (isDurable && outputs !== null) rememberHandOver(node, stored);
		return outputs;
	} finally {
		endTurn(node, turn);
	}
}

async function advance(
	context: IPollFunctions,
	client: Client,
	settings: Settings,
	stored: ReturnType<typeof readCursor>,
	key: string,
	deadline: number,
) {
	const open = (cursor?: Cursor) => openList(context, client, settings, cursor?.pageSize, deadline);
	if (typeof stored === 'object') {
		forgetBaseline(key);
		return await catchUp(stored, open(stored), settings.limits);
	}
	const warnings: string[] = [];
	if (stored === 'broken') warnings.push('The stored state cannot be read; it starts anew');
	if (stored === 'foreign') {
		warnings.push('The stored state is of another group or address; it starts anew');
	}
	const remembered =
		settings.startDate === undefined ? recallBaseline(key) : startDate(client, settings.startDate);
	if (remembered === undefined) {
		const cursor = await takeBaseline(open(), client.scope, settings.limits);
		rememberBaseline(key, cursor);
		return { cursor, events: [], warnings };
	}
	const decision = await catchUp(remembered, open(remembered), settings.limits);
	return { ...decision, warnings: [...warnings, ...decision.warnings] };
}

function startDate({ scope }: Client, floor: number): Cursor {
	const now = Date.now();
	return startAt(scope, floor, { service: now, local: now });
}
