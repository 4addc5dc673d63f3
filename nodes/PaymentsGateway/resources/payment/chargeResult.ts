import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { LockResult } from '../../charge/chargeLock';
import type { Due, SentCharge } from '../../charge/sentCharges';
import type { PaymentOutcome } from '../../events/outcome';
import type { Attempt } from '../../gateway/client';
import { gatewayWords } from '../../gateway/errors';
import type { OperationContext } from '../../operation/operation';
import { CART_CURRENCY, dollarsOf, formatDollars, formatMoney } from '../../output/money';
import type { Answer, Data } from '../../wire';
import { isCaptured, isDeclined } from '../../wire/payment';

/**
 * Says what came of a charge: its result, or the error that tells what is known and what to do. An
 * answer is read by its status alone; the gateway's words are shown and not interpreted.
 */

type Answered = Attempt<Answer<'createTokenizedManualEntry'>>;
type Paid = Pick<PaymentOutcome, 'paid' | 'refunded' | 'currency' | 'transactionID'>;
export type ChargeResult = ReturnType<typeof resultFrom>;

/** The output of a charge. `charged` is null where the gateway has yet to settle it. */
function resultFrom(
	{ client }: OperationContext,
	{ referenceID }: Due,
	{ paid, refunded, currency, transactionID }: Paid,
	charged: boolean | null,
	[outcome, status]: readonly [string, string],
) {
	const paidIn = currency || CART_CURRENCY;
	const dollars = (cents?: number) => (cents === undefined ? null : dollarsOf(cents, paidIn));
	return {
		charged,
		outcome,
		// null if nobody knows it, as with several currencies. It is never the amount of the cart.
		amount: dollars(paid),
		amountFormatted: paid === undefined ? null : formatMoney(paid, paidIn),
		...(refunded !== 0 && { refunded: dollars(refunded) }),
		transactionID: transactionID || null,
		status,
		referenceID,
		environment: client.environment,
	};
}

/** What a charge that this process has sent amounts to. */
export function paidBy({ total, transactionID = '' }: SentCharge): Paid {
	return { paid: total, refunded: 0, currency: CART_CURRENCY, transactionID };
}

/** Of a charge that this process has made: it is charged, or the gateway has yet to settle it. */
export function resultOf(work: OperationContext, sent: SentCharge): ChargeResult {
	const { state, status = '' } = sent;
	return resultFrom(work, sent, paidBy(sent), state === 'charged' || null, [state, status]);
}

const NOT_AGAIN = {
	succeeded: ['alreadyPaid', 'ALREADY_PAID'],
	partiallyRefunded: ['alreadyPaid', 'ALREADY_PAID'],
	refunded: ['refunded', 'REFUNDED'],
	returned: ['returned', 'RETURNED'],
} as const;

/** Of a payment that went through before: it is not made again, whatever has become of it since. */
export function notAgain(
	work: OperationContext,
	due: Due,
	became: keyof typeof NOT_AGAIN,
	payment: Paid,
): ChargeResult {
	const told = resultFrom(work, due, payment, false, NOT_AGAIN[became]);
	// Nothing shows that an unknown amount differs.
	if (payment.paid === undefined || payment.paid === due.total) return told;
	throw work.fieldError(
		`Nothing more was charged: ${told.amountFormatted} was paid for the reference "${due.referenceID}" already, and this cart costs ${formatDollars(due.total)}`,
		'Look with Payment → Get Status at what was paid. Use a new reference only for another payment.',
	);
}

const MAY_BE_TRIED =
	'Nothing was charged; it may be tried again, also with another payment method.';

/** The error of a charge that was plainly refused; undefined for one that may have been made. */
export function refusalOf(
	{ client, fieldError }: OperationContext,
	data: Data<'createTokenizedManualEntry'>,
	answered: Answered,
): NodeApiError | NodeOperationError | undefined {
	if ('error' in answered) {
		if (!answered.notCarriedOut) return undefined;
		const { error } = answered;
		error.description = `${MAY_BE_TRIED} ${error.description}`;
		return error;
	}
	const { answer, body } = answered.reply;
	if (!isDeclined(answer)) return undefined;
	const words = gatewayWords(body) || `The gateway answered ${answer.status}`;
	const told = `${words} (transaction ${answer.transactionID})`;
	return fieldError(client.mask.knowing(data).text(told), MAY_BE_TRIED);
}

/** Notes the answer to a charge that was not refused. Without one, nobody knows: that is thrown. */
export function noteOrThrow(sent: SentCharge, answered: Answered): void {
	if ('reply' in answered) {
		const { transactionID, status } = answered.reply.answer;
		const state = isCaptured({ status }) ? 'charged' : 'pending';
		Object.assign(sent, { transactionID, status, state });
		return;
	}
	const { error, payment } = answered;
	// By this its events are found.
	if (payment?.transactionID) sent.transactionID = payment.transactionID;
	// The error of the request itself, so that its status stays with it.
	[error.message, error.description] = outcomeUnknown(sent, error.message);
	throw error;
}

type Words = [message: string, description: string];

const ANEW =
	"if a failure later than this charge shows, or nothing shows for a day (for a bank debit: five business days), charge it under a new reference, or with a copy of this node that has 'Allow Repeat Charge' on";

function whereToLook({ referenceID }: Due): string {
	return referenceID === ''
		? 'Do not send it again; look for it with Event → Get Many'
		: `Do not send it again; use Payment → Get Status with the reference "${referenceID}"`;
}

export function outcomeUnknown(due: Due, why: string): Words {
	const blocks =
		due.referenceID === ''
			? ''
			: 'It blocks its reference for 30 days and is never charged again by itself. ';
	return [
		`It is not known whether this payment was charged (${why}). ${whereToLook(due)}`,
		`The request had left, so the customer may have been charged. ${blocks}The outcome appears among the events; ${ANEW}.`,
	];
}

/** Why a charge was not made that another execution may be making. */
export function notOursWords(due: Due, lock: Exclude<LockResult, 'acquired'>): Words {
	if (lock === 'sent') {
		return outcomeUnknown(due, 'another execution has sent it');
	}
	if (lock === 'charging') {
		return [
			`Another execution is charging the reference "${due.referenceID}" just now, so this one did not. ${whereToLook(due)}`,
			'If that finds nothing, run this again after two minutes.',
		];
	}
	return [
		"Nothing was charged: n8n's database failed or was too slow, and a charge that it does not note could be made twice",
		`Run this again after two minutes. If it is then said to be sent, it was not by this run: look with Payment → Get Status whether it is paid, and ${ANEW}.`,
	];
}
