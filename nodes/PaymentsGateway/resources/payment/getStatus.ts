import { lookUpPayment, statusOf } from '../../charge/paymentStatus';
import type { PaymentStatus } from '../../charge/paymentStatus';
import { money, number, optionsOf, required, text, toggle } from '../../form/builders';
import { httpStatusOf } from '../../gateway/errors';
import { sleepUntilAborted } from '../../gateway/sleep';
import { operation } from '../../operation/operation';
import type { OperationContext } from '../../operation/operation';
import { CART_CURRENCY, formatMoney, majorUnitsOf } from '../../output/money';
import { jsonOf, textOf, valueAt } from '../../wire/json';

/** Payment → Get Status: what became of a payment, by its reference. It can wait for the outcome. */

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 10_000;

/** Charge has this field, too. */
export const lookBackDays = number(
	'Look Back (Days)',
	'lookBackDays',
	30,
	{ minValue: 1, maxValue: 3650 },
	'How many days back to look for payments with the reference',
);

const waitTimeout = number(
	'Wait Timeout (Seconds)',
	'waitTimeout',
	60,
	{ minValue: 1, maxValue: 3600 },
	'How long to wait for the outcome. The output is what is known by then, if anything.',
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
		money(
			'Expected Amount (Dollars)',
			'expectedAmount',
			'dollars',
			'What should have been paid. The output then shows whether it was, and the difference.',
		),
		toggle(
			'Wait for Outcome',
			'waitForOutcome',
			'Whether to wait until a payment with this reference has an outcome',
		),
		optionsOf([lookBackDays, waitTimeout]),
	],
	run: async ({ referenceId, expectedAmount, waitForOutcome, options }, ctx) => {
		const days = options.lookBackDays ?? lookBackDays.default;
		const seconds = waitForOutcome ? (options.waitTimeout ?? waitTimeout.default) : 0;
		const status = await waitForStatus(ctx, referenceId, { days, seconds });
		const { outcome, amount, transactionID, currency, date = null, events, payments } = status;
		const difference = differenceFrom(expectedAmount, status);
		return {
			summary: summaryOf(referenceId, status),
			referenceID: referenceId,
			outcome,
			found: outcome !== 'notFound',
			matches: difference === null ? null : difference === 0,
			difference,
			payments,
			transactionID: transactionID || null,
			amount: amount === undefined ? null : majorUnitsOf(amount, currency),
			amountFormatted: amount === undefined ? null : formatMoney(amount, currency),
			currency: currency || null,
			date,
			events: events.map(({ json }) => jsonOf(json)),
		};
	},
});

/**
 * How many dollars were paid beyond what was expected; negative if less. null if nothing was
 * expected, if no payment shows, if the outcome is pending, or if the amount is unknown or not in
 * dollars.
 */
function differenceFrom(
	expected: number | undefined,
	{ outcome, amount, currency }: PaymentStatus,
): number | null {
	if (expected === undefined || outcome === 'notFound' || outcome === 'pending') return null;
	const isPaid = outcome !== 'failed' && outcome !== 'returned';
	// `amount` is less refunds; the status's `paid` is not.
	const received = isPaid ? amount : 0;
	const isDollars = !isPaid || currency === '' || currency === CART_CURRENCY;
	return received === undefined || !isDollars ? null : majorUnitsOf(received - expected);
}

/** Looks the reference up until an outcome shows, the time is over or the execution is cancelled. */
async function waitForStatus(
	ctx: OperationContext,
	referenceId: string,
	{ days, seconds }: Record<'days' | 'seconds', number>,
): Promise<PaymentStatus> {
	const cancelled = ctx.context.getExecutionCancelSignal();
	const deadline = performance.now() + seconds * 1_000;
	const isOver = () => performance.now() >= deadline || cancelled?.aborted;
	for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
		const shown = await lookUpPayment(ctx, referenceId, days).catch((error: unknown) => {
			if (isOver() || isPermanent(error)) throw error;
			return undefined;
		});
		const status = shown && statusOf(ctx, referenceId, shown);
		if (status && (isOver() || isSettled(status))) return status;
		// Cancelling the execution ends the pause early.
		await sleepUntilAborted(Math.min(pause, deadline - performance.now()), cancelled);
	}
}

/**
 * 4xx errors are permanent, except 408 and 429. So are a wrong credential and a wrong configuration,
 * such as an address that n8n blocks.
 */
function isPermanent(error: unknown): boolean {
	const cause = textOf(valueAt(error, 'failure.cause'));
	return /^4(?!08|29)/.test(httpStatusOf(error)) || cause.endsWith('-invalid');
}

function isSettled({ outcome }: PaymentStatus): boolean {
	return outcome !== 'notFound' && outcome !== 'pending';
}

const PHRASES = {
	succeeded: 'succeeded',
	partiallyRefunded: 'was refunded in part',
	refunded: 'was refunded',
	returned: 'was returned',
	failed: 'failed',
};

/** One sentence for people. A failed or pending payment has no `paid`: the sum is what was tried. */
function summaryOf(
	referenceId: string,
	{ outcome, amount, paid = amount, currency, payments, date = '' }: PaymentStatus,
): string {
	if (outcome === 'notFound') {
		return `No payment found for ${referenceId}. It may not be paid or settled yet, or the reference is different.`;
	}
	const sum = paid === undefined ? '' : ` of ${formatMoney(paid, currency)}`;
	if (outcome === 'pending') {
		const minute = date.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' at ');
		return `A charge${sum} was sent on ${minute} UTC; its outcome is not known yet (reference ${referenceId})`;
	}
	const times = payments > 1 ? `${payments} payments, ` : '';
	return `Payment${sum} (${times}reference ${referenceId}) ${PHRASES[outcome]}`;
}
