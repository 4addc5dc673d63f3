/**
 * The kinds of field that many forms have, by what they are called: a notice, a switch that is off, a
 * sum of money, a whole number.
 */

export function notice(name: string, words: string) {
	return { displayName: words, name, type: 'notice', default: '' } as const;
}

export function toggle<const L extends string, const N extends string>(
	displayName: L,
	name: N,
	description: string,
) {
	return { displayName, name, type: 'boolean', default: false, description } as const;
}

/** Text, because a number field of n8n would turn a typed 19,99 into 1999. */
export function money<const L extends string, const N extends string>(
	displayName: L,
	name: N,
	description: string,
) {
	const type = 'string';
	return { displayName, name, type, default: '', placeholder: 'e.g. 25.00', description } as const;
}

export function whole<const L extends string, const N extends string>(
	displayName: L,
	name: N,
	otherwise: number,
) {
	const typeOptions = { minValue: 0, numberPrecision: 0 } as const;
	return { displayName, name, type: 'number', typeOptions, default: otherwise } as const;
}
