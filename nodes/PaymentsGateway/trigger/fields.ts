import { optionsOf } from '../form/fields/options';
import { simplifyOutput } from '../form/fields/list';
import type { Field } from '../form/field';
import { shownWhen } from '../form/shownWhen';

/** The trigger's form, in n8n's own words. What it means stands in poll.ts. */

export const events = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	noDataExpression: true,
	required: true,
	default: ['payment_success', 'payment_failed', 'payment_refund'],
	options: [
		{
			name: 'Any Event',
			value: '*',
			description: 'Every event, also of types that are not named here',
		},
		{
			name: 'Payment Failed',
			value: 'payment_failed',
			description: 'A payment was attempted and did not go through',
		},
		{
			name: 'Payment Refunded',
			value: 'payment_refund',
			description: 'A payment was given back to the customer',
		},
		{
			name: 'Payment Succeeded',
			value: 'payment_success',
			description: 'A customer has paid',
		},
	],
} as const satisfies Field;

/**
 * With one event chosen there is nothing to choose: n8n hides a field where every chosen value equals
 * one of these conditions by itself.
 */
const outputMode = {
	displayName: 'Outputs',
	name: 'outputMode',
	type: 'options',
	noDataExpression: true,
	default: 'combined',
	description: 'Whether all events leave by one output, or each chosen event by its own',
	options: [
		{ name: 'One for All Events', value: 'combined' },
		{ name: 'One per Event', value: 'perEvent' },
	],
	displayOptions: {
		hide: {
			events: [
				{ _cnd: { eq: 'payment_success' } },
				{ _cnd: { eq: 'payment_failed' } },
				{ _cnd: { eq: 'payment_refund' } },
				{ _cnd: { eq: '*' } },
			],
		},
	},
} as const satisfies Field;

const movingOutputs = shownWhen(
	{ outputMode: ['perEvent'] },
	{
		displayName:
			"A change of the events under 'Trigger On' moves the outputs. Check what is connected to them afterwards.",
		name: 'movingOutputs',
		type: 'notice',
		default: '',
	},
);

const startFrom = {
	displayName: 'Start From',
	name: 'startFrom',
	type: 'options',
	noDataExpression: true,
	default: 'now',
	description: 'Which events fire first, once the workflow is active for the first time',
	options: [
		{
			name: 'Now',
			value: 'now',
			description: 'Only events that appear after the activation',
		},
		{
			name: 'Date',
			value: 'date',
			description: 'Also the past ones, from a date on',
		},
	],
} as const satisfies Field;

const startDate = shownWhen(
	{ startFrom: ['date'] },
	{
		displayName: 'Start Date',
		name: 'startDate',
		type: 'dateTime',
		required: true,
		default: '',
		description: 'The date and time from which on events fire, inclusive',
	},
);

export const lookBackHours = {
	displayName: 'Look Back (Hours)',
	name: 'lookBackHours',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 4 },
	default: 72,
	description: 'How long after its own date an event may appear in the list and still fire',
} as const satisfies Field;

export const maxEventsPerPoll = {
	displayName: 'Max Events per Poll',
	name: 'maxEventsPerPoll',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 1000,
	description: 'How many events may fire at once. The rest follows with the next polls.',
} as const satisfies Field;

const skipOlderThanHours = {
	displayName: 'Skip Events Older Than (Hours)',
	name: 'skipOlderThanHours',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 4 },
	default: 24,
	description:
		'Events that are older when a poll sees them do not fire, for instance after the workflow was off for a month. Left out, all of them fire.',
} as const satisfies Field;

const options = optionsOf([lookBackHours, maxEventsPerPoll, skipOlderThanHours]);

/** The form, in the order in which it is shown. */
export const fields = [
	events,
	outputMode,
	movingOutputs,
	simplifyOutput,
	startFrom,
	startDate,
	options,
] as const;
