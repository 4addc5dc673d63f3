/**
 * What an email is, and when two of them are the same one. The gateway, a form and a spreadsheet
 * write it in any case and with blanks around it.
 */

/** Something on both sides of one "@", and no blank, comma or semicolon. */
const EMAIL = /^[^\s,;@]+@[^\s,;@]+$/;

export function isEmail(typed: string): boolean {
	return EMAIL.test(typed);
}

/** Two emails are the same where these are. */
export function emailKey(email: string): string {
	return email.trim().toLowerCase();
}
