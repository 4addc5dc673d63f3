import {
	choice,
	choices,
	date,
	number,
	optionsOf,
	required,
	shownWhen,
	withoutExpression,
} from '../form/builders';
import { eventTypes, simplify } from '../form/fields/event';

/** The trigger's form, in n8n's own words. What it means stands in poll.ts. */

export const events = {
	...required(
		withoutExpression(choices('Trigger On', 'events', { '*': 'Any Event', ...eventTypes })),
	),
	default: ['payment_success', 'payment_failed', 'payment_refund'],
} as const;

const outputMode = withoutExpression(
	choice(
		'Outputs',
		'outputMode',
		{ combined: 'One for All Events', perEvent: 'One per Event' },
		"Whether all events leave by one output, or each chosen event by its own. A change under 'Trigger On' then moves the outputs: check what is connected to them.",
	),
);

const startFrom = withoutExpression(
	choice(
		'Start From',
		'startFrom',
		{ now: 'Now', date: 'Date' },
		'Which events fire first, once the workflow is active: only those that appear after the activation, or also the past ones from a date on',
	),
);

const startDate = required(
	date('Start Date', 'startDate', 'The date and time from which on events fire, inclusive'),
);

export const lookBackHours = number(
	'Look Back (Hours)',
	'lookBackHours',
	72,
	{ minValue: 0, numberPrecision: 4 },
	'How long after its own date an event may appear in the list and still fire',
);

export const maxEventsPerPoll = number(
	'Max Events per Poll',
	'maxEventsPerPoll',
	1000,
	{ minValue: 1, numberPrecision: 0 },
	'How many events may fire at once. The rest follows with the next polls.',
);

const skipOlderThanHours = number(
	'Skip Events Older Than (Hours)',
	'skipOlderThanHours',
	24,
	{ minValue: 0, numberPrecision: 4 },
	'Events that are older when a poll sees them do not fire, for instance after the workflow was off for a month. Without this option, or with 0, events of any age fire.',
);

export const fields = [
	events,
	outputMode,
	simplify,
	startFrom,
	shownWhen({ startFrom: ['date'] }, startDate),
	optionsOf([lookBackHours, maxEventsPerPoll, skipOlderThanHours]),
] as const;
