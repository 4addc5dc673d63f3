import { ChargeLock } from '../../charge/chargeLock';
import { keysOf } from '../../charge/keys';
import type { ChargeKeys } from '../../charge/keys';
import { lockStoreOf } from '../../charge/lockStore';
import { lookUpPayment } from '../../charge/lookUp';
import { chargesSent, forgetCharge, hasFailed, rememberCharge } from '../../charge/sentCharges';
import type { Due, SentCharge } from '../../charge/sentCharges';
import type { PaymentOutcome } from '../../events/outcome';
import { createKeyedMutex } from '../../gateway/keyedMutex';
import type { OperationContext } from '../../operation/operation';
import type { Data } from '../../wire';
import { textOf } from '../../wire/json';
import {
	notAgain,
	noteOrThrow,
	notOursWords,
	outcomeUnknown,
	paidBy,
	refusalOf,
	resultOf,
} from './chargeResult';
import type { ChargeResult } from './chargeResult';
import { guardCart } from './guards';
import type { Bounds } from './guards';

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

/** A charge of which it is known what its cart comes to. */
interface KnownCharge extends Charge {
	work: OperationContext;
	due: Due;
	keys: ChargeKeys;
}

/** Charges of one reference, or one payment data, are made one after another in this process. */
const mutex = createKeyedMutex();

export async function chargeOnce(work: OperationContext, charge: Charge): Promise<ChargeResult> {
	const { paymentData, dynamicData } = charge.data;
	const asKnown = (due: Due): KnownCharge => {
		return { ...charge, work, due, keys: keysOf(work, paymentData, due.referenceID) };
	};
	const cart = await work.client.attempt('computeTokenizedCheckout', { paymentData, dynamicData });
	if ('error' in cart) {
		// Once charged, a cart may be gone, or its run cancelled. What was sent of it is told.
		const [sent] = chargesSent(keysOf(work, paymentData, ''), charge.allowRepeat);
		const told =
			sent && (await mutex.run(sent.keys.shared, async () => await toldBySent(asKnown(sent))));
		if (told) return told;
		throw cart.error;
	}
	const { answer, date = Date.now() } = cart.reply;
	const { breakdown, referenceID } = answer;
	const known = asKnown({ total: breakdown.total, referenceID: textOf(referenceID) });
	return await mutex.run(known.keys.shared, async () => {
		// Before the bounds: what was charged is told, also where its cart has changed since.
		const told = await toldBySent(known);
		if (told) return told;
		guardCart(work, charge, known.due);
		return await chargeCart(known, date);
	});
}

/** Charges a cart of which nothing that this process has sent is open. */
async function chargeCart(known: KnownCharge, computedAt: number): Promise<ChargeResult> {
	const { work, data, due, keys, allowRepeat } = known;
	const { client, context } = work;
	const sent: SentCharge = { ...due, keys, notBefore: computedAt, state: 'sent' };
	if (!allowRepeat) {
		const settled = await settledByEvents(known);
		const paid = toldByEvents(known, settled);
		if (paid) return paid;
		// A failure that shows by now is none of this charge, even if attempts share an ID: the time of
		// the cart is known to the second alone.
		sent.notBefore = Math.max(computedAt, ...settled.failures.map(({ at }) => at || 0));
		sent.lock = new ChargeLock(keys.lock);
		const lock = await sent.lock.acquire(lockStoreOf(context));
		if (lock !== 'acquired') {
			// By now the events may show what another execution has charged.
			const meanwhile = await settledByEvents(known).catch(() => undefined);
			const paidMeanwhile = meanwhile && toldByEvents(known, meanwhile);
			if (paidMeanwhile) return paidMeanwhile;
			throw work.fieldError(...notOursWords(due, lock));
		}
	}

	// Noted before it leaves: whatever happens from here on, it is not sent again.
	rememberCharge(sent);
	const [answered] = await Promise.all([
		client.attempt('createTokenizedManualEntry', data),
		sent.lock?.renew(lockStoreOf(context)),
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
async function toldBySent(known: KnownCharge): Promise<ChargeResult | undefined> {
	const { work, due, keys, allowRepeat } = known;
	const earlier = chargesSent(keys, allowRepeat);
	if (earlier.length === 0) return undefined;
	// Where n8n runs the same item of the same run again, it gets its own result back.
	const own = earlier.find((sent) => sent.keys.item === keys.item && sent.state === 'charged');
	if (own) return resultOf(work, own);

	// A look-up that fails must not hide what was sent. Repeats would be taken for this charge.
	const settled = allowRepeat ? undefined : await settledByEvents(known).catch(() => undefined);
	const paid = settled && toldByEvents(known, settled);
	if (paid) return paid;
	const open = earlier.filter((sent) => !hasFailed(sent, settled?.failures));
	const charged = earlier.find(({ state }) => state === 'charged');
	if (charged) {
		const became = open.includes(charged) ? 'succeeded' : 'returned';
		return notAgain(work, due, became, paidBy(charged));
	}
	if (open.some(({ state }) => state === 'sent')) {
		const why = 'it was sent before, and no answer said what came of it';
		throw work.fieldError(...outcomeUnknown(due, why));
	}
	const [pending] = open;
	if (pending) return resultOf(work, pending);
	// What another node has sent stays noted: only that node reaches its lock.
	const ofThisNode = earlier.filter((sent) => sent.keys.node === keys.node);
	for (const sent of ofThisNode) await freeReference(work, sent);
	return undefined;
}

async function settledByEvents({ work, due, lookBackDays }: KnownCharge): Promise<PaymentOutcome> {
	return await lookUpPayment(work, due.referenceID, lookBackDays);
}

/** Defined where the events show that a payment ever went through. */
function toldByEvents(
	{ work, due }: KnownCharge,
	settled: PaymentOutcome,
): ChargeResult | undefined {
	const { outcome } = settled;
	if (outcome === 'failed' || outcome === 'notFound') return undefined;
	return notAgain(work, due, outcome, settled);
}

/** Nothing was charged, so the reference may be charged anew. */
async function freeReference({ context }: OperationContext, sent: SentCharge): Promise<void> {
	forgetCharge(sent);
	await sent.lock?.release(lockStoreOf(context));
}
