import { eventsOf } from '../resources/payment/eventIndex';
import { outcomeOf } from '../resources/payment/outcome';
import type { Settled as PaymentOutcome } from '../resources/payment/outcome';
import type { OperationContext } from '../operation/operation';
import type { Data } from '../wire';
import type { Bounds } from './guards';
import { keysOf } from './keys';
import type { ChargeKeys } from './keys';

/** A charge before it is sent, and the look-up of earlier payments of its reference. */

export interface Cart {
	/** In cents. */
	readonly total: number;
	/** Empty if the cart has none. */
	readonly referenceID: string;
}

/** What the form asks for. */
export interface ChargeRequest extends Bounds {
	readonly data: Data<'createTokenizedManualEntry'>;
	readonly lookBackDays: number;
	readonly allowRepeat: boolean;
}

/** A charge whose cart is known. */
export interface Charge {
	readonly ctx: OperationContext;
	readonly request: ChargeRequest;
	readonly cart: Cart;
	readonly keys: ChargeKeys;
}

export function chargeOf(ctx: OperationContext, request: ChargeRequest, cart: Cart): Charge {
	return { ctx, request, cart, keys: keysOf(ctx, request.data.paymentData, cart.referenceID) };
}

/** What the gateway's events show of the reference. It fails if one of them may be missing. */
export async function lookUpPayment({ ctx, request, cart }: Charge): Promise<PaymentOutcome> {
	return outcomeOf(await eventsOf(ctx, cart.referenceID, request.lookBackDays));
}

/** Undefined if the events cannot be read: what the process itself knows is then reported. */
export async function paymentIfKnown(charge: Charge): Promise<PaymentOutcome | undefined> {
	return await lookUpPayment(charge).catch(() => undefined);
}
