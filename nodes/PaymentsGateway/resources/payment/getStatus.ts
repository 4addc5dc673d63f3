import { sleep } from 'n8n-workflow';

import { lookBackDays } from '../../form/fields/cart';
import { toggle } from '../../form/fields/kinds';
import { optionsOf } from '../../form/fields/options';
import { httpStatusOf } from '../../gateway/errors';
import { operation } from '../../operation/operation';
import type { OperationContext } from '../../operation/operation';
import { simplify } from '../../output/event';
import { formatMoney, majorOf } from '../../output/money';
import { textOf, valueAt } from '../../wire/json';
import { eventsOf } from './lookUp';
import { outcomeOf } from './outcome';
import { inOrder } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';
import { chargesSent, hasFailed, keysOf } from './sentCharges';

/**
 * Payment → Get Status: what a payment came to, by its reference. While nothing shows of it, it can
 * be looked for again and again.
 */

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 10_000;
/** What shows while it is waited for is young. */
const LOOK_BACK_WHILE_WAITING = 1;

export const getStatus = operation({
	name: 'Get Status',
	action: 'Get payment status',
	description: 'Find out by its reference whether a payment went through, failed or was refunded',
	fields: [
		{
			displayName: 'Reference ID',
			name: 'referenceId',
			type: 'string',
			default: '',
			required: true,
			description: 'Your own reference, as the cart or the paylink carries it',
		},
		toggle(
			'Wait for Outcome',
			'waitForOutcome',
			'Whether to wait until an event shows what became of a payment with this reference',
		),
		optionsOf([
			lookBackDays,
			{
				displayName: 'Wait Timeout (Seconds)',
				name: 'waitTimeout',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 3600 },
				default: 60,
				description:
					'How long to wait for the outcome; then what shows is told, perhaps that nothing was found',
			},
		]),
	],
	run: async ({ referenceId: reference, waitForOutcome, options }, work) => {
		const cancelled = work.context.getExecutionCancelSignal();
		const until = performance.now() + (waitForOutcome ? (options.waitTimeout ?? 60) * 1_000 : 0);
		let events: readonly PaymentEvent[] = [];
		let days = options.lookBackDays ?? lookBackDays.default;
		const isOver = () => performance.now() >= until || cancelled?.aborted;
		for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
			let failure: unknown;
			try {
				events = inOrder([...events, ...(await eventsOf(work, reference, days))]);
				days = LOOK_BACK_WHILE_WAITING;
				if (isOver() || !isOpen(work, reference, events)) break;
			} catch (error) {
				failure = error;
			}
			if (failure !== undefined && (isOver() || isLasting(failure))) throw failure;
			// Cancelling ends the wait early.
			await sleep(Math.min(wait, until - performance.now()), cancelled).catch(() => undefined);
		}
		const { outcome, amount, transactionID, currency, date } = outcomeOf(events);
		return {
			referenceID: reference,
			outcome,
			found: outcome !== 'notFound',
			transactionID: transactionID ?? null,
			amount: amount === undefined ? null : majorOf(amount, currency),
			amountFormatted: amount === undefined ? null : formatMoney(amount, currency),
			currency: currency ?? null,
			date: date ?? null,
			events: events.map((each) => simplify(each)),
		};
	},
});

/** Whom the gateway refuses it refuses again, unless it was too busy; so does a wrong credential. */
function isLasting(error: unknown): boolean {
	const cause = textOf(valueAt(error, 'failure.cause'));
	return /^4(?!08|29)/.test(httpStatusOf(error)) || cause.endsWith('-invalid');
}

/**
 * Whether an outcome is yet to come: none shows, or only that an earlier attempt failed than the one
 * that this process has sent.
 */
function isOpen(
	work: OperationContext,
	reference: string,
	events: readonly PaymentEvent[],
): boolean {
	const { outcome, failed } = outcomeOf(events);
	if (outcome !== 'failed') return outcome === 'notFound';
	// By the reference alone.
	const sent = chargesSent(keysOf(work, '', reference), false);
	return sent.some((charge) => !hasFailed(charge, failed));
}
