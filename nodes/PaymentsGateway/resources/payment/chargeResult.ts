import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { isCaptured, isDeclined } from '../../gateway/answer';
import type { Attempt } from '../../gateway/client';
import { serviceWords } from '../../gateway/errors';
import type { Work } from '../../operation/operation';
import { formatDollars, formatMoney, majorOf } from '../../output/money';
import type { Answer, Data } from '../../wire';
import type { Verdict } from './claims';
import type { Settled } from './outcome';
import type { SentCharge } from './sentCharges';

/**
 * What a charge is told as: its result, or the error that says what is known of it and what to do.
 * Amounts are in cents here, and in dollars in the result.
 */

export interface Charge {
	data: Data<'createTokenizedManualEntry'>;
	expectedTotal: number | undefined;
	mostPerCharge: number | undefined;
	lookBackDays: number;
	allowRepeat: boolean;
}

export interface Result {
	/** Null where the service has taken it and not settled it yet. */
	charged: boolean | null;
	outcome: 'charged' | 'pending' | 'alreadyPaid' | 'refunded';
	amount: number;
	amountFormatted: string;
	refunded?: number;
	transactionID: string | undefined;
	status: string | undefined;
	referenceID: string;
	environment: string;
}

export interface Cart {
	/** In cents. */
	total: number;
	referenceID: string;
	/** When it was computed, by the service's clock: nothing was sent before that. */
	sentAt: number;
	/** Why it cannot be computed; the rest is then what was known as it was charged. */
	error?: NodeApiError;
}

export const alreadyPaid = {
	charged: false,
	outcome: 'alreadyPaid',
	status: 'ALREADY_PAID',
} as const;

/** What went through once is not charged again, also where the money went back since. */
export function paidBy(
	work: Work,
	cart: Cart,
	{ outcome, paid, refunded = 0, currency = 'USD', transactionID }: Settled,
): Result | undefined {
	if (outcome === 'failed' || outcome === 'notFound') return undefined;
	if (paid !== undefined) guardSame(work, cart, paid, formatMoney(paid, currency));
	const { referenceID } = cart;
	return {
		...alreadyPaid,
		...(outcome === 'refunded' ? { outcome, status: 'REFUNDED' } : {}),
		...amounts(paid ?? cart.total, paid === undefined ? 'USD' : currency),
		...(refunded > 0 ? { refunded: majorOf(refunded, currency) } : {}),
		transactionID,
		referenceID,
		environment: work.client.environment,
	};
}

export function guardSame(
	{ complain }: Work,
	{ total, referenceID }: Cart,
	paid: number,
	paidFormatted: string,
): void {
	if (paid === total) return;
	throw complain(
		`Nothing more was charged: ${paidFormatted} was paid for the reference "${referenceID}" already, and this cart costs ${formatDollars(total)}`,
		'Use a new reference for a new payment.',
	);
}

/** Why a charge that is not ours to make was not made. */
export function notOurs(
	work: Work,
	cart: Cart,
	verdict: Exclude<Verdict, 'ours'>,
): NodeOperationError {
	const { complain } = work;
	switch (verdict) {
		case 'charging':
			return complain(
				`Another execution is charging the reference "${cart.referenceID}" just now, so this one did not. ${whereToLook(cart)}`,
				'If that finds nothing, run this again after two minutes.',
			);
		case 'sent':
			return outcomeUnknown(work, cart, 'another execution has sent it within the last days');
		case 'failed':
			return complain(
				"Nothing was charged: n8n's database failed or was too slow, and a charge that it does not note could be made twice",
				'Run this again after two minutes. If it keeps failing, look at the log of n8n.',
			);
		case 'perhapsSent':
			return complain(
				"Nothing was charged: n8n's database failed as it noted this charge, so for three days it may count as sent",
				`Run this again when the database works. If it is then said to be sent, it was not by this run: look with Payment → Get Status whether it is paid, and ${ANEW}.`,
			);
	}
}

/** Notes what the answer says of a charge, and tells it; the error where nobody can know. */
export function noteAnswer(
	work: Work,
	sent: SentCharge,
	answered: Attempt<Answer<'createTokenizedManualEntry'>>,
): Result {
	if ('error' in answered) {
		const { error, payment } = answered;
		if (payment?.transactionID) sent.transactionID = payment.transactionID;
		// The error of the request itself, so that its status stays with it.
		error.message = unknownWords(sent, error.message);
		error.description = MAY_BE_CHARGED;
		throw error;
	}
	const { answer } = answered.reply;
	const { transactionID, status } = answer;
	Object.assign(sent, { transactionID, status });
	sent.state = isCaptured(answer) ? 'charged' : 'pending';
	return resultOf(work, sent);
}

/** As of a charge that this process has made: it is charged, or the service has yet to settle it. */
export function resultOf({ client }: Work, sent: SentCharge): Result {
	const isCharged = sent.state === 'charged';
	const { total, transactionID, status, referenceID } = sent;
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

function amounts(minor: number, currency: string) {
	return { amount: majorOf(minor, currency), amountFormatted: formatMoney(minor, currency) };
}

/** The card or account was declined, or something about the charge is wrong. */
const DECLINED = new Set(['400', '402', '422']);
const MAY_BE_TRIED =
	'Nothing was charged; it may be tried again, also with another payment method.';

/** The error of a charge that was plainly refused; undefined for one that may have been made. */
export function refusalOf(
	{ client, complain }: Work,
	{ data }: Pick<Charge, 'data'>,
	answered: Attempt<Answer<'createTokenizedManualEntry'>>,
): NodeApiError | NodeOperationError | undefined {
	if ('reply' in answered) {
		const { answer } = answered.reply;
		if (!isDeclined(answer)) return undefined;
		const { status, transactionID } = answer;
		const words = serviceWords(answer) || `The gateway answered ${status}`;
		const masked = client.mask.knowing(data).text(`${words} (transaction ${transactionID})`);
		return complain(masked, MAY_BE_TRIED);
	}
	const { error, refused, payment } = answered;
	if (!refused) return undefined;
	const isDecline = DECLINED.has(String(error.httpCode)) || (payment && isDeclined(payment));
	error.description = isDecline ? MAY_BE_TRIED : `Nothing was charged. ${error.description}`;
	return error;
}

const ANEW =
	"if a failure later than this charge shows, or nothing shows for a day, charge it under a new reference, or with a copy of this node that has 'Allow Repeat Charge' on";
const MAY_BE_CHARGED = `The request had left, so the customer may have been charged. The outcome appears among the events; ${ANEW}.`;

type Reference = Pick<Cart, 'referenceID'>;

function whereToLook({ referenceID }: Reference): string {
	return referenceID === ''
		? 'Do not send it again; look for it with Event → Get Many'
		: `Do not send it again; use Payment → Get Status with the reference "${referenceID}"`;
}

function unknownWords(reference: Reference, why: string): string {
	return `It is not known whether this payment was charged (${why}). ${whereToLook(reference)}`;
}

export function outcomeUnknown(
	{ complain }: Work,
	reference: Reference,
	why: string,
): NodeOperationError {
	return complain(unknownWords(reference, why), MAY_BE_CHARGED);
}
