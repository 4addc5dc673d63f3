import { sleep } from 'n8n-workflow';

import { lookBackDays } from '../../form/fields/cart';
import { optionsOf } from '../../form/fields/options';
import { operation } from '../../operation/operation';
import { formatIfWhole } from '../../output/money';
import { eventsOf } from './history';
import { outcomeOf } from './outcome';

/**
 * Payment → Get Status: what became of a payment, by its reference. While it is pending, it can be
 * asked for again and again until it is settled.
 */

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 5_000;

export const getStatus = operation({
	name: 'Get Status',
	action: 'Get the status of a payment',
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
			description: 'Whether to wait while the payment is still pending',
		},
		optionsOf([
			lookBackDays,
			{
				displayName: 'Wait Timeout (Seconds)',
				name: 'waitTimeout',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 3600 },
				default: 60,
				description: 'How long to wait for the outcome before the payment is told as pending',
			},
		]),
	],
	run: async ({ referenceId: reference, waitForOutcome, options }, work) => {
		const cancelled = work.context.getExecutionCancelSignal();
		const until = performance.now() + (options.waitTimeout ?? 60) * 1_000;
		for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
			const days = options.lookBackDays ?? 30;
			const told = await eventsOf(work, reference, days, { mustBeWhole: true });
			const { outcome, amount, transactionID, currency, date } = outcomeOf(told);
			const rest = until - performance.now();
			if (outcome !== 'pending' || !waitForOutcome || rest <= 0 || cancelled?.aborted) {
				return {
					referenceID: reference,
					outcome,
					found: outcome !== 'pending',
					transactionID,
					amount,
					amountFormatted: formatIfWhole(amount, currency ?? ''),
					currency,
					date,
					events: told.map(({ event }) => event),
				};
			}
			// Cancelling ends the wait early, and the loop then ends at once.
			await sleep(Math.min(wait, rest), cancelled).catch(() => undefined);
		}
	},
});
