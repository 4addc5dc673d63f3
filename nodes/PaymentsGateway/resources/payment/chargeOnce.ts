import type { NodeApiError } from 'n8n-workflow';

import type { OperationContext } from '../../operation/operation';
import { createTurns } from '../../operation/turns';
import type { Data } from '../../wire';
import { textOf } from '../../wire/json';
import {
	noteOrThrow,
	notOurs,
	outcomeUnknown,
	paidBefore,
	paidByEvents,
	refusalOf,
	resultOf,
} from './chargeResult';
import type { Result } from './chargeResult';
import { Claim, storeOf } from './claims';
import { eventsOf } from './eventIndex';
import { guardCart } from './guards';
import type { Bounds } from './guards';
import { outcomeOf } from './outcome';
import type { Settled } from './outcome';
import { chargesSent, forgetCharge, hash, hasFailed, keysOf, rememberCharge } from './sentCharges';
import type { Due, Keys, SentCharge } from './sentCharges';

/**
 * Makes a charge once at most: the order of the steps is the promise. The cart is computed. In the turn
 * of its reference this process then looks at what it has sent itself, at the gateway's events, and at
 * n8n's store. Only then is the charge noted and sent, once, and what came of it is told.
 */

interface Charge extends Bounds {
	data: Data<'createTokenizedManualEntry'>;
	lookBackDays: number;
	allowRepeat: boolean;
}

/** Charges of one reference, or one payment data, are made one after another in this process. */
const inTurn = createTurns();

export async function chargeOnce(work: OperationContext, charge: Charge): Promise<Result> {
	const { paymentData, dynamicData } = charge.data;
	const computing = await work.client.attempt('computeTokenizedCheckout', {
		paymentData,
		dynamicData,
	});
	if ('error' in computing) return await toldWithoutCart(work, charge, computing.error);
	const { answer, date = Date.now() } = computing.reply;
	const due: Due = { total: answer.breakdown.total, referenceID: textOf(answer.referenceID) };
	const keys = keysOf(work, paymentData, due.referenceID);
	return await inTurn(keys.shared, async () => {
		// Before the bounds: what was charged is told, also where its cart has changed since.
		const before = await sentBefore(work, charge, due, keys);
		if (before) return before;
		guardCart(work, charge, due);
		return await chargeCart(work, charge, due, keys, date);
	});
}

/** Charges a cart of which nothing that this process has sent is open. */
async function chargeCart(
	work: OperationContext,
	charge: Charge,
	due: Due,
	keys: Keys,
	computedAt: number,
): Promise<Result> {
	const { client, context, fieldError } = work;
	const { data, allowRepeat } = charge;

	let claim: Claim | undefined;
	let notBefore = computedAt;
	if (!allowRepeat) {
		const settled = await settledByEvents(work, charge, due);
		const paid = paidByEvents(work, due, settled);
		if (paid) return paid;
		// A failure that shows by now is none of this charge, even if attempts share an ID: the time of
		// the cart is known to the second alone.
		notBefore = Math.max(notBefore, ...settled.failures.map(({ at }) => at || 0));
		const { id } = context.getWorkflow();
		claim = new Claim(hash(client.scope, id, context.getNode().id, due.referenceID));
		const verdict = await claim.take(storeOf(context));
		if (verdict !== 'ours') {
			// By now the events may show what another execution has charged.
			const meanwhile = await settledByEvents(work, charge, due).catch(() => undefined);
			const paidMeanwhile = meanwhile && paidByEvents(work, due, meanwhile);
			if (paidMeanwhile) return paidMeanwhile;
			throw fieldError(...notOurs(due, verdict));
		}
	}

	// Noted before it leaves: whatever happens from here on, it is not sent again.
	const sent: SentCharge = { ...due, keys, claim, notBefore, state: 'sent' };
	rememberCharge(sent);
	const [answered] = await Promise.all([
		client.attempt('createTokenizedManualEntry', data),
		claim?.hold(storeOf(context)),
	]);
	const refusal = refusalOf(work, data, answered);
	if (refusal) {
		await freeReference(work, sent);
		throw refusal;
	}
	noteOrThrow(sent, answered);
	return resultOf(work, sent);
}

/**
 * What has become of charges that this process has sent. Undefined where there are none, or where all
 * of them have failed: then the cart may be charged.
 */
async function sentBefore(
	work: OperationContext,
	charge: Charge,
	due: Due,
	keys: Keys,
): Promise<Result | undefined> {
	const earlier = chargesSent(keys, charge.allowRepeat);
	if (earlier.length === 0) return undefined;
	// Where n8n runs the same item of the same run again, it gets its own result back.
	const own = earlier.find((sent) => sent.keys.item === keys.item && sent.state === 'charged');
	if (own) return resultOf(work, own);

	// A look-up that fails must not hide what was sent.
	const canLook = !charge.allowRepeat && due.referenceID !== '';
	const settled = canLook
		? await settledByEvents(work, charge, due).catch(() => undefined)
		: undefined;
	const paid = settled && paidByEvents(work, due, settled);
	if (paid) return paid;
	const failures = settled?.failures ?? [];
	const charged = earlier.find(({ state }) => state === 'charged');
	if (charged) return paidBefore(work, due, charged, hasFailed(charged, failures));
	const open = earlier.filter((sent) => !hasFailed(sent, failures));
	if (open.some(({ state }) => state === 'sent')) {
		const why = 'it was sent before, and no answer said what came of it';
		throw work.fieldError(...outcomeUnknown(due, why));
	}
	const [pending] = open;
	if (pending) return resultOf(work, pending);
	for (const sent of earlier) await freeReference(work, sent);
	return undefined;
}

/** Once charged, a cart may be gone, or its run cancelled. What is known of the charge is told. */
async function toldWithoutCart(
	work: OperationContext,
	charge: Charge,
	error: NodeApiError,
): Promise<Result> {
	const keys = keysOf(work, charge.data.paymentData, '');
	const [known] = chargesSent(keys, charge.allowRepeat);
	if (known === undefined) throw error;
	const told = await inTurn(
		known.keys.shared,
		async () => await sentBefore(work, charge, known, keys),
	);
	if (told) return told;
	throw error;
}

/** Nothing was charged, so the reference may be charged anew. */
async function freeReference({ context }: OperationContext, sent: SentCharge): Promise<void> {
	forgetCharge(sent);
	await sent.claim?.release(storeOf(context));
}

async function settledByEvents(
	work: OperationContext,
	{ lookBackDays }: Charge,
	{ referenceID }: Due,
): Promise<Settled> {
	return outcomeOf(await eventsOf(work, referenceID, lookBackDays));
}
