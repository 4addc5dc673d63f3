import { isMasked, textOf } from './json';

/**
 * Compares emails as people write them: in any case, with blanks from spreadsheets and invisible
 * signs from copying, and with an accented letter as one sign or as two.
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** As the gateway is to store it, and to be asked for it. */
export function visibleEmail(email: string): string {
	return email.replace(INVISIBLE, '').trim();
}

/** Dots only where next to nothing stands before them: two in a row stand in some old addresses. */
const MASK = /[*•●…]+|#{2,}|(?<=^.{0,2})\.{2,}(?=@)/;

/** Also by a single sign: bo*@example.com. */
export function isMaskedEmail(shown: unknown): boolean {
	return isMasked(shown) || MASK.test(textOf(shown));
}

/** Whether a gateway that shows only a part of an email, as a••@example.com, may mean this one. */
export function fitsMask(shown: unknown, email: string): boolean {
	if (!isMaskedEmail(shown) || emailKey(textOf(shown)) === emailKey(email)) return false;
	const [first = '', ...others] = emailKey(textOf(shown)).split(MASK);
	const key = emailKey(email);
	return key.startsWith(first) && key.endsWith(others.at(-1) ?? '');
}

/** Two emails are the same where these are. */
export function emailKey(email: string): string {
	return visibleEmail(email).normalize('NFC').toLowerCase().normalize('NFC');
}
