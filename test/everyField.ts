import type { INodeParameters } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import { isObject } from '../nodes/PaymentsGateway/wire/json';
import type { Sandbox } from './sandbox';

/** Every field that holds a value, and the forms of all operations with each of them filled in. */

type Path = readonly string[];

export interface Leaf {
	field: Field;
	/** Where its value stands; '0' is the first row of a list. */
	path: Path;
	/** What must be chosen elsewhere for the form to show it. */
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

/** The parameters with something else at a path. */
export function put(target: unknown, [head, ...rest]: Path, value: unknown): unknown {
	if (head === undefined) return value;
	if (head === '0') return [put(Array.isArray(target) ? target[0] : undefined, rest, value)];
	const inner = isObject(target) ? target : {};
	return { ...inner, [head]: put(inner[head], rest, value) };
}

/** What is chosen, by the name of a field; `undefined` leaves one out, with all that it holds. */
export type Chosen = Readonly<Record<string, string | boolean | undefined>>;

/** The ways to fill in the form of each operation that has more than one. */
const WAYS: Readonly<Record<string, readonly Chosen[]>> = {
	'customer.create': [{ instrument: 'card' }, { instrument: 'ach' }, { instrument: 'gpecomm' }],
	'paymentMethod.add': [{ instrument: 'card' }, { instrument: 'ach' }, { instrument: 'gpecomm' }],
	'payment.charge': [{ paymentType: 'card' }, { paymentType: 'ach' }],
	'payment.getStatus': [{ waitForOutcome: false }],
	'event.getAll': [{ receivedBefore: undefined }],
	// Nobody could pay where both are disabled, and tips stand in one of two places.
	'paylink.create': [
		{ disableAch: false, dynamicData: undefined },
		{ disableAch: false, pricing: undefined, pricingMode: 'lineItems', productSource: 'id' },
		{ disableAch: false, pricing: undefined, pricingMode: 'lineItems' },
	],
};
export const waysOf = (title: string): readonly Chosen[] => WAYS[title] ?? [{}];

/** Whether a field is left out. */
export function lacks(chosen: Chosen, { path }: Leaf): boolean {
	return path.some((name) => name in chosen && chosen[name] === undefined);
}

/** What text is put in where not any is taken; elsewhere it is the name of the field. */
const TEXTS: Readonly<Record<string, string>> = {
	...{ email: 'ada@example.com', expiryDate: '08/29' },
	...{ accountNumber: '000123456789', routingNumber: '021000021' },
	...{ onSuccessUrl: 'https://typed.example/onSuccessUrl' },
	...{ onFailureUrl: 'https://typed.example/onFailureUrl' },
	...{ discountCodes: 'SAVE10', mostPerCharge: '1000', expectedTotal: '', lineItemsJson: '[]' },
};

/** Told from values that are no name, such as the field by which a list is filtered. */
export const typed = (name: string) => `typed ${name}`;

function valueFor({ name, type, displayName, default: otherwise }: Field): unknown {
	if (type === 'boolean') return true;
	if (type === 'number') return 1;
	if (type === 'dateTime') return '2125-01-01';
	if (type === 'resourceLocator') return { __rl: true, mode: 'id', value: typed(name) };
	if (type !== 'string' && type !== 'json') return otherwise;
	return TEXTS[name] ?? (displayName.includes('(Dollars') ? '1' : typed(name));
}

/** The form with every field filled in, but for what is chosen. */
export function filled(fields: readonly Field[], chosen: Chosen): INodeParameters {
	const form = leavesOf(fields)
		.filter((leaf) => !lacks(chosen, leaf))
		.reduce<unknown>(
			(all, { field, path }) => put(all, path, chosen[field.name] ?? valueFor(field)),
			{},
		);
	return Object(form);
}

/** A gateway that has what filled forms name. Answers the payment data of a cart. */
export function furnish(sandbox: Sandbox): string {
	sandbox.reset();
	const customer = { id: typed('customerId'), email: 'ada@example.com', nameOnCard: 'Before' };
	sandbox.addCustomer({ ...customer, card: { cardToken: 'tok_visa_4242' } });
	sandbox.addEvents(3);
	const product = { sku: typed('id'), name: 'Mug', price: 100 };
	return sandbox.addCart({ referenceID: 'R-1', lineItems: [{ product, amount: 1 }] });
}
