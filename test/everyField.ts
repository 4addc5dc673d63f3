import type { INodeParameters } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import { isObject } from '../nodes/PaymentsGateway/wire/json';
import type { Sandbox } from './sandbox';

/** All fields that hold a value, and the forms of all operations with these fields filled in. */

type Path = readonly string[];

export interface Leaf {
	field: Field;
	/** The path of its value; '0' is the first row of a list. */
	path: Path;
	/** The values of other fields with which the form shows it. */
	shown: ReadonlyArray<readonly [Path, unknown]>;
}

export function leavesOf(
	fields: readonly Field[],
	within: Path = [],
	above: Leaf['shown'] = [],
): Leaf[] {
	return fields.flatMap((field) => {
		if (field.type === 'notice') return [];
		const path = [...within, field.name];
		const own = Object.entries(field.displayOptions?.show ?? {}).map(
			([name, values]) => [[...within, name], values?.[0]] as const,
		);
		const shown = [...above, ...own];
		if (field.type === 'collection') return leavesOf((field.options ?? []) as Field[], path, shown);
		if (field.type !== 'fixedCollection') return [{ field, path, shown }];
		const row = field.typeOptions?.multipleValues === true ? ['0'] : [];
		return (field.options ?? []).flatMap((group) =>
			'values' in group ? leavesOf(group.values, [...path, group.name, ...row], shown) : [],
		);
	});
}

/** A copy with another value at a path. */
export function put(target: unknown, [head, ...rest]: Path, value: unknown): unknown {
	if (head === undefined) return value;
	if (head === '0') return [put(Array.isArray(target) ? target[0] : undefined, rest, value)];
	const inner = isObject(target) ? target : {};
	return { ...inner, [head]: put(inner[head], rest, value) };
}

/** Values by the name of a field; undefined omits the field and everything in it. */
export type Chosen = Readonly<Record<string, string | boolean | undefined>>;

/**
 * The variants in which each operation's form is filled in; an operation without an entry has one, with
 * every field set.
 */
const VARIANTS: Readonly<Record<string, readonly Chosen[]>> = {
	'customer.create': [{ instrument: 'card' }, { instrument: 'ach' }, { instrument: 'gpecomm' }],
	'paymentMethod.add': [{ instrument: 'card' }, { instrument: 'ach' }, { instrument: 'gpecomm' }],
	'payment.charge': [{ paymentType: 'card' }, { paymentType: 'ach' }],
	'payment.getStatus': [{ waitForOutcome: false }],
	'event.getAll': [{ receivedBefore: undefined }],
	// Nobody could pay if both were disabled, and a tip is in one of two places.
	'paylink.create': [
		{ disableAch: false, dynamicData: undefined },
		{ disableAch: false, pricing: undefined, pricingMode: 'lineItems', productSource: 'id' },
		{ disableAch: false, pricing: undefined, pricingMode: 'lineItems' },
	],
};
export const variantsOf = (title: string): readonly Chosen[] => VARIANTS[title] ?? [{}];

export function omits(chosen: Chosen, { path }: Leaf): boolean {
	return path.some((name) => name in chosen && chosen[name] === undefined);
}

/** Valid texts for fields that reject arbitrary text; other fields get their own name. */
const TEXTS: Readonly<Record<string, string>> = {
	email: 'ada@example.com',
	expiryDate: '08/29',
	accountNumber: '000123456789',
	routingNumber: '021000021',
	onSuccessUrl: 'https://typed.example/onSuccessUrl',
	onFailureUrl: 'https://typed.example/onFailureUrl',
	discountCodes: 'SAVE10',
	mostPerCharge: '1000',
	expectedTotal: '',
	lineItemsJson: '[]',
};

/** The prefix marks values that carry their field's name. */
export const typed = (name: string) => `typed ${name}`;

function valueFor({ name, type, displayName, default: fallback }: Field): unknown {
	if (type === 'boolean') return true;
	if (type === 'number') return 1;
	if (type === 'dateTime') return '2125-01-01';
	if (type === 'resourceLocator') return { __rl: true, mode: 'id', value: typed(name) };
	if (type !== 'string' && type !== 'json') return fallback;
	return TEXTS[name] ?? (displayName.includes('(Dollars') ? '1' : typed(name));
}

/** The form with every field filled in, with the chosen values. */
export function filled(fields: readonly Field[], chosen: Chosen): INodeParameters {
	const form = leavesOf(fields)
		.filter((leaf) => !omits(chosen, leaf))
		.reduce<unknown>(
			(all, { field, path }) => put(all, path, chosen[field.name] ?? valueFor(field)),
			{},
		);
	return Object(form);
}

/** Resets the sandbox and adds what filled forms refer to. Returns the payment data of a cart. */
export function resetAndSeed(sandbox: Sandbox): string {
	sandbox.reset();
	sandbox.addCustomer({
		id: typed('customerId'),
		email: 'ada@example.com',
		nameOnCard: 'Before',
		card: { cardToken: 'tok_visa_4242' },
	});
	sandbox.addEvents(3);
	const product = { sku: typed('id'), name: 'Mug', price: 100 };
	return sandbox.addCart({ referenceID: 'R-1', lineItems: [{ product, amount: 1 }] });
}
