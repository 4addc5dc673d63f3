import { sleep } from 'n8n-workflow';

import { lookBackDays } from '../../form/fields/cart';
import { optionsOf } from '../../form/fields/options';
import { statusOf } from '../../gateway/errors';
import { operation } from '../../operation/operation';
import type { Work } from '../../operation/operation';
import { simplify } from '../../output/event';
import { formatMoney, majorOf } from '../../output/money';
import { eventsOf } from './lookUp';
import { inOrder, outcomeOf } from './outcome';
import type { Told } from './outcome';
import { chargesSent, hasFailed, keysOf } from './sentCharges';

/**
 * Payment → Get Status: what a payment came to, by its reference. While nothing shows of it, it can
 * be looked for again and again.
 */

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 10_000;
/** What shows while it is waited for is young. */
const LOOK_BACK_WHILE_WAITING = 1;
/** Whom the service refuses it refuses again, unless it was too busy. */
const REFUSED = /^4(?!08|29)/;

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
		{
			displayName: 'Wait for Outcome',
			name: 'waitForOutcome',
			type: 'boolean',
			default: false,
			description: 'Whether to wait while no event shows a payment with this reference',
		},
		optionsOf([
			lookBackDays,
			{
				displayName: 'Wait Timeout (Seconds)',
				name: 'waitTimeout',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 3600 },
				default: 60,
				description: 'How long to wait for the outcome before the payment is told as not found',
			},
		]),
	],
	run: async ({ referenceId: reference, waitForOutcome, options }, work) => {
		const cancelled = work.context.getExecutionCancelSignal();
		const until = performance.now() + (waitForOutcome ? (options.waitTimeout ?? 60) * 1_000 : 0);
		let told = await eventsOf(work, reference, options.lookBackDays ?? lookBackDays.default);
		let failure: unknown;
		for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
			const rest = until - performance.now();
			if (!isOpen(work, reference, told) || rest <= 0) break;
			// Cancelling ends the wait early.
			await sleep(Math.min(wait, rest), cancelled).catch(() => undefined);
			if (cancelled?.aborted) break;
			try {
				told = inOrder([...told, ...(await eventsOf(work, reference, LOOK_BACK_WHILE_WAITING))]);
				failure = undefined;
			} catch (error) {
				failure = error;
				if (REFUSED.test(String(statusOf(error)))) break;
			}
		}
		if (failure !== undefined) throw failure;
		const { outcome, amount, transactionID, currency, date } = outcomeOf(told);
		return {
			referenceID: reference,
			outcome,
			found: outcome !== 'notFound',
			transactionID: transactionID ?? null,
			amount: amount === undefined ? null : majorOf(amount, currency ?? ''),
			amountFormatted: amount === undefined ? null : formatMoney(amount, currency ?? ''),
			currency: currency ?? null,
			date: date ?? null,
			events: told.map(simplify),
		};
	},
});

/**
 * Whether an outcome is yet to come: none shows, or only that an earlier attempt failed than the one
 * that this process has sent.
 */
function isOpen(work: Work, reference: string, told: readonly Told[]): boolean {
	const { outcome, failedAt } = outcomeOf(told);
	if (outcome !== 'failed') return outcome === 'notFound';
	const sent = chargesSent(keysOf(work, '', reference), false);
	return sent.some((charge) => !hasFailed(charge, failedAt));
}
