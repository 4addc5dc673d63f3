import { randomBytes, randomUUID } from 'node:crypto';

/**
 * Makes IDs and the encrypted text that stands for a cart. They look like the service's own and
 * carry no meaning.
 */

/** Never the same twice, also not across resets: a test must not pass on an ID of its neighbour. */
export function identifier(prefix: string): string {
	return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}

/** The handle of a cart. It looks like what the service calls "encrypted": long and opaque. */
export function sealedPaymentData(): string {
	return randomBytes(120).toString('base64url');
}
