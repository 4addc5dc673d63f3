import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Attempt } from '../../gateway/client';
import { httpStatusOf, serviceWords } from '../../gateway/errors';
import type { OperationContext } from '../../operation/operation';
import { formatDollars, formatMoney, majorOf } from '../../output/money';
import type { Answer, Data } from '../../wire';
import { isCaptured, isDeclined } from '../../wire/payment';
import type { Verdict } from './claims';
import type { Settled } from './outcome';
import type { Due, SentCharge } from './sentCharges';

/**
 * Says what came of a charge: its result, or the error that tells what is known and what to do. An
 * answer is read by its status alone; the gateway's words are shown and not interpreted.
 */

type Answered = Attempt<Answer<'createTokenizedManualEntry'>>;

const PAID = { outcome: 'alreadyPaid', status: 'ALREADY_PAID' } as const;
/** What a charge is told as where a payment went through before, by what the events came to. */
const NOT_AGAIN = {
	succeeded: PAID,
	partiallyRefunded: PAID,
	refunded: { outcome: 'refunded', status: 'REFUNDED' },
	returned: { outcome: 'returned', status: 'RETURNED' },
} as const;

export interface Result {
	/** Null where the gateway has taken it and not settled it yet. */
	charged: boolean | null;
	outcome: 'charged' | 'pending' | 'alreadyPaid' | 'refunded' | 'returned';
	amount: number;
	amountFormatted: string;
	refunded?: number;
	/** Null where an event does not say it. */
	transactionID: string | null;
	status: string | null;
	referenceID: string;
	environment: string;
}

/** Of a charge that this process has made: it is charged, or the gateway has yet to settle it. */
export function resultOf({ client }: OperationContext, sent: SentCharge): Result {
	const { state, total, transactionID = null, status = null, referenceID } = sent;
	return {
		charged: state === 'charged' || null,
		outcome: state === 'charged' ? 'charged' : 'pending',
		amount: majorOf(total, 'USD'),
		amountFormatted: formatDollars(total),
		transactionID,
		status,
		referenceID,
		environment: client.environment,
	};
}

/** Where this process has charged it before. */
export function paidBefore(
	work: OperationContext,
	due: Due,
	charged: SentCharge,
	isReturned: boolean,
): Result {
	guardSame(work, due, charged.total, 'USD');
	const told = NOT_AGAIN[isReturned ? 'returned' : 'succeeded'];
	return { ...resultOf(work, charged), charged: false, ...told };
}

/** Where the events show that a payment ever went through, whatever has become of it since. */
export function paidByEvents(
	work: OperationContext,
	due: Due,
	settled: Settled,
): Result | undefined {
	if (settled.outcome === 'failed' || settled.outcome === 'notFound') return undefined;
	const { paid = due.total, refunded = 0, transactionID } = settled;
	const currency = settled.currency || 'USD';
	guardSame(work, due, paid, currency);
	const { outcome, status } = NOT_AGAIN[settled.outcome];
	return {
		charged: false,
		outcome,
		amount: majorOf(paid, currency),
		amountFormatted: formatMoney(paid, currency),
		...(refunded > 0 && { refunded: majorOf(refunded, currency) }),
		transactionID: transactionID || null,
		status,
		referenceID: due.referenceID,
		environment: work.client.environment,
	};
}

function guardSame({ fieldError }: OperationContext, due: Due, paid: number, currency: string) {
	if (paid === due.total) return;
	throw fieldError(
		`Nothing more was charged: ${formatMoney(paid, currency)} was paid for the reference "${due.referenceID}" already, and this cart costs ${formatDollars(due.total)}`,
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
	if ('reply' in answered) {
		const { answer, body } = answered.reply;
		if (!isDeclined(answer)) return undefined;
		const { status, transactionID } = answer;
		const words = serviceWords(body) || `The gateway answered ${status}`;
		const masked = client.mask.knowing(data).text(`${words} (transaction ${transactionID})`);
		return fieldError(masked, MAY_BE_TRIED);
	}
	const { error, refused, payment } = answered;
	if (!refused) return undefined;
	// The payment method was declined, or something about the charge is wrong.
	const isDecline =
		['400', '402', '422'].includes(httpStatusOf(error)) || (payment && isDeclined(payment));
	error.description = isDecline ? MAY_BE_TRIED : `Nothing was charged. ${error.description}`;
	return error;
}

/** Notes the answer to a charge that was not refused. Without one, nobody knows: that is thrown. */
export function noteOrThrow(sent: SentCharge, answered: Answered): void {
	if ('error' in answered) {
		const { error, payment } = answered;
		// By this its events are found.
		if (payment?.transactionID) sent.transactionID = payment.transactionID;
		// The error of the request itself, so that its status stays with it.
		[error.message, error.description] = outcomeUnknown(sent, error.message);
		throw error;
	}
	const { transactionID, status } = answered.reply.answer;
	const state = isCaptured({ status }) ? 'charged' : 'pending';
	Object.assign(sent, { transactionID, status, state });
}

type Words = [message: string, description: string];

const ANEW =
	"if a failure later than this charge shows, or nothing shows for a day, charge it under a new reference, or with a copy of this node that has 'Allow Repeat Charge' on";

function whereToLook({ referenceID }: Due): string {
	return referenceID === ''
		? 'Do not send it again; look for it with Event → Get Many'
		: `Do not send it again; use Payment → Get Status with the reference "${referenceID}"`;
}

export function outcomeUnknown(due: Due, why: string): Words {
	return [
		`It is not known whether this payment was charged (${why}). ${whereToLook(due)}`,
		`The request had left, so the customer may have been charged. The outcome appears among the events; ${ANEW}.`,
	];
}

/** Why a charge was not made that another execution may be making. */
export function notOurs(due: Due, verdict: Exclude<Verdict, 'ours'>): Words {
	switch (verdict) {
		case 'charging':
			return [
				`Another execution is charging the reference "${due.referenceID}" just now, so this one did not. ${whereToLook(due)}`,
				'If that finds nothing, run this again after two minutes.',
			];
		case 'sent':
			return outcomeUnknown(due, 'another execution has sent it within the last days');
		case 'failed':
			return [
				"Nothing was charged: n8n's database failed or was too slow, and a charge that it does not note could be made twice",
				`Run this again after two minutes. If it is then said to be sent, it was not by this run: look with Payment → Get Status whether it is paid, and ${ANEW}.`,
			];
	}
}
