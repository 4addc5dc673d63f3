import { isObject, valueAt } from '../wire/json';
import type { Field } from './field';
import { isEmpty } from './filledIn';

/**
 * Puts the form's labels in front of the gateway's words where these name a field in the gateway's
 * own spelling: `'Redirect After Success': data.form.onSuccessURL must be a URL`.
 */

/**
 * A path with dots, or a name with a capital inside: `form.tip.amount`, `lineItems[0].amount`,
 * `referenceID`; not `name@shop.com`. A single small word may be no name at all.
 */
const NAMES = /(?<![\w@/.-])[a-z]\w*(?:(?:\[\d+\])?\.[a-z]\w*)+|\b[a-z]+[A-Z]\w*/g;

/** What the form calls otherwise than the gateway, in small letters. */
const OTHERWISE = new Map([
	['cardid', 'paymentmethodid'],
	['disablecc', 'disablecard'],
	['dynamic', 'dynamicdata'],
	['filter', 'filters'],
]);

function partsOf(name: string): string[] {
	const parts = name
		.toLowerCase()
		.replace(/\[\d+\]/g, '')
		.split('.')
		.map((part) => OTHERWISE.get(part) ?? part);
	// The amount of a line item is how many of it.
	const isQuantity = parts.includes('lineitems') && parts.at(-1) === 'amount';
	return isQuantity ? [...parts.slice(0, -1), 'quantity'] : parts;
}

interface Known {
	label: string;
	/** The names of the fields that it stands in, and its own as the last, in small letters. */
	path: string[];
}

function knownIn(fields: readonly Field[], above: readonly string[] = []): Known[] {
	return fields.flatMap((field) => {
		const path = [...above, field.name.toLowerCase()];
		const inner = (field.options ?? []).flatMap((option) => {
			if ('values' in option) return knownIn(option.values, path);
			return 'type' in option ? knownIn([option], path) : [];
		});
		return [{ label: field.displayName, path }, ...inner];
	});
}

/** The label of the field of that name that has most of the names above it in common. */
function labelOf(name: string, known: readonly Known[]): string | undefined {
	const parts = partsOf(name);
	const shared = ({ path }: Known) => path.filter((part) => parts.includes(part)).length;
	return known
		.filter(({ path }) => path.at(-1) === parts.at(-1))
		.sort((a, b) => shared(b) - shared(a))[0]?.label;
}

/**
 * `filled` holds the parameters that were read, so that no field is named that the form hides, or
 * that stands in a collection to which nothing was added.
 */
export function withLabels(words: string, fields: readonly Field[], filled: object): string {
	const isFilled = ({ name }: Field) => {
		const value: unknown = valueAt(filled, name);
		return value !== undefined && !(isObject(value) && isEmpty(value));
	};
	const known = knownIn(fields.filter(isFilled));
	const labels = [...words.matchAll(NAMES)].flatMap(([name]) => labelOf(name, known) ?? []);
	const quoted = [...new Set(labels)].map((label) => `'${label}'`);
	return quoted.length === 0 ? words : `${quoted.join(', ')}: ${words}`;
}
