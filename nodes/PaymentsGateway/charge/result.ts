import type { PaymentOutcome } from '../events/outcome';
import type { OperationContext } from '../operation/operation';
import { CART_CURRENCY, formatDollars, formatMoney, majorUnitsOf } from '../output/money';
import type { Cart } from './charge';
import type { PaymentStatus } from './paymentStatus';
import type { SentCharge } from './sentCharges';

/** The output of Charge: the charge that was made, or the payment that kept it from being made. */

export type ChargeResult = ReturnType<typeof resultWith>;

interface Verdict {
	/** true if this charge went through, false if an earlier payment kept it from being made, null if pending. */
	charged: boolean | null;
	outcome: 'charged' | 'pending' | 'alreadyPaid' | 'refunded' | 'returned';
	status: string;
}

function resultWith(
	{ client }: OperationContext,
	{ referenceID }: Cart,
	{ charged, outcome, status }: Verdict,
	payment: Pick<PaymentOutcome, 'paid' | 'refunded' | 'currency' | 'transactionID'>,
) {
	const { paid, refunded, transactionID } = payment;
	const currency = payment.currency || CART_CURRENCY;
	const inUnits = (cents?: number) => (cents === undefined ? null : majorUnitsOf(cents, currency));
	return {
		charged,
		outcome,
		// What was paid, before any refund, in dollars or in the unit of the events' currency. If pending, the
		// amount requested. If there are several payments and what is left after refunds is the cart's total,
		// that total. null if unknown.
		amount: inUnits(paid),
		amountFormatted: paid === undefined ? null : formatMoney(paid, currency),
		// Only if something was refunded. null if it is unknown how much. A net `amount` has it subtracted already.
		...(refunded !== 0 && { refunded: inUnits(refunded) }),
		transactionID: transactionID || null,
		status,
		referenceID,
		environment: client.environment,
	};
}

/** The result of a charge that this process has sent and the gateway has not refused. */
export function resultOfCharge(ctx: OperationContext, sent: SentCharge): ChargeResult {
	const { cart, state, status, transactionID } = sent;
	const isCharged = state === 'charged';
	const outcome = isCharged ? 'charged' : 'pending';
	const paid = { paid: cart.total, refunded: 0, currency: CART_CURRENCY, transactionID };
	return resultWith(ctx, cart, { charged: isCharged || null, outcome, status }, paid);
}

const ALREADY_PAID_RESULTS = {
	succeeded: { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
	partiallyRefunded: { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
	refunded: { charged: false, outcome: 'refunded', status: 'REFUNDED' },
	returned: { charged: false, outcome: 'returned', status: 'RETURNED' },
} as const;

/** A payment that went through, whatever has become of it since. */
type EarlierPayment = PaymentStatus & { outcome: keyof typeof ALREADY_PAID_RESULTS };

export function blocksCharge(payment: PaymentStatus): payment is EarlierPayment {
	return payment.outcome in ALREADY_PAID_RESULTS;
}

/**
 * The result if the reference was paid before. It fails if the amount paid is not the cart's; currencies
 * are not compared, since a cart names none.
 */
export function resultOfPayment(
	ctx: OperationContext,
	cart: Cart,
	payment: EarlierPayment,
): ChargeResult {
	const { outcome, amount, payments } = payment;
	// Paid twice and refunded once: what is left is what the cart costs, so this is no mismatch.
	const isNetTotal = payments > 1 && amount === cart.total;
	const paid = isNetTotal ? amount : payment.paid;
	const result = resultWith(ctx, cart, ALREADY_PAID_RESULTS[outcome], { ...payment, paid });
	// Nothing shows that an unknown amount differs.
	if (paid === undefined || paid === cart.total) return result;
	throw ctx.fieldError(
		`Nothing more was charged: ${result.amountFormatted} was already paid for the reference "${cart.referenceID}", and this cart costs ${formatDollars(cart.total)}`,
		'Check with Payment → Get Status what was paid. Use a new reference only for another payment.',
	);
}
