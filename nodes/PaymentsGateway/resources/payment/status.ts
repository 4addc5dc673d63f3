import { keysOf } from '../../charge/keys';
import { chargesSent, hasFailed } from '../../charge/sentCharges';
import type { SentCharge } from '../../charge/sentCharges';
import type { OperationContext } from '../../operation/operation';
import { CART_CURRENCY } from '../../output/money';
import { outcomeOf } from './outcome';
import type { Outcome, Settled } from './outcome';
import type { PaymentEvent } from './paymentEvent';

/**
 * What became of a payment: by the gateway's events and, as long as they show no payment, by what this
 * process has charged.
 */

/** `pending`: this process has sent a charge whose outcome has not shown. */
export type Status = Omit<Settled, 'outcome'> & { outcome: Outcome | 'pending' };

export function statusOf(
	work: OperationContext,
	reference: string,
	events: readonly PaymentEvent[],
): Status {
	const shown = outcomeOf(events);
	if (shown.outcome !== 'failed' && shown.outcome !== 'notFound') return shown;
	// By the reference alone.
	const sent = chargesSent(keysOf(work, '', reference), false);
	const captured = sent.filter(({ state }) => state === 'charged');
	if (captured.length > 0) return outcomeOf([...events, ...captured.map(asEvent)]);
	const open = sent.filter((charge) => isOpen(charge, shown.failures)).at(-1);
	return open ? { ...shown, ...pending(open) } : shown;
}

/** The event that the gateway will list of a captured charge. */
function asEvent(charge: SentCharge): PaymentEvent {
	const { transactionID = '', referenceID, total, notBefore } = charge;
	return {
		eventID: transactionID,
		type: 'payment_success',
		...{ date: new Date(notBefore).toISOString(), at: notBefore },
		...{ references: [referenceID], id: transactionID, parent: '' },
		...{ amount: total, currency: CART_CURRENCY, shown: '' },
	};
}

/** If its transaction is not known, any later failure may be its own. */
function isOpen(charge: SentCharge, failures: readonly PaymentEvent[]): boolean {
	if (charge.transactionID) return !hasFailed(charge, failures);
	return !failures.some(({ at }) => at > charge.notBefore);
}

function pending({ total, transactionID = '', notBefore }: SentCharge) {
	return {
		outcome: 'pending' as const,
		...{ amount: total, currency: CART_CURRENCY, transactionID },
		date: new Date(notBefore).toISOString(),
	};
}
