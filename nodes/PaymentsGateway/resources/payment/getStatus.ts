import { sleep } from 'n8n-workflow';

import { keysOf } from '../../charge/keys';
import { chargesSent, hasFailed } from '../../charge/sentCharges';
import { number, optionsOf, required, text, toggle } from '../../form/builders';
import { httpStatusOf } from '../../gateway/errors';
import { operation } from '../../operation/operation';
import type { OperationContext } from '../../operation/operation';
import { dollarsOf, formatMoney } from '../../output/money';
import { jsonOf, textOf, valueAt } from '../../wire/json';
import { eventsOf } from './eventIndex';
import { outcomeOf } from './outcome';
import type { Outcome, Settled } from './outcome';
import type { PaymentEvent } from './paymentEvent';

/**
 * Payment → Get Status: what a payment came to, by its reference. While nothing shows of it, it can
 * be looked for again and again.
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
	'How long to wait for the outcome; then what shows is told, perhaps that nothing was found',
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
			'Whether to wait until an event shows what became of a payment with this reference',
		),
		optionsOf([lookBackDays, waitTimeout]),
	],
	run: async ({ referenceId: reference, waitForOutcome, options }, work) => {
		const days = options.lookBackDays ?? lookBackDays.default;
		const seconds = waitForOutcome ? (options.waitTimeout ?? waitTimeout.default) : 0;
		const events = await waitForEvents(work, reference, days, seconds);
		const settled = outcomeOf(events);
		const { outcome, amount, transactionID, currency, date = null } = settled;
		return {
			summary: summaryOf(reference, settled),
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
		await sleep(Math.min(wait, until - performance.now()), cancelled).catch(() => undefined);
	}
}

/** Whom the gateway refuses it refuses again, unless it was too busy; so does a wrong credential. */
function isLasting(error: unknown): boolean {
	const cause = textOf(valueAt(error, 'failure.cause'));
	return /^4(?!08|29)/.test(httpStatusOf(error)) || cause.endsWith('-invalid');
}

/** None shows, or only that an earlier attempt failed than the one that this process has sent. */
function isOpen(
	work: OperationContext,
	reference: string,
	events: readonly PaymentEvent[],
): boolean {
	const { outcome, failures } = outcomeOf(events);
	if (outcome !== 'failed') return outcome === 'notFound';
	// By the reference alone.
	const sent = chargesSent(keysOf(work, '', reference), false);
	return sent.some((charge) => !hasFailed(charge, failures));
}

const BECAME: Readonly<Record<Exclude<Outcome, 'notFound'>, string>> = {
	succeeded: 'succeeded',
	partiallyRefunded: 'was refunded in part',
	refunded: 'was refunded',
	returned: 'was returned',
	failed: 'failed',
};

/** One sentence for people. */
function summaryOf(reference: string, { outcome, amount, paid = amount, currency }: Settled) {
	if (outcome === 'notFound') {
		return `Nothing shows of ${reference}: not paid yet, or another reference`;
	}
	const sum = paid === undefined ? '' : ` of ${formatMoney(paid, currency)}`;
	return `Payment${sum} (reference ${reference}) ${BECAME[outcome]}`;
}
