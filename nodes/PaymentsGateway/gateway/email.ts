/**
 * How emails are compared: people write them in any case, spaces come with spreadsheets, and a letter
 * with an accent can be one sign or two. What is copied may bring invisible signs along.
 */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g;

export function sameEmail(email: string): string {
	return email.replace(INVISIBLE, '').trim().normalize('NFC').toLowerCase().normalize('NFC');
}
