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
import type { Due, Result } from './chargeResult';
import { Claim, storeOf } from './claims';
import { guardCart } from './guards';
import type { Bounds } from './guards';
import { eventsOf } from './lookUp';
import { outcomeOf } from './outcome';
import type { Settled } from './outcome';
import { chargesSent, forgetCharge, hash, hasFailed, keysOf, rememberCharge } from './sentCharges';
import type { Keys, SentCharge } from './sentCharges';

/**
 * How a charge is made once at most: the order of the steps is the promise. The cart is computed;
 * then, in the turn of its reference, what this process has sent is asked, then the gateway's events
 * and n8n's store; only then is it noted and sent, once, and what came of it is told.
 */

interface Charge extends Bounds {
	data: Data<'createTokenizedManualEntry'>;
	lookBackDays: number;
	allowRepeat: boolean;
}

interface Cart extends Due {
	/** When it was computed, by the gateway's clock: nothing was sent before that. */
	computedAt: number;
	/** Why it cannot be computed; the rest is then what was known as it was charged. */
	error?: NodeApiError;
}

/**
 * Charges of one reference are made one after another, in all executions of this process, and so are
 * those of one payment data: a gateway could give it another reference each time.
 */
const inTurn = createTurns();

export async function chargeOnce(work: OperationContext, charge: Charge): Promise<Result> {
	const cart = await computed(work, charge);
	const keys = keysOf(work, charge.data.paymentData, cart.referenceID);
	const shared = [keys.paymentData, ...(keys.reference === undefined ? [] : [keys.reference])];
	return await inTurn(shared, async () => await chargeCart(work, charge, cart, keys));
}

/** A cart may be gone once it was charged; what is known of that charge then stands in for it. */
async function computed(work: OperationContext, { data, allowRepeat }: Charge): Promise<Cart> {
	const { paymentData, dynamicData } = data;
	const computing = await work.client.attempt('computeTokenizedCheckout', {
		paymentData,
		dynamicData,
	});
	if ('reply' in computing) {
		const { answer, date = Date.now() } = computing.reply;
		const referenceID = textOf(answer.referenceID);
		return { total: answer.breakdown.total, referenceID, computedAt: date };
	}
	const { error } = computing;
	// The reference is what could not be computed.
	const [known] = chargesSent(keysOf(work, paymentData, ''), allowRepeat);
	if (known === undefined) throw error;
	return { total: known.total, referenceID: known.referenceID, computedAt: known.notBefore, error };
}

async function chargeCart(
	work: OperationContext,
	charge: Charge,
	cart: Cart,
	keys: Keys,
): Promise<Result> {
	const { client, context } = work;
	const { data, allowRepeat } = charge;
	const { referenceID, total } = cart;

	// Before the bounds: what was charged is told, also where its cart has changed since, or is gone.
	const before = await sentBefore(work, charge, cart, keys);
	if (before) return before;
	if (cart.error) throw cart.error;
	guardCart(work, charge, cart);

	let claim: Claim | undefined;
	let notBefore = cart.computedAt;
	if (!allowRepeat) {
		const settled = await settledByEvents(work, charge, cart);
		const paid = paidByEvents(work, cart, settled);
		if (paid) return paid;
		// An earlier failure may be dated after the cart, where the gateway's clock is behind that of its
		// events: it must not count as one of this charge.
		notBefore = Math.max(notBefore, ...[...settled.failed.values()].map(({ toldAt }) => toldAt));
		const { id } = context.getWorkflow();
		claim = new Claim(hash(client.scope, id, context.getNode().id, referenceID));
		const verdict = await claim.take(storeOf(context));
		if (verdict !== 'ours') {
			// The events show by now, perhaps, what another execution has charged.
			const meanwhile = await settledByEvents(work, charge, cart).catch(() => undefined);
			const paidMeanwhile = meanwhile && paidByEvents(work, cart, meanwhile);
			if (paidMeanwhile) return paidMeanwhile;
			throw work.fieldError(...notOurs(cart, verdict));
		}
	}

	// Written down before it leaves: whatever happens from here on, it is not sent again.
	const sent: SentCharge = { keys, referenceID, total, claim, notBefore, state: 'sent' };
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
 * What has become of charges that this process has sent. Undefined where there are none, or all of
 * them have failed, as a debit does that comes back: the cart may then be charged anew.
 */
async function sentBefore(
	work: OperationContext,
	charge: Charge,
	cart: Cart,
	keys: Keys,
): Promise<Result | undefined> {
	const earlier = chargesSent(keys, charge.allowRepeat);
	if (earlier.length === 0) return undefined;
	const own = earlier.find((each) => each.keys.item === keys.item && each.state === 'charged');
	// n8n runs the same item of the same run again: it gets its own result back.
	if (own) return resultOf(work, own);

	const canLook = !charge.allowRepeat && cart.referenceID !== '';
	// A look-up that fails must not hide that this was sent.
	const settled = canLook
		? await settledByEvents(work, charge, cart).catch(() => undefined)
		: undefined;
	const paid = settled && paidByEvents(work, cart, settled);
	if (paid) return paid;
	const open = earlier.filter((each) => !hasFailed(each, settled?.failed));
	const charged = open.find(({ state }) => state === 'charged');
	if (charged) return paidBefore(work, cart, charged);
	if (open.some(({ state }) => state === 'sent')) {
		throw work.fieldError(
			...outcomeUnknown(cart, 'it was sent before, and no answer said what came of it'),
		);
	}
	const [pending] = open;
	if (pending) return resultOf(work, pending);
	for (const each of earlier) await freeReference(work, each);
	return undefined;
}

/** Nothing was charged, so it may be charged anew. */
async function freeReference({ context }: OperationContext, sent: SentCharge): Promise<void> {
	forgetCharge(sent);
	await sent.claim?.release(storeOf(context));
}

async function settledByEvents(
	work: OperationContext,
	{ lookBackDays }: Charge,
	cart: Cart,
): Promise<Settled> {
	return outcomeOf(await eventsOf(work, cart.referenceID, lookBackDays));
}
