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
const PATHS = /(?<![\w@/.-])[a-z]\w*(?:(?:\[\d+\])?\.[a-z]\w*)+|\b[a-z]+[A-Z]\w*/g;

/** What the form calls otherwise than the gateway, in small letters. */
const NAMES_IN_FORM = new Map([
	['cardid', 'paymentmethodid'],
	['disablecc', 'disablecard'],
	['dynamic', 'dynamicdata'],
	['filter', 'filters'],
]);

/** The names of a path, as the form has them: `lineItems[0].amount` is lineitems and quantity. */
function namesIn(path: string): string[] {
	const names = path
		.toLowerCase()
		.replace(/\[\d+\]/g, '')
		.split('.');
	// The amount of a line item is how many of it.
	if (names.includes('lineitems') && names.at(-1) === 'amount') names.splice(-1, 1, 'quantity');
	return names.map((name) => NAMES_IN_FORM.get(name) ?? name);
}

interface Labelled {
	label: string;
	/** The names of the fields around the field, and its own as the last, in small letters. */
	names: string[];
}

function labelledIn(fields: readonly Field[], around: readonly string[] = []): Labelled[] {
	return fields.flatMap((field) => {
		const names = [...around, field.name.toLowerCase()];
		const inner = (field.options ?? []).flatMap((option) => {
			if ('values' in option) return labelledIn(option.values, names);
			return 'type' in option ? labelledIn([option], names) : [];
		});
		return [{ label: field.displayName, names }, ...inner];
	});
}

/** The label of the field of that name that has most of the names around it in common. */
function labelOf(path: string, labelled: readonly Labelled[]): string | undefined {
	const wanted = namesIn(path);
	const shared = ({ names }: Labelled) => names.filter((name) => wanted.includes(name)).length;
	return labelled
		.filter(({ names }) => names.at(-1) === wanted.at(-1))
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
	const labelled = labelledIn(fields.filter(isFilled));
	const labels = [...words.matchAll(PATHS)].flatMap(([path]) => labelOf(path, labelled) ?? []);
	const quoted = [...new Set(labels)].map((label) => `'${label}'`);
	return quoted.length === 0 ? words : `${quoted.join(', ')}: ${words}`;
}
