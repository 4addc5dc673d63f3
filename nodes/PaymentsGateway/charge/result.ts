import type { Outcome, PaymentOutcome } from '../events/outcome';
import type { OperationContext } from '../operation/operation';
import { CART_CURRENCY, dollarsOf, formatDollars, formatMoney } from '../output/money';
import type { Cart } from './charge';
import type { SentCharge } from './sentCharges';

/** The output of Charge: the charge that was made, or the payment that kept it from being made. */

export interface ChargeResult {
	/** null if the gateway has yet to settle the charge. */
	charged: boolean | null;
	outcome: 'charged' | 'pending' | 'alreadyPaid' | 'refunded' | 'returned';
	/** What was paid, in dollars. null if unknown, as with several currencies. */
	amount: number | null;
	amountFormatted: string | null;
	/** Only if something was refunded. null if it is unknown how much. */
	refunded?: number | null;
	transactionID: string | null;
	status: string;
	referenceID: string;
	environment: string;
}

type Paid = Pick<PaymentOutcome, 'paid' | 'amount' | 'refunded' | 'currency' | 'transactionID'>;

function resultWith(
	{ client }: OperationContext,
	{ referenceID }: Cart,
	{ charged, outcome, status }: Pick<ChargeResult, 'charged' | 'outcome' | 'status'>,
	{ paid, refunded, currency, transactionID }: Omit<Paid, 'amount'>,
): ChargeResult {
	const paidIn = currency || CART_CURRENCY;
	const dollars = (cents?: number) => (cents === undefined ? null : dollarsOf(cents, paidIn));
	return {
		charged,
		outcome,
		amount: dollars(paid),
		amountFormatted: paid === undefined ? null : formatMoney(paid, paidIn),
		...(refunded !== 0 && { refunded: dollars(refunded) }),
		transactionID: transactionID || null,
		status,
		referenceID,
		environment: client.environment,
	};
}

/** What a captured charge pays. */
export function paidBy({ cart, transactionID }: SentCharge): Paid {
	const { total } = cart;
	return { paid: total, amount: total, refunded: 0, currency: CART_CURRENCY, transactionID };
}

/** The result of a charge that this process has sent and the gateway has not refused. */
export function resultOfCharge(ctx: OperationContext, sent: SentCharge): ChargeResult {
	const { cart, state, status } = sent;
	const isCharged = state === 'charged';
	const outcome = isCharged ? 'charged' : 'pending';
	return resultWith(ctx, cart, { charged: isCharged || null, outcome, status }, paidBy(sent));
}

const NOT_CHARGED = {
	succeeded: { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
	partiallyRefunded: { charged: false, outcome: 'alreadyPaid', status: 'ALREADY_PAID' },
	refunded: { charged: false, outcome: 'refunded', status: 'REFUNDED' },
	returned: { charged: false, outcome: 'returned', status: 'RETURNED' },
} as const;

/** A payment that went through, whatever has become of it since. */
export interface EarlierPayment extends Paid {
	outcome: keyof typeof NOT_CHARGED;
}

export function wentThrough<P extends { outcome: Outcome }>(
	payment: P,
): payment is P & { outcome: keyof typeof NOT_CHARGED } {
	return payment.outcome in NOT_CHARGED;
}

/** The result if the reference was paid before. It fails if another amount than the cart's was paid. */
export function resultOfPayment(
	ctx: OperationContext,
	cart: Cart,
	payment: EarlierPayment,
): ChargeResult {
	const { outcome, paid, amount } = payment;
	// A payment that was refunded and made again has paid the cart once.
	const isKept = amount === cart.total && amount !== paid;
	const result = resultWith(
		ctx,
		cart,
		NOT_CHARGED[outcome],
		isKept ? { ...payment, paid: amount } : payment,
	);
	// Nothing shows that an unknown amount differs.
	if (paid === undefined || paid === cart.total || isKept) return result;
	throw ctx.fieldError(
		`Nothing more was charged: ${result.amountFormatted} was paid for the reference "${cart.referenceID}" already, and this cart costs ${formatDollars(cart.total)}`,
		'Look with Payment → Get Status at what was paid. Use a new reference only for another payment.',
	);
}
