import type { FieldError } from './fieldError';
import { shortened } from './fieldError';

/**
 * Reads an email that is asked for. What a CRM puts where it has none, such as `n/a` or `unknown`,
 * is refused: all of its rows would become one customer, each written over the one before.
 */

/** Something on both sides of one "@", and no blank, comma or semicolon. */
const EMAIL = /^[^\s,;@]+@[^\s,;@]+$/;

export function checkedEmail(email: string, fieldError: FieldError): string {
	if (EMAIL.test(email)) return email;
	throw fieldError(
		`'Email' takes one email address, such as name@email.com, not "${shortened(email)}"`,
	);
}
