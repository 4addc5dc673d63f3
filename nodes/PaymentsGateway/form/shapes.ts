import { isCardNumber } from './cardNumber';

/** The shapes that a text may have to have, each as an error describes it. `typeOptions.shape` names one. */

interface Shape {
	accepts: (text: string) => boolean;
	takes: string;
	/** What an error calls a text that is refused; without it, the text is quoted. */
	refused?: string;
}

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

export const shapes = {
	/**
	 * Something on both sides of one "@". What a CRM puts where it has none, such as `unknown`, is
	 * refused: all of its rows would become one customer, each written over the one before.
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
		takes: 'the token of your checkout page',
		refused: 'a card number',
	},
} satisfies Record<string, Shape>;

export function shapeOf(name: unknown): Shape | undefined {
	return Object.entries(shapes).find(([each]) => each === name)?.[1];
}
