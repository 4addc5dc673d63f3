/**
 * Recognises a card number, so that none is sent as a card token. A text is refused if it consists of
 * 13 to 19 digits, begins with 2 to 6 and passes the Luhn check; spaces and dashes do not count.
 */

const BETWEEN_DIGITS = /[\s\p{Dash_Punctuation}]/gu;
const CARD_LENGTH_AND_START = /^[2-6]\d{12,18}$/;

export function isCardNumber(text: string): boolean {
	const digits = text.replace(BETWEEN_DIGITS, '');
	return CARD_LENGTH_AND_START.test(digits) && passesLuhnCheck(digits);
}

/** From the right, every second digit counts twice; the sum of all digits ends in 0. */
function passesLuhnCheck(digits: string): boolean {
	const sum = [...digits].reverse().reduce((total, digit, index) => {
		const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
		return total + (value > 9 ? value - 9 : value);
	}, 0);
	return sum % 10 === 0;
}
