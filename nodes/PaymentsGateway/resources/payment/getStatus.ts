import { number, optionsOf, required, text, toggle } from '../../form/builders';
import { httpStatusOf } from '../../gateway/errors';
import { sleepUntilAborted } from '../../gateway/sleep';
import { operation } from '../../operation/operation';
import type { OperationContext } from '../../operation/operation';
import { dollarsOf, formatMoney } from '../../output/money';
import { jsonOf, textOf, valueAt } from '../../wire/json';
import { eventsOf } from './eventIndex';
import type { PaymentEvent } from './paymentEvent';
import { statusOf } from './status';
import type { Status } from './status';

/**
 * Payment → Get Status: what became of a payment, by its reference. While that has not shown, it can be
 * looked for again and again.
 */

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 10_000;

/** Charge has it too. */
export const lookBackDays = number(
	'Look Back (Days)',
	'lookBackDays',
	30,
	{ minValue: 1, maxValue: 3650 },
	'How far back payments with this reference are looked for',
);

const waitTimeout = number(
	'Wait Timeout (Seconds)',
	'waitTimeout',
	60,
	{ minValue: 1, maxValue: 3600 },
	'How long to wait for the outcome. The output is what shows by then, even if that is nothing.',
);

export const getStatus = operation({
	name: 'Get Status',
	action: 'Get payment status',
	description: 'Find out by its reference whether a payment went through, failed or was refunded',
	fields: [
		required(
			text('Reference ID', 'referenceId', {
				placeholder: 'e.g. INV-1042',
				description: 'Your own reference, as the cart or the paylink carries it',
			}),
		),
		toggle(
			'Wait for Outcome',
			'waitForOutcome',
			'Whether to wait until it shows what became of a payment with this reference',
		),
		optionsOf([lookBackDays, waitTimeout]),
	],
	run: async ({ referenceId: reference, waitForOutcome, options }, work) => {
		const days = options.lookBackDays ?? lookBackDays.default;
		const seconds = waitForOutcome ? (options.waitTimeout ?? waitTimeout.default) : 0;
		const events = await waitForEvents(work, reference, days, seconds);
		const status = statusOf(work, reference, events);
		const { outcome, amount, transactionID, currency, date = null } = status;
		return {
			summary: summaryOf(reference, status),
			referenceID: reference,
			outcome,
			found: outcome !== 'notFound',
			transactionID: transactionID || null,
			amount: amount === undefined ? null : dollarsOf(amount, currency),
			amountFormatted: amount === undefined ? null : formatMoney(amount, currency),
			currency: currency || null,
			date,
			events: events.map(({ shown }) => jsonOf(shown)),
		};
	},
});

/** Looks for events until an outcome shows, or the time is over. */
async function waitForEvents(
	work: OperationContext,
	reference: string,
	days: number,
	seconds: number,
): Promise<PaymentEvent[]> {
	const cancelled = work.context.getExecutionCancelSignal();
	const until = performance.now() + seconds * 1_000;
	const isOver = () => performance.now() >= until || cancelled?.aborted;
	for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
		const events = await eventsOf(work, reference, days).catch((error: unknown) => {
			if (isOver() || isLasting(error)) throw error;
			return undefined;
		});
		if (events && (isOver() || !isOpen(work, reference, events))) return events;
		// Cancelling ends the wait early.
		await sleepUntilAborted(Math.min(wait, until - performance.now()), cancelled);
	}
}

/** Whom the gateway refuses it refuses again, unless it was too busy; so does a wrong credential. */
function isLasting(error: unknown): boolean {
	const cause = textOf(valueAt(error, 'failure.cause'));
	return /^4(?!08|29)/.test(httpStatusOf(error)) || cause.endsWith('-invalid');
}

function isOpen(
	work: OperationContext,
	reference: string,
	events: readonly PaymentEvent[],
): boolean {
	const { outcome } = statusOf(work, reference, events);
	return outcome === 'notFound' || outcome === 'pending';
}

const BECAME: Readonly<Record<Exclude<Status['outcome'], 'notFound' | 'pending'>, string>> = {
	succeeded: 'succeeded',
	partiallyRefunded: 'was refunded in part',
	refunded: 'was refunded',
	returned: 'was returned',
	failed: 'failed',
};

/** One sentence for people. */
function summaryOf(
	reference: string,
	{ outcome, amount, paid = amount, currency, date = '' }: Status,
): string {
	if (outcome === 'notFound') {
		return `No payment found for ${reference}. It may not be paid or settled yet, or the reference is different.`;
	}
	const sum = paid === undefined ? '' : ` of ${formatMoney(paid, currency)}`;
	if (outcome === 'pending') {
		const minute = date.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' at ');
		return `A charge${sum} was sent on ${minute} UTC; its outcome has not shown yet (reference ${reference})`;
	}
	return `Payment${sum} (reference ${reference}) ${BECAME[outcome]}`;
}
