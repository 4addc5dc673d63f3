import type { NodeApiError } from 'n8n-workflow';

import { isCaptured } from '../../gateway/answer';
import type { Data } from '../../wire';
import { textOf } from '../../wire/json';
import { outcomeOf } from './outcome';
import type { Settled } from './outcome';
import { attemptsOf, hash } from './attempts';
import type { Note } from './attempts';
import type { Work } from '../../operation/operation';
import { formatDollars } from '../../output/money';
import { claimsOf } from './claims';
import { eventsOf } from './lookUp';
import { chargesSent, forgetCharge, rememberCharge } from './sentCharges';
import type { SentCharge } from './sentCharges';
import { createTurns } from '../../operation/turns';

/** How a charge is made once at most. The order of the steps is the promise; see CONTRIBUTING. */

export interface Charge {
	data: Data<'createTokenizedManualEntry'>;
	expectedTotal: number;
	lookBackDays: number;
	allowRepeat: boolean;
}

interface Charged {
	charged: boolean;
	transactionID: string | undefined;
	status: string;
	referenceID: string;
	computedTotal: number | undefined;
	environment: string;
}

function whereToLook(reference: string): string {
	return reference === ''
		? 'Do not send it again; look for it with Webhook Event → Get Many'
		: `Do not send it again; use Payment → Get Status with the reference "${reference}"`;
}

function unknown(reference: string, why: string): string {
	return `It is not known whether this payment was charged (${why}). ${whereToLook(reference)}`;
}

const MAY_BE_CHARGED =
	'The request had left, so the customer may have been charged. The outcome appears among the webhook events.';

function unknownOutcome({ complain }: Work, reference: string, why: string) {
	return complain(unknown(reference, why), MAY_BE_CHARGED);
}

/** The error of the request itself, so that its status stays with it. */
function withUnknownOutcome(error: NodeApiError, reference: string): NodeApiError {
	error.message = unknown(reference, error.message);
	error.description = MAY_BE_CHARGED;
	return error;
}

/** The card or account was declined, or something about the charge is wrong. */
const DECLINED = new Set(['400', '402', '422']);

/** A plain refusal, with where that leaves the customer. */
function withNothingCharged(error: NodeApiError): NodeApiError {
	error.description = DECLINED.has(error.httpCode ?? '')
		? 'Nothing was charged; it may be tried again, also with another payment method.'
		: `Nothing was charged. ${error.description}`;
	return error;
}

/** Charges of one reference are made one after another, in all executions of this process. */
const inTurn = createTurns();

function differs(
	{ complain }: Work,
	paid: number,
	{ total, referenceID }: Cart,
	nothing: 'Nothing' | 'Nothing more' = 'Nothing',
) {
	return complain(
		`${nothing} was charged: ${paid} cents are paid for the reference "${referenceID}" already, and this cart costs ${total} cents`,
		'Use a new reference for a new payment, or "Allow Repeat Charge" under Options if both are meant.',
	);
}

/** As of a reference that is paid already; what was charged just now says so over it. */
function resultOf({ client }: Work, cart: Cart, transactionID: string | undefined): Charged {
	return {
		charged: false,
		transactionID,
		status: 'ALREADY_PAID',
		referenceID: cart.referenceID,
		computedTotal: cart.total,
		environment: client.environment,
	};
}

/** The result for a reference that is paid as the cart costs; undefined when it is not paid. */
function paidOf(
	work: Work,
	cart: Cart,
	settled: Settled,
	nothing?: 'Nothing more',
): Charged | undefined {
	if (settled.outcome !== 'succeeded' && settled.outcome !== 'partiallyRefunded') return undefined;
	if (settled.amount !== undefined && cart.total !== undefined && settled.amount !== cart.total) {
		throw differs(work, settled.amount, cart, nothing);
	}
	return resultOf(work, cart, settled.transactionID);
}

/** The result for a charge that is known to have gone through; n8n may be running its item again. */
function chargedBefore(work: Work, note: Note, cart: Cart, isRetry: boolean): Charged | undefined {
	if (note.state !== 'charged') return undefined;
	const { transactionID, status, computedTotal } = note;
	if (isRetry) {
		return { ...resultOf(work, cart, transactionID), charged: true, status, computedTotal };
	}
	if (cart.total !== undefined && cart.total !== computedTotal) {
		throw differs(work, computedTotal, cart, 'Nothing more');
	}
	return resultOf(work, cart, transactionID);
}

/** A charge whose answer named a transaction, which then failed. */
function hasFailed({ state, transactionID = '' }: Note, settled: Settled | undefined): boolean {
	return state === 'sent' && settled?.failedAs.has(transactionID) === true;
}

/** Whether the events say what became of a charge, so that nothing else must remember it. */
function isShown({ note, payments }: SentCharge, settled: Settled | undefined): boolean {
	if (settled === undefined) return false;
	const { transactionID } = note;
	if (transactionID === undefined) return settled.paidAs.size > payments;
	return settled.paidAs.has(transactionID) || hasFailed(note, settled);
}

type Cart = { referenceID: string } & (
	| { total: number }
	/** With the reason why it could not be computed. */
	| { total: undefined; error: NodeApiError }
);

/** A cart that was charged may be gone; its reference is then what is known of that charge. */
async function computed(
	{ client }: Work,
	{ paymentData, dynamicData }: Charge['data'],
	known = '',
): Promise<Cart> {
	const result = await client.attempt('computeTokenizedCheckout', {
		paymentData,
		...(dynamicData === undefined ? {} : { dynamicData }),
	});
	if ('error' in result) return { total: undefined, referenceID: known, error: result.error };
	const { breakdown, referenceID } = result.reply.answer;
	return { total: breakdown.total, referenceID: textOf(referenceID) };
}

/** What must hold of a cart that is to be charged; what it costs. */
function guardCart({ complain }: Work, cart: Cart, charge: Charge): number {
	if (cart.total === undefined) throw cart.error;
	const { total, referenceID } = cart;
	const { expectedTotal, allowRepeat } = charge;
	if (expectedTotal !== 0 && total !== expectedTotal) {
		throw complain(
			`Nothing was charged: the cart costs ${formatDollars(total)}, and "Expected Total (Dollars)" is ${formatDollars(expectedTotal)}`,
			'Check the cart, its adjustments and the expected total. Fees may depend on the payment type.',
		);
	}
	if (!allowRepeat && referenceID === '') {
		throw complain(
			'Nothing was charged: the cart has no reference, so nothing could show whether it was paid before',
			'Make the cart with a Reference ID, or use "Allow Repeat Charge" under Options.',
		);
	}
	return total;
}

export async function chargeOnce(work: Work, charge: Charge): Promise<Charged> {
	const { client, context, itemIndex } = work;
	const { data, allowRepeat } = charge;
	const runIndex = Number(context.getWorkflowDataProxy(itemIndex).$runIndex) || 0;
	const attempts = attemptsOf(context, client.scope, itemIndex, runIndex);
	// With repeats allowed, only the same item of the same run is the same charge.
	const suffix = allowRepeat ? `:${attempts.here}` : '';
	const byData = `data:${data.paymentData}`;
	const sentBefore = chargesSent([hash(client.scope, byData)]);
	const wasSent =
		attempts.earlier([byData + suffix]) !== undefined || (!allowRepeat && sentBefore.length > 0);
	const cart = await computed(work, data, sentBefore[0]?.referenceID);
	if (!wasSent) guardCart(work, cart, charge);

	const { referenceID } = cart;
	const plain = referenceID === '' ? [byData] : [byData, `reference:${referenceID}`];
	const names = plain.map((name) => name + suffix);
	const keys = plain.map((name) => hash(client.scope, name));

	const look = async (): Promise<Settled> =>
		outcomeOf(await eventsOf(work, referenceID, charge.lookBackDays));

	const charged = async (): Promise<Charged> => {
		const earlier = attempts.earlier(names);
		const known = earlier && chargedBefore(work, earlier.note, cart, earlier.isRetry);
		if (known) return known;
		const open = allowRepeat ? [] : chargesSent(keys);

		let settled: Settled | undefined;
		if (!allowRepeat && referenceID !== '') {
			const wasSentNow = earlier !== undefined || open.length > 0;
			settled = await look().catch((error: unknown) => {
				// A lookup that fails must not hide that this was sent.
				if (wasSentNow) return undefined;
				throw error;
			});
			for (const each of open) if (isShown(each, settled)) forgetCharge(each);
			const paid = settled && paidOf(work, cart, settled, wasSentNow ? 'Nothing more' : undefined);
			if (paid) return paid;
		}
		const unshown = open.filter((each) => !isShown(each, settled));
		for (const { note } of unshown) {
			const before = chargedBefore(work, note, cart, false);
			if (before) return before;
		}
		if ((earlier && !hasFailed(earlier.note, settled)) || unshown.length > 0) {
			const failed = settled?.outcome === 'failed';
			throw unknownOutcome(
				work,
				referenceID,
				`it was sent before, and its answer was lost${failed ? ', and so far its reference shows a failed payment' : ''}`,
			);
		}
		if (settled?.outcome === 'refunded' && settled.amount === undefined) {
			throw work.complain(
				`Nothing was charged: more was refunded for the reference "${referenceID}" than its events show as paid`,
				'Its payment is no longer among the events, so nobody can say what is left of it. Use a new reference, or "Allow Repeat Charge" under Options if all of it went back.',
			);
		}
		const costs = guardCart(work, cart, charge);
		attempts.forget(names);
		return await send(settled, costs);
	};

	const send = async (settled: Settled | undefined, costs: number): Promise<Charged> => {
		// The number of payments is part of the claim's name, so that one that was refunded may be made
		// anew, once.
		const claim =
			settled &&
			(await claimsOf(work).take(`claim:${referenceID}:${settled.paidAs.size}`, [
				...settled.failedAs,
			]));
		if (settled && !claim) {
			const now = await look().catch(() => undefined);
			const paid = paidOf(work, cart, now ?? settled);
			if (paid) return paid;
			throw work.complain(
				`${unknown(referenceID, 'an earlier execution has sent it')}, with more than ${charge.lookBackDays} "Look Back (Days)" if that was longer ago`,
				`${MAY_BE_CHARGED} Where it was sent longer ago, set Look Back (Days) higher here too: what is paid is then found, and what was refunded is charged anew. Where Get Status says that it failed, "Allow Repeat Charge" under Options sends it again.`,
			);
		}
		if (context.getExecutionCancelSignal()?.aborted) {
			await claim?.release();
			throw work.complain(
				'Nothing was charged: the execution was canceled',
				'Run it again if the charge is still wanted.',
			);
		}
		// Written down before it leaves: whatever happens from here on, it is not sent again.
		const note = (told: Note) => {
			sent.note = told;
			attempts.note(names, told);
		};
		const sent: SentCharge = {
			names: keys,
			referenceID,
			payments: settled?.paidAs.size ?? Infinity,
			note: { state: 'sent' },
		};
		rememberCharge(sent);
		note(sent.note);
		const giveBack = async () => {
			forgetCharge(sent);
			attempts.forget(names);
			await claim?.release();
		};
		const nameIt = async (transactionID: string) => {
			note({ state: 'sent', transactionID });
			await claim?.keep(transactionID);
		};
		const [result] = await Promise.all([
			client.attempt('createTokenizedManualEntry', data),
			claim?.hold(),
		]);
		if ('error' in result) {
			if (!result.refused) {
				if (result.payment?.transactionID) await nameIt(result.payment.transactionID);
				throw withUnknownOutcome(result.error, referenceID);
			}
			await giveBack();
			throw withNothingCharged(result.error);
		}
		const { answer } = result.reply;
		const { transactionID, status } = answer;
		if (!isCaptured(answer)) {
			await nameIt(transactionID);
			const why = `the service answered with the status "${status}" for the transaction ${transactionID}`;
			throw unknownOutcome(work, referenceID, client.mask.knowing(data).text(why));
		}
		note({ state: 'charged', transactionID, status, computedTotal: costs });
		return { ...resultOf(work, cart, transactionID), charged: true, status };
	};
	return await inTurn(JSON.stringify([client.scope, referenceID || data.paymentData]), charged);
}
