import { toggle } from '../builders';

/** The form fields about events. Get Many and the trigger share them. */

/** The labels of the types that the gateway's document names. */
export const eventTypes = {
	payment_failed: 'Payment Failed',
	payment_refund: 'Payment Refunded',
	payment_success: 'Payment Succeeded',
} as const;

export const simplify = {
	...toggle(
		'Simplify',
		'simplify',
		'Whether to return a simplified version of the response instead of the raw data',
	),
	default: true,
} as const;
