import type { NodeApiError } from 'n8n-workflow';

import { createKeyedMutex } from '../gateway/keyedMutex';
import { sleepUntilAborted } from '../gateway/sleep';
import type { OperationContext } from '../operation/operation';
import { textOf } from '../wire/json';
import { isCaptured } from '../wire/payment';
import { chargeOf } from './charge';
import type { Charge, ChargeRequest } from './charge';
import { ChargeLock } from './chargeLock';
import { freeForRetry, settleEarlierCharges } from './earlierCharges';
import { errorWith, lockNotAcquired, outcomeUnknown, refusalOf } from './errors';
import { guardCart } from './guards';
import { keysOf } from './keys';
import { lockStoreOf } from './lockStore';
import { lookUpPayment, paymentIfKnown } from './lookUp';
import { blocksCharge, resultOfCharge, resultOfPayment } from './result';
import type { ChargeResult } from './result';
import { findSent, remember, waitAfterRefusal } from './sentCharges';
import type { SentCharge } from './sentCharges';

/**
 * Makes a charge at most once, by the order of these steps. The caller has run guardRequests (guards.ts).
 *
 *  1. Compute the cart from its payment data. From here on, its total and its reference are known.
 *  2. Wait for other charges of its reference or of its payment data in this process. If the last one was
 *     refused, wait until its failure cannot pass for this charge's (sentCharges.ts).
 *  3. If this process has sent the charge before, report what became of it, unless it failed.
 *  4. Check the cart against the bounds of the form.
 *  5. If the events show a payment of the reference, even one refunded or returned since, report it.
 *  6. Acquire the lock, against other workers of this node and this process after a restart.
 *  7. If step 5 began long ago, look at the events once more.
 *  8. Remember the charge as sent. Then send one request, which is never repeated.
 *  9. If the gateway refuses the charge, forget it and release the lock. Otherwise report the answer, or
 *     that the outcome is unknown.
 *
 * If one of steps 2 to 7 fails, nothing is sent. If step 1 fails, step 3 still reports a charge that this
 * process sent: once charged, a cart can be gone. With Allow Repeat Charge, step 3 looks for the same item
 * of the same run only, and steps 5 to 7 are left out.
 */

/**
 * Step 7 looks again if the first look-up began longer ago than this, in milliseconds. Usually it need
 * not: two requests, at a second each, and a free lock take less. The first look-up of a long list, or
 * a lock that other charges of the node wait for, can take minutes.
 */
const FRESH_FOR = 5_000;

const mutex = createKeyedMutex();

export async function chargeOnce(
	ctx: OperationContext,
	request: ChargeRequest,
): Promise<ChargeResult> {
	// 1. Compute the cart.
	const { paymentData, dynamicData } = request.data;
	const attempt = await ctx.client.attempt('computeTokenizedCheckout', {
		paymentData,
		dynamicData,
	});
	if ('error' in attempt) return await resultWithoutCart(ctx, request, attempt.error);
	const { answer, date = Date.now() } = attempt.reply;
	const gatewayNow = clockFrom(date);
	const cart = { total: answer.breakdown.total, referenceID: textOf(answer.referenceID) };
	const charge = chargeOf(ctx, request, cart);

	// 2. Wait for other charges of the reference or the payment data.
	return await mutex.run(charge.keys.identities, async () => {
		await sleepUntilAborted(waitAfterRefusal(charge.keys), ctx.context.getExecutionCancelSignal());

		// 3. Was it sent before? This comes before the bounds: the cart can have changed since.
		const result = await settleEarlierCharges(charge);
		if (result) return result;

		// 4. Check the cart.
		guardCart(ctx, request, cart);
		if (request.allowRepeat) return await send(charge, { gatewayNow, earlierFailures: new Set() });
		return await sendUnlessPaid(charge, gatewayNow);
	});
}

/**
 * The gateway's clock (the Date header of its answer) or, without one, this machine's. It is behind by up
 * to a second, since the header has no fractions, and by the time that the answer took to arrive.
 */
function clockFrom(date: number): () => number {
	const readAt = performance.now();
	return () => date + (performance.now() - readAt);
}

async function sendUnlessPaid(charge: Charge, gatewayNow: () => number): Promise<ChargeResult> {
	const { ctx, request, cart, keys } = charge;
	const store = lockStoreOf(ctx.context);
	const lock = new ChargeLock(keys.lock);
	// 5. Was it paid before?
	const lookUp = async () => await lookUpPayment(ctx, cart.referenceID, request.lookBackDays);
	const lookedUpAt = performance.now();
	let payment = await lookUp();
	if (blocksCharge(payment)) return resultOfPayment(ctx, cart, payment);

	// 6. Acquire the lock. If another worker has it, the events may show its charge by now.
	const lockResult = await lock.acquire(store);
	if (lockResult !== 'acquired') {
		const meanwhile = await paymentIfKnown(ctx, cart.referenceID, request.lookBackDays);
		if (meanwhile && blocksCharge(meanwhile)) return resultOfPayment(ctx, cart, meanwhile);
		throw errorWith(ctx, lockNotAcquired(charge, lockResult));
	}

	// 7. Was it paid meanwhile, for instance by a paylink?
	if (performance.now() - lookedUpAt > FRESH_FOR) {
		const release = async () => await lock.release(store);
		payment = await lookUp().catch(async (error: unknown) => {
			await release();
			throw error;
		});
		if (blocksCharge(payment)) {
			await release();
			return resultOfPayment(ctx, cart, payment);
		}
	}
	const earlierFailures = new Set(payment.failures.map(({ key }) => key));
	return await send(charge, { gatewayNow, earlierFailures, lock });
}

interface Sending extends Pick<SentCharge, 'earlierFailures'> {
	gatewayNow: () => number;
	/** Undefined if repeats are allowed. */
	lock?: ChargeLock;
}

async function send(
	charge: Charge,
	{ gatewayNow, earlierFailures, lock }: Sending,
): Promise<ChargeResult> {
	const { ctx, request, cart, keys } = charge;
	// 8. Remember it before anything can go wrong, and send it.
	const unanswered = { state: 'unanswered', transactionID: '', status: '' } as const;
	const sentAfter = gatewayNow();
	const sent: SentCharge = { cart, keys, lock, sentAfter, earlierFailures, ...unanswered };
	remember(sent);
	// renew() never rejects: it must not hide the answer to the charge.
	const [attempt] = await Promise.all([
		ctx.client.attempt('createTokenizedManualEntry', request.data),
		lock?.renew(lockStoreOf(ctx.context)),
	]);

	// 9. What came of it?
	const refusal = refusalOf(ctx, request.data, attempt);
	if (refusal) {
		await freeForRetry(ctx, sent);
		throw refusal;
	}
	if ('error' in attempt) {
		const { error, payment } = attempt;
		sent.transactionID = payment?.transactionID ?? '';
		// The error of the request itself, which has its HTTP status and its cause.
		throw Object.assign(error, outcomeUnknown(charge, error.message));
	}
	const { transactionID, status } = attempt.reply.answer;
	sent.transactionID = transactionID;
	sent.status = status;
	sent.state = isCaptured({ status }) ? 'charged' : 'pending';
	return resultOfCharge(ctx, sent);
}

/** A cart can be gone once it is charged. If this process has sent that charge, it is reported. */
async function resultWithoutCart(
	ctx: OperationContext,
	request: ChargeRequest,
	error: NodeApiError,
): Promise<ChargeResult> {
	const keys = keysOf(ctx, { paymentData: request.data.paymentData, referenceID: '' });
	const [sent] = findSent(keys, request.allowRepeat);
	if (!sent) {
		error.description = `This run charged nothing. A cart can be gone because it was charged before: check with Payment → Get Status. ${error.description}`;
		throw error;
	}
	const charge = chargeOf(ctx, request, sent.cart);
	const result = await mutex.run(
		charge.keys.identities,
		async () => await settleEarlierCharges(charge),
	);
	// The earlier charge failed, and without a cart no other can be made.
	if (!result) throw error;
	return result;
}
