import type { IDataObject } from 'n8n-workflow';

import { hasPassed, isWithin } from '../../events/dateWindow';
import { carriesReference, parseEvent } from '../../events/facts';
import { datesOf, runsAgainst } from '../../events/order';
import { eventOutput } from '../../events/simplify';
import { choices, date, optionsOf, text } from '../../form/builders';
import { eventTypes, simplify } from '../../form/fields/event';
import {
	filtersBy,
	limit,
	pageWanted,
	returnAll,
	searchTerm,
	sortBy,
} from '../../form/fields/list';
import { list, rowsOf } from '../../gateway/list';
import { operation } from '../../operation/operation';
import type { WebhookEvent } from '../../wire';
import { eventType } from '../../wire/event';
import { momentOf } from '../../wire/moment';

/**
 * Gets many webhook events. Types, dates and the reference are checked here for every event, so
 * that the result is right whatever the gateway does with a filter.
 */

const columns = { date: 'Date', eventID: 'Event ID', type: 'Type' };

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many events',
	description: 'Get past payments, refunds and failed payments',
	fields: [
		returnAll,
		limit,
		choices(
			'Event Types',
			'eventTypes',
			eventTypes,
			'Leave it empty for all, also those that are not in this list',
		),
		simplify,
		filtersBy(columns, 'type'),
		optionsOf([
			date(
				'Received After',
				'receivedAfter',
				"From this moment on; a date without a time begins with that day. Without a zone, in the workflow's timezone.",
			),
			date(
				'Received Before',
				'receivedBefore',
				"Before this moment; a date without a time leaves that day out. Without a zone, in the workflow's timezone.",
			),
			text('Reference ID', 'referenceId', {
				description: 'Only events that carry exactly this reference',
			}),
			searchTerm,
		]),
		sortBy(columns, 'date'),
	],
	run: async (parameters, work) => {
		const { client, fieldError } = work;
		const { eventTypes, simplify, options } = parameters;
		const { referenceId: reference = '' } = options;
		const after = momentOf(options.receivedAfter) ?? -Infinity;
		const before = momentOf(options.receivedBefore) ?? Infinity;
		if (after >= before) {
			throw fieldError("'Received After' must be earlier than 'Received Before'");
		}
		const hasWindow = after > -Infinity || before < Infinity;
		const window = { after, before };
		const types: readonly string[] = eventTypes;
		const isWanted = (event: WebhookEvent) =>
			(types.length === 0 || types.includes(eventType(event.type))) &&
			(!hasWindow || isWithin(window, event)) &&
			(reference === '' || carriesReference(parseEvent(event), reference));

		const page = pageWanted(parameters, work);
		// Newest first, so that the reading can end where the window begins.
		if (hasWindow) page.sort ??= { field: 'date', order: 'desc' };
		const { field, order } = page.sort ?? {};
		const isPast = (rows: readonly WebhookEvent[]) => {
			if (!hasWindow || field !== 'date' || order === undefined) return false;
			if (runsAgainst(order, datesOf(rows))) {
				throw fieldError(
					'The gateway did not sort the events by date',
					"Leave 'Received After' and 'Received Before' empty, and filter what comes by 'date'.",
				);
			}
			return hasPassed(window, order, rows);
		};
		const listed = await list<WebhookEvent, IDataObject>({
			client,
			page,
			fetch: async (asked) => await client.call('webhookEvents', { page: asked }),
			id: ({ eventID }) => eventID,
			shape: (event) => (isWanted(event) ? eventOutput(event, simplify) : undefined),
			filters: types.length > 0 || hasWindow || reference !== '',
			// Where it is given, nobody knows how many pages are wanted.
			...(hasWindow && { isPast }),
			limit: parameters.limit,
		});
		return rowsOf(listed, client.warn);
	},
});
