import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { isCaptured, isDeclined } from '../../gateway/answer';
import type { Attempt } from '../../gateway/client';
import type { Work } from '../../operation/operation';
import { createTurns } from '../../operation/turns';
import { formatDollars, formatMoney, majorOf } from '../../output/money';
import type { Answer, Data } from '../../wire';
import { textOf } from '../../wire/json';
import type { Verdict } from './claims';
import { Claim, storeOf } from './claims';
import { eventsOf } from './lookUp';
import { outcomeOf } from './outcome';
import type { Settled } from './outcome';
import { chargesSent, forgetCharge, hash, keysOf, rememberCharge } from './sentCharges';
import type { SentCharge } from './sentCharges';

/**
 * How a charge is made once at most: the order of the steps is the promise. The cart is computed;
 * then, in the turn of its reference, what this process has sent is asked, then the service's events
 * and n8n's store; only then is it noted and sent, once, and told what came of it. Amounts are in
 * cents here, and in dollars in the result.
 */

export interface Charge {
	data: Data<'createTokenizedManualEntry'>;
	expectedTotal: number | undefined;
	mostPerCharge: number | undefined;
	lookBackDays: number;
	allowRepeat: boolean;
}

interface Result {
	/** Null where the service has taken it and not settled it yet. */
	charged: boolean | null;
	outcome: 'charged' | 'pending' | 'alreadyPaid' | 'refunded';
	amount?: number;
	amountFormatted?: string;
	refunded?: number;
	transactionID: string | undefined;
	status: string | undefined;
	referenceID: string;
	environment: string;
}

type Cart = { referenceID: string } & (
	| { total: number }
	/** With the reason why it could not be computed. */
	| { total: undefined; error: NodeApiError }
);

/** Charges of one reference are made one after another, in all executions of this process. */
const inTurn = createTurns();

export async function chargeOnce(work: Work, charge: Charge): Promise<Result> {
	const cart = await computed(work, charge);
	const what = cart.referenceID || charge.data.paymentData;
	return await inTurn(
		JSON.stringify([work.client.scope, what]),
		async () => await chargeCart(work, charge, cart),
	);
}

async function chargeCart(work: Work, charge: Charge, cart: Cart): Promise<Result> {
	const { client, context } = work;
	const { data, allowRepeat } = charge;
	const { referenceID } = cart;
	const keys = keysOf(work, data.paymentData, referenceID);

	const before = chargesSent(keys, allowRepeat);
	const again = before.find((each) => each.keys.item === keys.item && each.state === 'charged');
	if (again) return resultOf(work, again);
	if (before.length > 0) {
		const known = await sentBefore(work, charge, cart, before);
		if (known) return known;
	}

	const total = guardCart(work, charge, cart);
	let claim: Claim | undefined;
	if (!allowRepeat) {
		const { id } = context.getWorkflow();
		claim = new Claim(hash(client.scope, id, context.getNode().id, referenceID));
		const paid = await paidOrClaimed(work, charge, cart, claim);
		if (paid) return paid;
	}
	// Written down before it leaves: whatever happens from here on, it is not sent again.
	const sent: SentCharge = { keys, referenceID, total, claim, state: 'sent' };
	rememberCharge(sent);
	const [answered] = await Promise.all([
		client.attempt('createTokenizedManualEntry', data),
		claim?.hold(storeOf(context)),
	]);
	const refusal = refusalOf(work, answered);
	if (refusal) {
		await letGo(work, sent);
		throw refusal;
	}
	return toldBy(work, sent, answered);
}

/** A cart that was charged may be gone; its reference is then what is known of that charge. */
async function computed(work: Work, { data, allowRepeat }: Charge): Promise<Cart> {
	const { paymentData, dynamicData } = data;
	const computing = await work.client.attempt('computeTokenizedCheckout', {
		paymentData,
		...(dynamicData === undefined ? {} : { dynamicData }),
	});
	if ('reply' in computing) {
		const { breakdown, referenceID } = computing.reply.answer;
		return { total: breakdown.total, referenceID: textOf(referenceID) };
	}
	const { error } = computing;
	const [known] = chargesSent(keysOf(work, paymentData, ''), allowRepeat);
	if (known === undefined) throw error;
	return { total: undefined, referenceID: known.referenceID, error };
}

/** What must hold of a cart that is to be charged; what it costs. */
function guardCart({ complain }: Work, charge: Charge, cart: Cart): number {
	if (cart.total === undefined) throw cart.error;
	const { total, referenceID } = cart;
	const { expectedTotal, mostPerCharge, allowRepeat } = charge;
	if (expectedTotal !== undefined && total !== expectedTotal) {
		throw complain(
			`Nothing was charged: the cart costs ${formatDollars(total)}, and 'Expected Total (Dollars)' is ${formatDollars(expectedTotal)}`,
			'Check the cart, its adjustments and the expected total. Fees may depend on the payment type.',
		);
	}
	if (mostPerCharge !== undefined && total > mostPerCharge) {
		throw complain(
			`Nothing was charged: the cart costs ${formatDollars(total)}, and 'Most per Charge (Dollars)' is ${formatDollars(mostPerCharge)}`,
			'Raise it under Options, in the node itself, if so much may be charged at once.',
		);
	}
	if (!allowRepeat && referenceID === '') {
		throw complain(
			'Nothing was charged: the cart has no reference, so nothing could show whether it was paid before',
			"Make the cart with a Reference ID, or use 'Allow Repeat Charge' under Options.",
		);
	}
	return total;
}

/**
 * What has become of charges that this process has sent. Undefined where all of them have failed, as
 * a debit does that comes back: the cart may then be charged anew.
 */
async function sentBefore(
	work: Work,
	charge: Charge,
	cart: Cart,
	before: readonly SentCharge[],
): Promise<Result | undefined> {
	const canLook = !charge.allowRepeat && cart.referenceID !== '';
	// A look-up that fails must not hide that this was sent.
	const settled = canLook ? await lookUp(work, charge, cart).catch(() => undefined) : undefined;
	const paid = settled && paidBy(work, cart, settled, 'Nothing more');
	if (paid) return paid;
	const open = before.filter(({ transactionID = '' }) => !settled?.failedAs.has(transactionID));
	const charged = open.find(({ state }) => state === 'charged');
	if (charged) {
		const { total, transactionID } = charged;
		guardSame(work, cart, total, formatDollars(total), 'Nothing more');
		return { ...resultOf(work, charged), ...alreadyPaid, transactionID };
	}
	if (open.some(({ state }) => state === 'sent')) {
		const shown = settled?.outcome === 'failed' ? ', and so far its reference shows a failure' : '';
		throw unknown(work, cart, `it was sent before, and its answer was lost${shown}`);
	}
	const [pending] = open;
	if (pending) return resultOf(work, pending);
	for (const each of before) await letGo(work, each);
	return undefined;
}

async function letGo({ context }: Work, sent: SentCharge): Promise<void> {
	forgetCharge(sent);
	await sent.claim?.release(storeOf(context));
}

async function lookUp(work: Work, { lookBackDays }: Charge, cart: Cart): Promise<Settled> {
	return outcomeOf(await eventsOf(work, cart.referenceID, lookBackDays));
}

/**
 * Looks whether it is paid while the claim is begun, and wins the claim only where it is not. The
 * result of what is paid; undefined where the claim is ours.
 */
async function paidOrClaimed(
	work: Work,
	charge: Charge,
	cart: Cart,
	claim: Claim,
): Promise<Result | undefined> {
	const store = storeOf(work.context);
	let paid: Result | undefined;
	let verdict: Verdict | undefined;
	claim.begin(store);
	try {
		paid = paidBy(work, cart, await lookUp(work, charge, cart));
		if (paid) return paid;
		verdict = await claim.win(store);
		if (verdict === 'ours') return undefined;
		// The events show by now, perhaps, what another execution has charged meanwhile.
		const settled = await lookUp(work, charge, cart).catch(() => undefined);
		paid = settled && paidBy(work, cart, settled);
		if (paid) return paid;
		throw notOurs(work, cart, verdict);
	} finally {
		if (verdict !== 'ours') await claim.release(store, { isPaid: paid !== undefined });
	}
}

const alreadyPaid = { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' } as const;

/** What went through once is not charged again, also where the money went back since. */
function paidBy(
	work: Work,
	cart: Cart,
	{ outcome, amount, refunded = 0, currency = 'USD', transactionID }: Settled,
	nothing?: 'Nothing more',
): Result | undefined {
	if (outcome === 'failed' || outcome === 'notFound') return undefined;
	const paid = amount === undefined ? undefined : amount + refunded;
	if (paid !== undefined) guardSame(work, cart, paid, formatMoney(paid, currency), nothing);
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

function guardSame(
	{ complain }: Work,
	{ total, referenceID }: Cart,
	paid: number,
	paidFormatted: string,
	nothing: 'Nothing' | 'Nothing more' = 'Nothing',
): void {
	if (total === undefined || paid === total) return;
	throw complain(
		`${nothing} was charged: ${paidFormatted} was paid for the reference "${referenceID}" already, and this cart costs ${formatDollars(total)}`,
		'Use a new reference for a new payment.',
	);
}

/** Why a charge that is not ours to make was not made. */
function notOurs(work: Work, cart: Cart, verdict: Exclude<Verdict, 'ours'>): NodeOperationError {
	const { complain } = work;
	switch (verdict) {
		case 'charging':
			return complain(
				`Another execution is charging the reference "${cart.referenceID}" just now, so this one did not. ${whereToLook(cart)}`,
				'If that finds nothing, run this again after two minutes.',
			);
		case 'sent':
			return unknown(work, cart, 'another execution has sent it within the last days');
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

/** What is known of a charge by its answer; the error where nobody can know. */
function toldBy(
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
function resultOf({ client }: Work, sent: SentCharge): Result {
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

function amounts(minor: number | undefined, currency: string) {
	if (minor === undefined) return {};
	return { amount: majorOf(minor, currency), amountFormatted: formatMoney(minor, currency) };
}

/** The card or account was declined, or something about the charge is wrong. */
const DECLINED = new Set(['400', '402', '422']);
const MAY_BE_TRIED =
	'Nothing was charged; it may be tried again, also with another payment method.';

/** The error of a charge that was plainly refused; undefined for one that may have been made. */
function refusalOf(
	{ complain }: Work,
	answered: Attempt<Answer<'createTokenizedManualEntry'>>,
): NodeApiError | NodeOperationError | undefined {
	if ('reply' in answered) {
		const { answer } = answered.reply;
		if (!isDeclined(answer)) return undefined;
		const { status, transactionID } = answer;
		return complain(
			`The service answered ${status} for the transaction ${transactionID}`,
			MAY_BE_TRIED,
		);
	}
	const { error, refused } = answered;
	if (!refused) return undefined;
	error.description = DECLINED.has(error.httpCode ?? '')
		? MAY_BE_TRIED
		: `Nothing was charged. ${error.description}`;
	return error;
}

const ANEW =
	"if nothing shows for a day, charge it under a new reference, or with a copy of this node that has 'Allow Repeat Charge' on";
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

function unknown({ complain }: Work, reference: Reference, why: string): NodeOperationError {
	return complain(unknownWords(reference, why), MAY_BE_CHARGED);
}
