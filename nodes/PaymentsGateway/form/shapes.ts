/** The shapes that a text may have to have, each as an error describes it. `typeOptions.shape` names one. */

interface Shape {
	pattern: RegExp;
	takes: string;
}

export const shapes = {
	/**
	 * Something on both sides of one "@". What a CRM puts where it has none, such as `unknown`, is
	 * refused: all of its rows would become one customer, each written over the one before.
	 */
	email: { pattern: /^[^\s,;@]+@[^\s,;@]+$/, takes: 'one email address, such as name@email.com' },
	digits: { pattern: /^\d+$/, takes: 'digits only' },
	monthAndYear: { pattern: /^(?:0[1-9]|1[0-2])\/\d\d$/, takes: 'month and year, such as 08/29' },
} satisfies Record<string, Shape>;

export function shapeOf(name: unknown): Shape | undefined {
	return Object.entries(shapes).find(([each]) => each === name)?.[1];
}
