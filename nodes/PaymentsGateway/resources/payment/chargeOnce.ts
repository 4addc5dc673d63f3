import type { Work } from '../../operation/operation';
import { createTurns } from '../../operation/turns';
import { formatDollars } from '../../output/money';
import { textOf } from '../../wire/json';
import {
	alreadyPaid,
	guardSame,
	noteAnswer,
	notOurs,
	outcomeUnknown,
	paidBy,
	refusalOf,
	resultOf,
} from './chargeResult';
import type { Cart, Charge, Result } from './chargeResult';
import { Claim, storeOf } from './claims';
import type { Verdict } from './claims';
import { eventsOf } from './lookUp';
import { outcomeOf } from './outcome';
import type { Settled } from './outcome';
import { chargesSent, forgetCharge, hash, hasFailed, keysOf, rememberCharge } from './sentCharges';
import type { Keys, SentCharge } from './sentCharges';

/**
 * How a charge is made once at most: the order of the steps is the promise. The cart is computed;
 * then, in the turn of its reference, what this process has sent is asked, then the service's events
 * and n8n's store; only then is it noted and sent, once, and told what came of it.
 */

/**
 * Charges of one reference are made one after another, in all executions of this process, and so are
 * those of one payment data: a service could give it another reference each time.
 */
const inTurn = createTurns();

export async function chargeOnce(work: Work, charge: Charge): Promise<Result> {
	const cart = await computed(work, charge);
	const keys = keysOf(work, charge.data.paymentData, cart.referenceID);
	const { paymentData, reference } = keys;
	const run = async () => await chargeCart(work, charge, cart, keys);
	// Always in this order, so that no two wait for each other.
	return await inTurn(
		paymentData,
		async () => await (reference === undefined ? run() : inTurn(reference, run)),
	);
}

async function chargeCart(work: Work, charge: Charge, cart: Cart, keys: Keys): Promise<Result> {
	const { client, context } = work;
	const { data, allowRepeat } = charge;
	const { referenceID, total } = cart;

	const known = await sentBefore(work, charge, cart, keys);
	if (known) return known;
	guardCart(work, charge, cart);
	let claim: Claim | undefined;
	let { sentAt } = cart;
	if (!allowRepeat) {
		const { id } = context.getWorkflow();
		const settled = await settledByEvents(work, charge, cart);
		const paid = paidBy(work, cart, settled);
		if (paid) return paid;
		// The service's clock may be slow beside its events.
		sentAt = Math.max(sentAt, ...settled.failedAt.values());
		claim = new Claim(hash(client.scope, id, context.getNode().id, referenceID));
		const verdict = await claim.take(storeOf(context));
		if (verdict !== 'ours') return await paidMeanwhile(work, charge, cart, verdict);
	}
	// Written down before it leaves: whatever happens from here on, it is not sent again.
	const sent: SentCharge = { keys, referenceID, total, claim, sentAt, state: 'sent' };
	rememberCharge(sent);
	const [answered] = await Promise.all([
		client.attempt('createTokenizedManualEntry', data),
		claim?.hold(storeOf(context)),
	]);
	const refusal = refusalOf(work, charge, answered);
	if (refusal) {
		await letGo(work, sent);
		throw refusal;
	}
	return noteAnswer(work, sent, answered);
}

/** A cart may be gone once it was charged; what is known of that charge then stands in for it. */
async function computed(work: Work, { data, allowRepeat }: Charge): Promise<Cart> {
	const { paymentData, dynamicData } = data;
	const computing = await work.client.attempt('computeTokenizedCheckout', {
		paymentData,
		...(dynamicData === undefined ? {} : { dynamicData }),
	});
	if ('reply' in computing) {
		const { answer, date } = computing.reply;
		const { breakdown, referenceID } = answer;
		return {
			total: breakdown.total,
			referenceID: textOf(referenceID),
			sentAt: date ?? Date.now(),
		};
	}
	const { error } = computing;
	const [known] = chargesSent(keysOf(work, paymentData, ''), allowRepeat);
	if (known === undefined) throw error;
	return { total: known.total, referenceID: known.referenceID, sentAt: known.sentAt, error };
}

/** What must hold of a cart that is to be charged. */
function guardCart({ complain }: Work, charge: Charge, { total, referenceID, error }: Cart): void {
	if (error) throw error;
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
	if (total < 0) {
		throw complain(
			`Nothing was charged: the cart costs ${formatDollars(total)}`,
			'Check the cart, its adjustments and its discounts.',
		);
	}
	if (!allowRepeat && referenceID === '') {
		throw complain(
			'Nothing was charged: the cart has no reference, so nothing could show whether it was paid before',
			"Make the cart with a reference, or use 'Allow Repeat Charge' under Options.",
		);
	}
}

/**
 * What has become of charges that this process has sent. Undefined where all of them have failed, as
 * a debit does that comes back: the cart may then be charged anew.
 */
async function sentBefore(
	work: Work,
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
	const paid = settled && paidBy(work, cart, settled);
	if (paid) return paid;
	const open = earlier.filter((each) => !hasFailed(each, settled?.failedAt));
	const charged = open.find(({ state }) => state === 'charged');
	if (charged) {
		guardSame(work, cart, charged.total, formatDollars(charged.total));
		return { ...resultOf(work, charged), ...alreadyPaid };
	}
	if (open.some(({ state }) => state === 'sent')) {
		throw outcomeUnknown(work, cart, 'it was sent before, and its answer was lost');
	}
	const [pending] = open;
	if (pending) return resultOf(work, pending);
	for (const each of earlier) await letGo(work, each);
	return undefined;
}

async function letGo({ context }: Work, sent: SentCharge): Promise<void> {
	forgetCharge(sent);
	await sent.claim?.release(storeOf(context));
}

async function settledByEvents(work: Work, { lookBackDays }: Charge, cart: Cart): Promise<Settled> {
	return outcomeOf(await eventsOf(work, cart.referenceID, lookBackDays));
}

/** The events show by now, perhaps, what another execution has charged; an error where they do not. */
async function paidMeanwhile(
	work: Work,
	charge: Charge,
	cart: Cart,
	verdict: Exclude<Verdict, 'ours'>,
): Promise<Result> {
	const settled = await settledByEvents(work, charge, cart).catch(() => undefined);
	const paid = settled && paidBy(work, cart, settled);
	if (paid) return paid;
	throw notOurs(work, cart, verdict);
}
