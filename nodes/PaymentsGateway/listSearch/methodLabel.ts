/** "VISA 4242", as far as it is known. */
export function methodLabel({ brand, last4 }: { brand: string; last4: string }): string {
	return [brand, last4].filter((part) => part).join(' ');
}
