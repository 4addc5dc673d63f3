import type { OperationContext } from '../operation/operation';
import type { Charge } from './charge';
import { errorWith, outcomeUnknown } from './errors';
import { lockStoreOf } from './lockStore';
import { paymentIfKnown } from './lookUp';
import { statusOf } from './paymentStatus';
import { amountsOf, blocksCharge, resultOfCharge, resultOfPayment } from './result';
import type { ChargeResult } from './result';
import { findSent, forgetRefused, hasFailed } from './sentCharges';
import type { SentCharge } from './sentCharges';

/** What became of charges that this process has sent, according to its memory and the events. */

/**
 * Returns the result of an earlier charge. Throws if its outcome is unknown. If the events show that all
 * of them failed, frees those of this node and returns undefined: the cart may be charged.
 */
export async function settleEarlierCharges(charge: Charge): Promise<ChargeResult | undefined> {
	const { ctx, request, cart, keys } = charge;
	const sent = findSent(keys, request.allowRepeat);
	if (sent.length === 0) return undefined;

	// If n8n runs the same item of a run again, the item gets its own result back.
	const own = sent.find((each) => each.keys.item === keys.item && each.state === 'charged');
	if (own) return resultOfCharge(ctx, own);

	// With repeats allowed, the events are not read: they could show another charge of the
	// reference.
	const shown = request.allowRepeat
		? undefined
		: await paymentIfKnown(ctx, cart.referenceID, request.lookBackDays);
	// As Get Status reports it: after a refund, a repeated charge that is not listed yet is a payment, too.
	const payment = shown && statusOf(ctx, cart.referenceID, shown);
	if (payment && blocksCharge(payment)) return resultOfPayment(ctx, cart, payment);

	const notFailed = sent.filter((each) => !hasFailed(each, payment?.failures ?? []));
	// A captured charge that failed later was returned. It still blocks its reference.
	const charged = sent.find(({ state }) => state === 'charged');
	if (charged) {
		const outcome = notFailed.includes(charged) ? 'succeeded' : 'returned';
		return resultOfPayment(ctx, cart, { outcome, ...amountsOf(charged) });
	}
	if (notFailed.some(({ state }) => state === 'unanswered')) {
		const why = 'it was sent before, and no answer confirmed the outcome';
		throw errorWith(ctx, outcomeUnknown(charge, why));
	}
	const [pending] = notFailed;
	if (pending) return resultOfCharge(ctx, pending);

	// A charge of another node stays in memory: only that node can release its lock.
	for (const each of sent) if (each.keys.node === keys.node) await freeForRetry(ctx, each);
	return undefined;
}

/** Nothing was charged, so the same charge may be made again. */
export async function freeForRetry({ context }: OperationContext, sent: SentCharge): Promise<void> {
	forgetRefused(sent);
	await sent.lock?.release(lockStoreOf(context));
}
