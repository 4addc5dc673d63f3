import type { NodeApiError } from 'n8n-workflow';

import { outcomeOf } from '../events/outcome';
import type { PaymentOutcome } from '../events/outcome';
import { createKeyedMutex } from '../gateway/keyedMutex';
import { sleepUntilAborted } from '../gateway/sleep';
import type { OperationContext } from '../operation/operation';
import { textOf } from '../wire/json';
import { isCaptured } from '../wire/payment';
import type { Cart, Charge, ChargeRequest } from './charge';
import { ChargeLock } from './chargeLock';
import { errorWith, lockNotAcquired, outcomeUnknown, refusalOf } from './errors';
import { guardCart } from './guards';
import { keysOf } from './keys';
import { lockStoreOf } from './lockStore';
import { lookUpPayment, statusWith } from './paymentStatus';
import { blocksCharge, resultOfCharge, resultOfPayment } from './result';
import type { ChargeResult } from './result';
import { findSent, forgetRefused, mayHaveFailed, remember, waitAfterRefusal } from './sentCharges';
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
	const computed = await computeCart(ctx, request);
	const { cart } = computed;
	const { paymentData } = request.data;
	const keys = keysOf(ctx, { paymentData, referenceID: cart.referenceID });
	const charge = { ctx, request, cart, keys };

	// 2. Wait for other charges of the reference or the payment data.
	return await mutex.run(keys.identities, async () => {
		await sleepUntilAborted(waitAfterRefusal(keys), ctx.context.getExecutionCancelSignal());

		// 3. Was it sent before? This comes before the bounds: the cart can have changed since.
		const result = await resultIfSent(charge);
		if (result) return result;
		if ('error' in computed) throw computed.error;

		// 4. Check the cart.
		guardCart(charge);
		const unpaid = request.allowRepeat
			? { lock: undefined, earlierFailures: new Set<string>() }
			: await lockUnlessPaid(charge);
		if ('charged' in unpaid) return unpaid;
		return await send(charge, { ...unpaid, sentAfter: computed.gatewayNow() });
	});
}

/** Step 1. If it fails: the error, and the cart of a charge that this process has sent. */
async function computeCart(
	ctx: OperationContext,
	{ data, allowRepeat }: ChargeRequest,
): Promise<{ cart: Cart } & ({ gatewayNow: () => number } | { error: NodeApiError })> {
	const { paymentData, dynamicData } = data;
	const attempt = await ctx.client.attempt('computeTokenizedCheckout', {
		paymentData,
		dynamicData,
	});
	if ('error' in attempt) {
		const { error } = attempt;
		error.description = `This run charged nothing. A cart can be gone because it was charged before: check with Payment → Get Status. ${error.description}`;
		const [sent] = findSent(keysOf(ctx, { paymentData, referenceID: '' }), allowRepeat);
		if (!sent) throw error;
		return { cart: sent.cart, error };
	}
	const { answer, date = Date.now() } = attempt.reply;
	const answeredAt = performance.now();
	return {
		cart: { total: answer.breakdown.total, referenceID: textOf(answer.referenceID) },
		// The clock of the gateway (the Date header): behind by up to a second, since the header has no
		// fractions, and by the time that the answer took to arrive. Without the header, this machine's clock.
		gatewayNow: () => date + (performance.now() - answeredAt),
	};
}

/**
 * Step 3. Throws if the outcome is unknown. If the events show that all earlier charges failed, frees those
 * of this node and returns undefined: the cart may be charged.
 */
async function resultIfSent(charge: Charge): Promise<ChargeResult | undefined> {
	const { ctx, request, cart, keys } = charge;
	const sent = findSent(keys, request.allowRepeat);
	if (sent.length === 0) return undefined;

	// If n8n runs the same item of a run again, the item gets its own result back.
	const own = sent.find((each) => each.keys.item === keys.item && each.state === 'charged');
	if (own) return resultOfCharge(ctx, own);

	// With repeats allowed, the events are not read: they could show another charge of the reference.
	const shown = request.allowRepeat ? undefined : await lookUp(charge).catch(() => undefined);
	const payment = statusWith(sent, shown ?? outcomeOf([]));
	if (blocksCharge(payment)) return resultOfPayment(ctx, cart, payment);

	// Without a transaction ID, no failure proves that the charge failed.
	const open = sent.filter(
		(each) => each.transactionID === '' || !mayHaveFailed(each, payment.failures),
	);
	if (open.some(({ state }) => state === 'unanswered')) {
		const why = 'it was sent before, and no answer confirmed the outcome';
		throw errorWith(ctx, outcomeUnknown(charge, why));
	}
	const [pending] = open;
	if (pending) return resultOfCharge(ctx, pending);

	// A charge of another node stays in memory: only that node can release its lock.
	for (const each of sent) if (each.keys.node === keys.node) await freeForRetry(ctx, each);
	return undefined;
}

/** Nothing was charged, so the same charge may be made again. */
async function freeForRetry({ context }: OperationContext, sent: SentCharge): Promise<void> {
	forgetRefused(sent);
	await sent.lock?.release(lockStoreOf(context));
}

async function lookUp({ ctx, request, cart }: Charge): Promise<PaymentOutcome> {
	return await lookUpPayment(ctx, cart.referenceID, request.lookBackDays);
}

/** Steps 5 to 7. Returns the result of an earlier payment or, if there is none, the lock. */
async function lockUnlessPaid(
	charge: Charge,
): Promise<ChargeResult | Pick<SentCharge, 'lock' | 'earlierFailures'>> {
	const { ctx, cart, keys } = charge;
	// 5. Was it paid before?
	const lookedUpAt = performance.now();
	let payment = await lookUp(charge);
	if (blocksCharge(payment)) return resultOfPayment(ctx, cart, payment);

	// 6. Acquire the lock. If another worker has it, the events may show its charge by now.
	const store = lockStoreOf(ctx.context);
	const lock = await ChargeLock.acquire(store, keys.lock);
	if (typeof lock === 'string') {
		const meanwhile = await lookUp(charge).catch(() => undefined);
		if (meanwhile && blocksCharge(meanwhile)) return resultOfPayment(ctx, cart, meanwhile);
		throw errorWith(ctx, lockNotAcquired(charge, lock));
	}

	// 7. Was it paid meanwhile, for instance by a paylink?
	if (performance.now() - lookedUpAt > FRESH_FOR) {
		payment = await lookUp(charge).catch(async (error: unknown) => {
			await lock.release(store);
			throw error;
		});
		if (blocksCharge(payment)) {
			await lock.release(store);
			return resultOfPayment(ctx, cart, payment);
		}
	}
	return { lock, earlierFailures: new Set(payment.failures.map(({ key }) => key)) };
}

/** Steps 8 and 9. */
async function send(
	charge: Charge,
	known: Pick<SentCharge, 'lock' | 'earlierFailures' | 'sentAfter'>,
): Promise<ChargeResult> {
	const { ctx, request, cart, keys } = charge;
	// 8. Remember it before anything can go wrong, and send it.
	const unanswered = { state: 'unanswered', transactionID: '', status: '' } as const;
	const sent: SentCharge = { cart, keys, ...known, ...unanswered };
	remember(sent);
	// renew() never rejects: it must not hide the answer to the charge.
	const [attempt] = await Promise.all([
		ctx.client.attempt('createTokenizedManualEntry', request.data),
		sent.lock?.renew(lockStoreOf(ctx.context)),
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
	const state = isCaptured({ status }) ? 'charged' : 'pending';
	return resultOfCharge(ctx, Object.assign(sent, { transactionID, status, state } as const));
}
