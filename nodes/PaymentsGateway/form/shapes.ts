import { isCardNumber } from './cardNumber';

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
