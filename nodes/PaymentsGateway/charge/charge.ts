import type { OperationContext } from '../operation/operation';
import type { Data } from '../wire';
import type { AmountBounds } from './guards';
import { keysOf } from './keys';
import type { ChargeKeys } from './keys';

/** A charge before it is sent. */

export interface Cart {
	/** In cents. */
	readonly total: number;
	/** Empty if the cart has none. */
	readonly referenceID: string;
}

/** What the form asks for. */
export interface ChargeRequest extends AmountBounds {
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
	const { paymentData } = request.data;
	const keys = keysOf(ctx, { paymentData, referenceID: cart.referenceID });
	return { ctx, request, cart, keys };
}
