/**
 * How the pickers name a card or bank account, such as "VISA 4242". Both pickers use it, since a
 * customer is listed with a payment method.
 */

export function brandAndLast4({ brand, last4 }: { brand: string; last4: string }): string {
	return [brand, last4].filter((part) => part).join(' ');
}
