/** The shapes that a text field can demand by `typeOptions.shape`, each with what its error says. */

export interface Shape {
	accepts: (text: string) => boolean;
	takes: string;
	/** What an error calls a text that is refused; without it, the text is quoted. */
	refused?: string;
}

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

export const shapes = {
	/**
	 * Something on both sides of one "@". Placeholders of a CRM, such as `unknown`, are refused: all
	 * rows with one would become a single customer, each row overwriting the one before.
	 */
	email: {
		accepts: matches(/^[^\s,;@]+@[^\s,;@]+$/),
		takes: 'one email address, such as name@email.com',
	},
	digits: { accepts: matches(/^\d+$/), takes: 'digits only' },
	monthAndYear: {
		accepts: matches(/^(?:0[1-9]|1[0-2])\/\d\d$/),
		takes: 'month and year, such as 08/29',
	},
	cardToken: {
		accepts: (text) => !isCardNumber(text),
		takes: 'the token from your checkout page',
		refused: 'a card number',
	},
} satisfies Record<string, Shape>;

export function shapeOf(name: unknown): Shape | undefined {
	return Object.entries(shapes).find(([each]) => each === name)?.[1];
}

const BETWEEN_DIGITS = /[\s\p{Dash_Punctuation}]/gu;
const CARD_LENGTH_AND_START = /^[2-6]\d{12,18}$/;

/** 13 to 19 digits that begin with 2 to 6 and pass the Luhn check. */
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
