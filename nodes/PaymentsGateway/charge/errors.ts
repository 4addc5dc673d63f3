import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Attempt } from '../gateway/client';
import { gatewayMessage } from '../gateway/errors';
import type { OperationContext } from '../operation/operation';
import type { Answer, Data } from '../wire';
import { isDeclined } from '../wire/payment';
import type { Charge } from './charge';
import type { NotAcquired } from './chargeLock';

/**
 * The errors of a charge: what is known of it, and what to do. After a refusal the charge may be made
 * again. After an unknown outcome it may not. Whether a charge was refused depends on the HTTP
 * status and the `status` of the answer. The gateway's words are shown and not interpreted.
 */

interface Words {
	message: string;
	description: string;
}

export function errorWith({ fieldError }: OperationContext, { message, description }: Words) {
	return fieldError(message, description);
}

const TRY_AGAIN = 'Nothing was charged. You can try again, even with another payment method.';

/** The error of a charge that was certainly not made. Undefined if it may have been made. */
export function refusalOf(
	{ client, fieldError }: OperationContext,
	data: Data<'createTokenizedManualEntry'>,
	attempt: Attempt<Answer<'createTokenizedManualEntry'>>,
): NodeApiError | NodeOperationError | undefined {
	if ('error' in attempt) {
		if (!attempt.notCarriedOut) return undefined;
		const { error } = attempt;
		error.description = `${TRY_AGAIN} ${error.description}`;
		return error;
	}
	const { answer, body } = attempt.reply;
	if (!isDeclined(answer)) return undefined;
	const reason = gatewayMessage(body) || `The gateway answered ${answer.status}`;
	const message = `${reason} (transaction ${answer.transactionID})`;
	return fieldError(client.mask.hidingValuesOf(data).text(message), TRY_AGAIN);
}

/** What to do after checking Get Status. */
const IF_NOT_CHARGED =
	"if a failure dated after this charge appears, or nothing appears for a day (for a bank debit: five business days), charge it under a new reference, or with a copy of this node that has 'Allow Repeat Charge' on";

/** `why`: a clause, such as the message of an error. */
export function outcomeUnknown(charge: Charge, why: string, sent = 'The request was sent'): Words {
	const { referenceID } = charge.cart;
	const look =
		referenceID === ''
			? 'look for it with Event → Get Many'
			: `use Payment → Get Status with the reference "${referenceID}"`;
	return {
		message: `It is not known whether this payment was charged (${why}). Do not send it again; ${look}`,
		description: `${sent}, so the customer may have been charged. ${whatItBlocks(charge)}The outcome appears among the events; ${IF_NOT_CHARGED}.`,
	};
}

function whatItBlocks({ cart, request }: Charge): string {
	if (cart.referenceID === '') return '';
	// Without a lock, only the memory of this process blocks the reference.
	return request.allowRepeat
		? "The payment blocks its reference until n8n restarts, for 30 days at most, unless 'Allow Repeat Charge' is on. "
		: 'The payment blocks its reference for 30 days and is never charged again by itself. ';
}

/** Why a charge whose lock was not acquired was not made. */
export function lockNotAcquired(charge: Charge, why: NotAcquired): Words {
	if (why === 'sent') {
		const sent = 'The request may have been sent';
		return outcomeUnknown(charge, 'another execution may have sent it', sent);
	}
	if (why === 'charging') {
		return {
			message: `Another execution is charging the reference "${charge.cart.referenceID}", so this one did not charge it`,
			description:
				'Use Payment → Get Status in two minutes. If it finds no payment, run this again.',
		};
	}
	return {
		message:
			"Nothing was charged: n8n's database failed or was too slow, and without it a charge could be made twice",
		description: `Run this again after two minutes. If it then says that another execution may have sent the charge, that can be the lock left by this run, which sent nothing. Check with Payment → Get Status whether it is paid; ${IF_NOT_CHARGED}.`,
	};
}
