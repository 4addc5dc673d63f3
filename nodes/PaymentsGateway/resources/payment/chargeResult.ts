import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Attempt } from '../../gateway/client';
import { httpStatusOf, serviceWords } from '../../gateway/errors';
import type { OperationContext } from '../../operation/operation';
import { formatDollars, formatMoney, majorOf } from '../../output/money';
import type { Answer, Data } from '../../wire';
import { isCaptured, isDeclined, saysCharged } from '../../wire/payment';
import type { Verdict } from './claims';
import type { Settled } from './outcome';
import type { SentCharge } from './sentCharges';

/**
 * What a charge is told as: its result, or the error that says what is known of it and what to do.
 * Amounts are in cents here, and in dollars in the result.
 */

type Answered = Attempt<Answer<'createTokenizedManualEntry'>>;

/** What is to be charged. */
export interface Due {
	/** In cents. */
	readonly total: number;
	readonly referenceID: string;
}

export interface Result {
	/** Null where the gateway has taken it and not settled it yet. */
	charged: boolean | null;
	outcome: 'charged' | 'pending' | 'alreadyPaid' | 'refunded';
	amount: number;
	amountFormatted: string;
	refunded?: number;
	/** Null where an event does not say it. */
	transactionID: string | null;
	status: string | null;
	referenceID: string;
	environment: string;
}

const ALREADY_PAID = {
	charged: false,
	outcome: 'alreadyPaid',
	status: 'ALREADY_PAID',
} as const;

function amounts(minor: number, currency: string) {
	return { amount: majorOf(minor, currency), amountFormatted: formatMoney(minor, currency) };
}

/** As of a charge that this process has made: it is charged, or the gateway has yet to settle it. */
export function resultOf({ client }: OperationContext, sent: SentCharge): Result {
	const isCharged = sent.state === 'charged';
	const { total, transactionID = null, status = null, referenceID } = sent;
	return {
		charged: isCharged || null,
		outcome: isCharged ? 'charged' : 'pending',
		...amounts(total, 'USD'),
		transactionID,
		status,
		referenceID,
		environment: client.environment,
	};
}

/** Where this process has charged it before. */
export function paidBefore(work: OperationContext, due: Due, charged: SentCharge): Result {
	guardSame(work, due, charged.total, formatDollars(charged.total));
	return { ...resultOf(work, charged), ...ALREADY_PAID };
}

/**
 * Where the events show a payment. What went through once is not charged again, also where the money
 * went back since.
 */
export function paidByEvents(
	work: OperationContext,
	due: Due,
	settled: Settled,
): Result | undefined {
	const { outcome, paid, refunded = 0, currency = 'USD', transactionID = null } = settled;
	if (outcome === 'failed' || outcome === 'notFound') return undefined;
	if (paid !== undefined) guardSame(work, due, paid, formatMoney(paid, currency));
	const { total, referenceID } = due;
	const told = outcome === 'refunded' ? { outcome, status: 'REFUNDED' } : ALREADY_PAID;
	// In the order of any other result.
	return {
		charged: false,
		outcome: told.outcome,
		...(paid === undefined ? amounts(total, 'USD') : amounts(paid, currency)),
		...(refunded > 0 ? { refunded: majorOf(refunded, currency) } : {}),
		transactionID,
		status: told.status,
		referenceID,
		environment: work.client.environment,
	};
}

function guardSame(
	{ fieldError }: OperationContext,
	due: Due,
	paid: number,
	paidFormatted: string,
): void {
	if (paid === due.total) return;
	throw fieldError(
		`Nothing more was charged: ${paidFormatted} was paid for the reference "${due.referenceID}" already, and this cart costs ${formatDollars(due.total)}`,
		'Look with Payment → Get Status at what was paid. Use a new reference only for another payment.',
	);
}

const MAY_BE_TRIED =
	'Nothing was charged; it may be tried again, also with another payment method.';

/** Who is told that it was charged before must not pay it by other means. */
function adviceAfter(words: string, otherwise = MAY_BE_TRIED): string {
	return saysCharged(words)
		? 'Nothing was charged now, and the gateway says that it was before: look with Payment → Get Status before anything else is charged for it.'
		: otherwise;
}

/** What stands around an answer may be said of the request, which has been processed all the same. */
const OF_THE_REQUEST =
	/(?<!\b(?:already|previously) )\b(?:was|been) (?:successfully )?(?:processed|completed|succeeded|confirmed)\b/gi;

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
		const own = serviceWords(answer);
		const around = serviceWords(body);
		const words = own || [`The gateway answered ${status}`, around].filter(Boolean).join(': ');
		const masked = client.mask.knowing(data).text(`${words} (transaction ${transactionID})`);
		return fieldError(masked, adviceAfter(own || around.replace(OF_THE_REQUEST, '')));
	}
	const { error, refused, payment } = answered;
	if (!refused) return undefined;
	// The card or account was declined, or something about the charge is wrong.
	const isDecline =
		['400', '402', '422'].includes(httpStatusOf(error)) || (payment && isDeclined(payment));
	const advice = isDecline ? MAY_BE_TRIED : `Nothing was charged. ${error.description}`;
	error.description = adviceAfter(error.message, advice);
	return error;
}

/**
 * Notes what the answer says of a charge that was not refused. Where there is none that says it,
 * nobody can know what came of it: that is thrown.
 */
export function noteOrThrow(sent: SentCharge, answered: Answered): void {
	if ('error' in answered) {
		const { error, payment } = answered;
		if (payment?.transactionID) sent.transactionID = payment.transactionID;
		// The error of the request itself, so that its status stays with it.
		[error.message, error.description] = outcomeUnknown(sent, error.message);
		throw error;
	}
	const { answer } = answered.reply;
	const { transactionID, status } = answer;
	Object.assign(sent, { transactionID, status });
	sent.state = isCaptured(answer) ? 'charged' : 'pending';
}

const ANEW =
	"if a failure later than this charge shows, or nothing shows for a day, charge it under a new reference, or with a copy of this node that has 'Allow Repeat Charge' on";

/** A message, and what to do. */
type Words = [message: string, description: string];

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

/** Why a charge that is not ours to make was not made. */
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
				'Run this again after two minutes. If it keeps failing, look at the log of n8n.',
			];
		case 'perhapsSent':
			return [
				"Nothing was charged: n8n's database failed as it noted this charge, so for three days it may count as sent",
				`Run this again when the database works. If it is then said to be sent, it was not by this run: look with Payment → Get Status whether it is paid, and ${ANEW}.`,
			];
	}
}
