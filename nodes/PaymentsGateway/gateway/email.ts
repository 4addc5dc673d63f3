/**
 * How emails are compared: people write them in any case, spaces come with spreadsheets, and a letter
 * with an accent can be one sign or two.
 */
export function sameEmail(email: string): string {
	return email.trim().normalize('NFC').toLowerCase().normalize('NFC');
}
