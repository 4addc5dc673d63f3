import type { IDataObject } from 'n8n-workflow';

import type { WebhookEvent } from '../../wire';
import {
	filtersBy,
	limit,
	returnAll,
	searchTerm,
	simplifyOutput,
	sortBy,
} from '../../form/fields/list';
import { optionsOf } from '../../form/fields/options';
import { operation } from '../../operation/operation';
import { list, rowsOf } from '../../gateway/list';
import { pageWanted } from '../../form/pageRequest';
import { isAbout, shaped, unfold } from '../../output/event';
import { eventType } from '../../wire/event';
import { momentOf } from '../../wire/moment';
import { endsBeyond, isWithin, runsAgainst } from './dates';

/**
 * Gets many webhook events. Types, dates and the reference are checked here for every event, so
 * that the result is right whatever the gateway does with a filter.
 */

const known = [
	{ name: 'Date', value: 'date' },
	{ name: 'Event ID', value: 'eventID' },
	{ name: 'Type', value: 'type' },
] as const;

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many events',
	description: 'Get past payments, refunds and failed payments',
	fields: [
		returnAll,
		limit,
		{
			displayName: 'Event Types',
			name: 'eventTypes',
			type: 'multiOptions',
			default: [],
			description: 'Leave it empty for all, also those that are not in this list',
			options: [
				{ name: 'Payment Failed', value: 'payment_failed' },
				{ name: 'Payment Refunded', value: 'payment_refund' },
				{ name: 'Payment Succeeded', value: 'payment_success' },
			],
		},
		simplifyOutput,
		filtersBy(known, 'type'),
		optionsOf([
			{
				displayName: 'Received After',
				name: 'receivedAfter',
				type: 'dateTime',
				typeOptions: { mustBeFound: true },
				default: '',
				description:
					"From this moment on; a date without a time begins with that day. Without a zone, in the workflow's timezone.",
			},
			{
				displayName: 'Received Before',
				name: 'receivedBefore',
				type: 'dateTime',
				typeOptions: { mustBeFound: true },
				default: '',
				description:
					"Before this moment; a date without a time leaves that day out. Without a zone, in the workflow's timezone.",
			},
			{
				displayName: 'Reference ID',
				name: 'referenceId',
				type: 'string',
				typeOptions: { mustBeFound: true },
				default: '',
				description: 'Only events that carry exactly this reference',
			},
			searchTerm,
		]),
		sortBy(known, 'date'),
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
			(reference === '' || isAbout(unfold(event), reference));

		const page = pageWanted(parameters, work);
		// Newest first, so that the reading can end where the window begins.
		if (hasWindow) page.sort ??= { field: 'date', order: 'desc' };
		const { field, order } = page.sort ?? {};
		const isPast = (rows: readonly WebhookEvent[]) => {
			if (!hasWindow || field !== 'date' || order === undefined) return false;
			if (runsAgainst(order, rows)) {
				throw fieldError(
					'The gateway did not sort the events by date',
					"Leave 'Received After' and 'Received Before' empty, and filter what comes by 'date'.",
				);
			}
			return endsBeyond(window, order, rows);
		};
		const listed = await list<WebhookEvent, IDataObject>({
			client,
			page,
			fetch: async (asked) => await client.call('webhookEvents', { page: asked }),
			id: ({ eventID }) => eventID,
			shape: (event) => (isWanted(event) ? shaped(event, simplify) : undefined),
			filters: types.length > 0 || hasWindow || reference !== '',
			// Where it is given, nobody knows how many pages are wanted.
			...(hasWindow && { isPast }),
			limit: parameters.limit,
		});
		return rowsOf(listed, client.warn);
	},
});
