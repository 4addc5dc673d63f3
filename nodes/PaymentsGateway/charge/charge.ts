import type { OperationContext } from '../operation/operation';
import type { Data } from '../wire';
import type { ChargeKeys } from './keys';

/** A charge before it is sent. */

export interface Cart {
	/** In cents. */
	readonly total: number;
	/** Empty if the cart has none. */
	readonly referenceID: string;
}

/** What the form asks for. */
export interface ChargeRequest {
	readonly data: Data<'createTokenizedManualEntry'>;
	/** What the cart may cost, in cents. Undefined if the form sets no bound. */
	readonly expectedTotal: number | undefined;
	readonly mostPerCharge: number | undefined;
	readonly lookBackDays: number;
	readonly allowRepeat: boolean;
}

export interface Charge {
	readonly ctx: OperationContext;
	readonly request: ChargeRequest;
	readonly cart: Cart;
	readonly keys: ChargeKeys;
}
