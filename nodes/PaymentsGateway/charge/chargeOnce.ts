import type { NodeApiError } from 'n8n-workflow';

import type { PaymentOutcome } from '../events/outcome';
import { createKeyedMutex } from '../gateway/keyedMutex';
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
import { findSent, remember } from './sentCharges';
import type { SentCharge } from './sentCharges';

/**
 * Makes a charge at most once, by the order of these steps. The caller has run guardRequests (guards.ts).
 *
 *  1. Compute the cart from its payment data. From here on, its total and its reference are known.
 *  2. Wait for other charges of its reference or of its payment data in this process.
 *  3. If this process has sent the charge before, report what became of it, unless it failed.
 *  4. Check the cart against the bounds of the form.
 *  5. If the events show a payment of the reference, even one refunded or returned since, report it.
 *  6. Acquire the lock, against other workers of this node and this process after a restart.
 *  7. Remember the charge as sent. Then send one request, which is never repeated.
 *  8. If the gateway refuses the charge, forget it and release the lock. Otherwise report the
 *     answer, or that the outcome is unknown.
 *
 * If one of steps 2 to 6 fails, nothing is sent. If step 1 fails, step 3 still reports a charge that this
 * process sent: once charged, a cart can be gone. With Allow Repeat Charge, step 3 looks for the same item
 * of the same run only, and steps 5 and 6 are left out.
 */

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
	// The gateway's time, by the Date header of its answer.
	const { answer, date: computedAt = Date.now() } = attempt.reply;
	const cart = { total: answer.breakdown.total, referenceID: textOf(answer.referenceID) };
	const charge = chargeOf(ctx, request, cart);

	// 2. Wait for other charges of the reference or the payment data.
	return await mutex.run(charge.keys.identities, async () => {
		// 3. Was it sent before? This comes before the bounds: the cart can have changed since.
		const result = await settleEarlierCharges(charge);
		if (result) return result;

		// 4. Check the cart.
		guardCart(ctx, request, cart);
		if (request.allowRepeat) return await send(charge, computedAt);

		// 5. Was it paid before?
		const { referenceID } = cart;
		const payment = await lookUpPayment(ctx, referenceID, request.lookBackDays);
		if (blocksCharge(payment)) return resultOfPayment(ctx, cart, payment);

		// 6. Acquire the lock. If another worker has it, the events may show its charge by now.
		const lock = new ChargeLock(charge.keys.lock);
		const lockResult = await lock.acquire(lockStoreOf(ctx.context));
		if (lockResult === 'acquired') {
			return await send(charge, sentAfterOf(computedAt, payment), lock);
		}
		const meanwhile = await paymentIfKnown(ctx, referenceID, request.lookBackDays);
		if (meanwhile && blocksCharge(meanwhile)) return resultOfPayment(ctx, cart, meanwhile);
		throw errorWith(ctx, lockNotAcquired(charge, lockResult));
	});
}

/**
 * The time after which a failure can belong to this charge: an earlier attempt can have the same
 * transaction ID. `computedAt` is in whole seconds, so a failure that is listed already can be dated
 * after it. `at` is NaN if a date cannot be read.
 */
function sentAfterOf(computedAt: number, { failures }: PaymentOutcome): number {
	return Math.max(computedAt, ...failures.map(({ at }) => at || 0));
}

async function send(charge: Charge, sentAfter: number, lock?: ChargeLock): Promise<ChargeResult> {
	const { ctx, request, cart, keys } = charge;
	// 7. Remember it before anything can go wrong, and send it.
	const unanswered = { state: 'unanswered', transactionID: '', status: '' } as const;
	const sent: SentCharge = { cart, keys, lock, sentAfter, ...unanswered };
	remember(sent);
	// renew() never rejects: it must not hide the answer to the charge.
	const [attempt] = await Promise.all([
		ctx.client.attempt('createTokenizedManualEntry', request.data),
		lock?.renew(lockStoreOf(ctx.context)),
	]);

	// 8. What came of it?
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
		error.description = `Nothing was charged. ${error.description}`;
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
