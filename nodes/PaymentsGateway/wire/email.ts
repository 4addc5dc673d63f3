/**
 * When two emails are one: people write them in any case, spaces come with spreadsheets, a letter
 * with an accent can be one sign or two, and what is copied may bring invisible signs along.
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** As the service is to store it, and to be asked for it. */
export function visibleEmail(email: string): string {
	return email.replace(INVISIBLE, '').trim();
}

/** Two emails are the same where these are. */
export function emailKey(email: string): string {
	return visibleEmail(email).normalize('NFC').toLowerCase().normalize('NFC');
}
