import type { NodeApiError } from 'n8n-workflow';

import type { Data } from '../../wire';
import { isPaid, outcomeOf } from './outcome';
import type { Settled } from './outcome';
import { attemptsOf } from './attempts';
import type { Earlier, Note } from './attempts';
import type { Work } from '../../operation/operation';
import { eventsOf } from './history';
import { createTurns } from '../../operation/turns';
import type { Turn } from '../../operation/turns';

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

/** What the service says of a charge that went through. */
const DONE = 'CAPTURED';

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

/** Charges under way in this process: two executions at once charge once. */
const inTurn = createTurns<Note>();

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

interface Cart {
	total: number | undefined;
	referenceID: string;
}

function alreadyPaid({ client }: Work, cart: Cart, transactionID: string | undefined): Charged {
	return {
		charged: false,
		transactionID,
		status: 'ALREADY_PAID',
		referenceID: cart.referenceID,
		computedTotal: cart.total,
		environment: client.environment,
	};
}

/** What the events say of a reference. */
async function settledOf(work: Work, cart: Cart, lookBackDays: number): Promise<Settled> {
	return outcomeOf(await eventsOf(work, cart.referenceID, lookBackDays));
}

/** The result for a reference that is paid as the cart costs; undefined when it is not paid. */
function paidOf(
	work: Work,
	cart: Cart,
	settled: Settled,
	nothing?: 'Nothing more',
): Charged | undefined {
	if (!isPaid(settled)) return undefined;
	if (settled.amount !== undefined && cart.total !== undefined && settled.amount !== cart.total) {
		throw differs(work, settled.amount, cart, nothing);
	}
	return alreadyPaid(work, cart, settled.transactionID);
}

/** Tells what is known of a charge that was sent before, instead of sending it again. */
async function tell(
	work: Work,
	{ note, isRetry }: Earlier,
	cart: Cart,
	{ allowRepeat, lookBackDays }: Charge,
): Promise<Charged> {
	if (note.state === 'charged') {
		const { transactionID, status, computedTotal } = note;
		// n8n runs all items again after one has failed; what this very item has charged stays so.
		if (isRetry) {
			return { ...alreadyPaid(work, cart, transactionID), charged: true, status, computedTotal };
		}
		if (cart.total !== undefined && cart.total !== computedTotal) {
			throw differs(work, computedTotal, cart, 'Nothing more');
		}
		return alreadyPaid(work, cart, transactionID);
	}
	let why = 'it was sent before, and its answer was lost';
	// With repeats allowed, a payment that shows may be another one.
	if (!allowRepeat && cart.referenceID !== '') {
		// A lookup that fails must not hide that this was sent.
		const settled = await settledOf(work, cart, lookBackDays).catch(() => undefined);
		const paid = settled && paidOf(work, cart, settled, 'Nothing more');
		if (paid) return paid;
		if (settled?.outcome === 'failed') why += ', and so far its reference shows a failed payment';
	}
	throw unknownOutcome(work, cart.referenceID, why);
}

async function computed(
	{ client }: Work,
	{ paymentData, dynamicData }: Charge['data'],
	before: Earlier | undefined,
): Promise<Cart> {
	const result = await client.attempt('computeTokenizedCheckout', {
		paymentData,
		...(dynamicData === undefined ? {} : { dynamicData }),
	});
	if ('error' in result) {
		// A cart that was charged may be gone; what is known of the charge is told all the same.
		if (before) return { total: undefined, referenceID: before.referenceID };
		throw result.error;
	}
	const { breakdown, referenceID } = result.reply.answer;
	return {
		total: breakdown.total,
		referenceID: typeof referenceID === 'string' ? referenceID.trim() : '',
	};
}

export async function chargeOnce(work: Work, charge: Charge): Promise<Charged> {
	const { client, complain, context, itemIndex } = work;
	const runIndex = Number(context.getWorkflowDataProxy(itemIndex).$runIndex) || 0;
	const attempts = attemptsOf(context, client.scope, itemIndex, runIndex);
	const cancelled = context.getExecutionCancelSignal();
	const { data, allowRepeat, expectedTotal } = charge;
	// With repeats allowed, only the same item of the same run is the same charge.
	const suffix = allowRepeat ? `:${attempts.here}` : '';
	const byData = `data:${data.paymentData}${suffix}`;
	const before = attempts.earlier([byData]);
	const cart = await computed(work, data, before);
	if (before) return await tell(work, before, cart, charge);

	const { total, referenceID } = cart;
	if (expectedTotal !== 0 && total !== expectedTotal) {
		throw complain(
			`Nothing was charged: the cart costs ${total} cents, and "Expected Total (Cents)" is ${expectedTotal}`,
		);
	}
	if (!allowRepeat && referenceID === '') {
		throw complain(
			'Nothing was charged: the cart has no reference, so nothing could show whether it was paid before',
			'Make the cart with a Reference ID, or use "Allow Repeat Charge" under Options.',
		);
	}
	const names = referenceID === '' ? [byData] : [byData, `reference:${referenceID}${suffix}`];

	const charged = async (turn: Turn<Note>): Promise<Charged> => {
		const earlier = attempts.earlier(names);
		if (earlier) return await tell(work, earlier, cart, charge);
		const inherited = turn.word;
		let claim: string | undefined;
		if (!allowRepeat) {
			if (inherited) {
				return await tell(work, { note: inherited, isRetry: false, referenceID }, cart, charge);
			}
			const settled = await settledOf(work, cart, charge.lookBackDays);
			const paid = paidOf(work, cart, settled);
			if (paid) return paid;
			// A payment that was refunded may be made anew, once.
			claim = `claim:${referenceID}:${settled.payments}`;
			if (!(await attempts.claim(claim))) {
				throw unknownOutcome(work, referenceID, 'an earlier execution has sent it');
			}
		}
		const takeBack = async () => {
			attempts.forget(names);
			if (inherited) turn.word = inherited;
			else delete turn.word;
			if (claim !== undefined) await attempts.release(claim);
		};
		if (cancelled?.aborted) {
			await takeBack();
			throw complain('Nothing was charged: the execution was canceled');
		}
		// Written down before it leaves: whatever happens from here on, it is not sent again.
		turn.word = { state: 'sent' };
		attempts.note(names, turn.word, referenceID);
		const sent = await client.attempt('createTokenizedManualEntry', data);
		if ('error' in sent) {
			if (!sent.refused) throw withUnknownOutcome(sent.error, referenceID);
			await takeBack();
			throw sent.error;
		}
		const { transactionID, status } = sent.reply.answer;
		if (status.toUpperCase() !== DONE || total === undefined) {
			const why = `the service answered with the status "${status}" for the transaction ${transactionID}`;
			throw unknownOutcome(work, referenceID, client.mask.knowing(data).text(why));
		}
		turn.word = { state: 'charged', transactionID, status, computedTotal: total };
		attempts.note(names, turn.word, referenceID);
		return { ...alreadyPaid(work, cart, transactionID), charged: true, status };
	};
	return await inTurn(JSON.stringify([client.scope, referenceID || data.paymentData]), charged);
}
