import type { PaymentOutcome } from '../events/outcome';
import type { OperationContext } from '../operation/operation';
import { CART_CURRENCY, formatDollars, formatMoney, majorUnitsOf } from '../output/money';
import type { Cart } from './charge';
import type { PaymentStatus } from './paymentStatus';
import type { SentCharge } from './sentCharges';

/** The output of Charge: the charge that was made, or the payment that kept it from being made. */

export interface ChargeResult {
	/** true if this charge went through, false if an earlier payment kept it from being made, null if pending. */
	charged: boolean | null;
	outcome: 'charged' | 'pending' | 'alreadyPaid' | 'refunded' | 'returned';
	/**
	 * What was paid, before any refund, in dollars or in the unit of the events' currency. If pending, the
	 * amount requested. If there are several payments and what is left after refunds is the cart's total,
	 * that total. null if unknown.
	 */
	amount: number | null;
	amountFormatted: string | null;
	/** Only if something was refunded. null if it is unknown how much. A net `amount` has it subtracted already. */
	refunded?: number | null;
	transactionID: string | null;
	status: string;
	referenceID: string;
	environment: string;
}

type Paid = Pick<PaymentOutcome, 'paid' | 'refunded' | 'currency' | 'transactionID'>;

function resultWith(
	{ client }: OperationContext,
	{ referenceID }: Cart,
	{ charged, outcome, status }: Pick<ChargeResult, 'charged' | 'outcome' | 'status'>,
	{ paid, refunded, currency, transactionID }: Paid,
): ChargeResult {
	const paidIn = currency || CART_CURRENCY;
	const inUnits = (cents?: number) => (cents === undefined ? null : majorUnitsOf(cents, paidIn));
	return {
		charged,
		outcome,
		amount: inUnits(paid),
		amountFormatted: paid === undefined ? null : formatMoney(paid, paidIn),
		...(refunded !== 0 && { refunded: inUnits(refunded) }),
		transactionID: transactionID || null,
		status,
		referenceID,
		environment: client.environment,
	};
}

/** What a charge pays if it is captured. */
export function amountsOf({ cart, transactionID }: SentCharge): Paid {
	return { paid: cart.total, refunded: 0, currency: CART_CURRENCY, transactionID };
}

/** The result of a charge that this process has sent and the gateway has not refused. */
export function resultOfCharge(ctx: OperationContext, sent: SentCharge): ChargeResult {
	const { cart, state, status } = sent;
	const isCharged = state === 'charged';
	const outcome = isCharged ? 'charged' : 'pending';
	return resultWith(ctx, cart, { charged: isCharged || null, outcome, status }, amountsOf(sent));
}

const ALREADY_PAID_RESULTS = {
	succeeded: { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
	partiallyRefunded: { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
	refunded: { charged: false, outcome: 'refunded', status: 'REFUNDED' },
	returned: { charged: false, outcome: 'returned', status: 'RETURNED' },
} as const;

/** A payment that went through, whatever has become of it since. */
interface EarlierPayment extends Paid {
	outcome: keyof typeof ALREADY_PAID_RESULTS;
	/** As in PaymentOutcome. */
	amount?: number | undefined;
	payments?: number;
}

export function blocksCharge<Payment extends Pick<PaymentStatus, 'outcome'>>(
	payment: Payment,
): payment is Payment & { outcome: EarlierPayment['outcome'] } {
	return payment.outcome in ALREADY_PAID_RESULTS;
}

/**
 * The result if the reference was paid before. It fails if the amount paid is not the cart's; currencies
 * are not compared, since a cart names none.
 */
export function resultOfPayment(
	ctx: OperationContext,
	cart: Cart,
	{ outcome, amount, payments = 1, ...earlier }: EarlierPayment,
): ChargeResult {
	// Paid twice and refunded once: what is left is what the cart costs, so this is no mismatch.
	const isNetTotal = payments > 1 && amount === cart.total;
	const paid = isNetTotal ? amount : earlier.paid;
	const result = resultWith(ctx, cart, ALREADY_PAID_RESULTS[outcome], { ...earlier, paid });
	// Nothing shows that an unknown amount differs.
	if (paid === undefined || paid === cart.total) return result;
	throw ctx.fieldError(
		`Nothing more was charged: ${result.amountFormatted} was already paid for the reference "${cart.referenceID}", and this cart costs ${formatDollars(cart.total)}`,
		'Check with Payment → Get Status what was paid. Use a new reference only for another payment.',
	);
}
