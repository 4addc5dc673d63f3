import type { IDataObject } from 'n8n-workflow';

import { hasPassed, isWithin } from '../../events/dateWindow';
import type { DateWindow } from '../../events/dateWindow';
import { carriesReference, parseEvent } from '../../events/facts';
import { runsAgainst, timeOf } from '../../events/order';
import { eventOutput } from '../../events/simplify';
import { date, eventTypeChoices, optionsOf, requiredIfExpression, text } from '../../form/builders';
import { eventTypes, simplify as simplifyField } from '../../form/fields/event';
import {
	filtersBy,
	limit,
	pageWanted,
	returnAll,
	searchTerm,
	sortBy,
} from '../../form/fields/list';
import type { FieldError } from '../../form/fieldError';
import { list, rowsOf } from '../../gateway/list';
import { operation } from '../../operation/operation';
import type { PageRequest, WebhookEvent } from '../../wire';
import { eventType } from '../../wire/event';
import { momentOf } from '../../wire/moment';

/**
 * Gets many webhook events. Types, dates and the reference are checked here for every event, so
 * that the result is right whatever the gateway does with a filter.
 */

const NO_ZONE = "Without a zone, the workflow's timezone applies.";
const FROM = `From this moment on; a date without a time includes that day. ${NO_ZONE}`;
const UNTIL = `Before this moment; a date without a time excludes that day. ${NO_ZONE}`;

const columns = { date: 'Date', eventID: 'Event ID', type: 'Type' };

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many events',
	description: 'Get past payments, refunds and failed payments',
	fields: [
		returnAll,
		limit,
		eventTypeChoices(
			'Event Types',
			'eventTypes',
			eventTypes,
			'Leave empty for all types, even types that are not in this list',
		),
		simplifyField,
		filtersBy(columns, 'type'),
		optionsOf([
			requiredIfExpression(date('Received After', 'receivedAfter', FROM)),
			requiredIfExpression(date('Received Before', 'receivedBefore', UNTIL)),
			requiredIfExpression(
				text('Reference ID', 'referenceId', {
					description: 'Only events that carry exactly this reference',
				}),
			),
			searchTerm,
		]),
		sortBy(columns, 'date'),
	],
	run: async (parameters, { client, fieldError }) => {
		const { simplify, options } = parameters;
		const window = windowOf(options, fieldError);
		const page = pageWanted(parameters);
		// Newest first, so that the reading can end where the window begins.
		if (window !== undefined) page.sort ??= { field: 'date', order: 'desc' };
		const checks = checksOf(parameters.eventTypes, options.referenceId, window);
		const listed = await list<WebhookEvent, IDataObject>({
			client,
			page,
			fetch: async (asked) => await client.call('webhookEvents', { page: asked }),
			id: ({ eventID }) => eventID,
			shape: (event) =>
				checks.every((passes) => passes(event))
					? eventOutput(event, simplify, client.mask)
					: undefined,
			filters: checks.length > 0,
			...(window && { isPast: (rows) => isPast(rows, window, page.sort, fieldError) }),
			// With a window, no page is requested ahead: it may lie past the window.
			strict: window !== undefined,
			limit: parameters.limit,
		});
		return rowsOf(listed, client.warn);
	},
});

/** Undefined if the form has neither date. */
function windowOf(
	dates: { receivedAfter?: string | undefined; receivedBefore?: string | undefined },
	fieldError: FieldError,
): DateWindow | undefined {
	const from = momentOf(dates.receivedAfter) ?? -Infinity;
	const until = momentOf(dates.receivedBefore) ?? Infinity;
	if (from >= until) {
		throw fieldError("'Received After' must be earlier than 'Received Before'");
	}
	return from > -Infinity || until < Infinity ? { from, until } : undefined;
}

/** What this node checks of every event itself, since the gateway may ignore a filter. */
function checksOf(types: readonly string[], reference?: string, window?: DateWindow) {
	const checks: Array<(event: WebhookEvent) => boolean> = [];
	if (types.length > 0) checks.push(({ type }) => types.includes(eventType(type)));
	if (window !== undefined) checks.push((event) => isWithin(window, event));
	if (reference) checks.push((event) => carriesReference(parseEvent(event), reference));
	return checks;
}

/** Whether no event after these rows can be in the window. Throws if they show that the list is not sorted. */
function isPast(
	rows: readonly WebhookEvent[],
	window: DateWindow,
	sort: PageRequest['sort'],
	fieldError: FieldError,
): boolean {
	if (sort?.field !== 'date') return false;
	if (runsAgainst(sort.order, rows.map(timeOf))) {
		throw fieldError(
			'The gateway did not sort the events by date',
			"Leave 'Received After' and 'Received Before' empty, and filter the node's output by 'date'.",
		);
	}
	return hasPassed(window, sort.order, rows);
}
