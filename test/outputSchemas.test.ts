import type { INodeParameterResourceLocator, INodeParameters } from 'n8n-workflow';

import { isObject } from '../nodes/PaymentsGateway/wire/json';
import { output } from './engine';
import { filled, resetAndSeed, variantsOf } from './everyField';
import { read } from './files';
import { operations } from './operations';
import { useNode } from './useNode';

/**
 * n8n shows an operation's output schema before its first run, and people build workflows on it. Each
 * schema must have the keys and types that the operation really returns.
 */

const { sandbox, run } = useNode();

/** The type of each key, such as `lineItems[].total`. Keys with no value have none. */
type Keys = Map<string, string>;

interface Schema {
	type: string;
	properties?: Readonly<Record<string, Schema>>;
	items?: Schema;
}

function keysOfSchema(
	{ properties = {}, items }: Schema,
	path: string,
	keys: Keys = new Map(),
): Keys {
	for (const [name, each] of Object.entries(properties)) {
		// JavaScript has one type for both.
		keys.set(`${path}${name}`, each.type === 'integer' ? 'number' : each.type);
		keysOfSchema(each, `${path}${name}.`, keys);
	}
	return items ? keysOfSchema(items, `${path.slice(0, -1)}[].`, keys) : keys;
}

function keysOfOutput(value: unknown, path: string, keys: Keys = new Map()): Keys {
	if (Array.isArray(value)) {
		for (const each of value) keysOfOutput(each, `${path.slice(0, -1)}[].`, keys);
	} else if (isObject(value)) {
		for (const [name, each] of Object.entries(value)) {
			const type = each === null ? undefined : Array.isArray(each) ? 'array' : typeof each;
			keys.set(`${path}${name}`, type ?? keys.get(`${path}${name}`) ?? '');
			keysOfOutput(each, `${path}${name}.`, keys);
		}
	}
	return keys;
}

/** Resets and seeds the sandbox for each form, then fills in every field. */
function formsOf(title: string): INodeParameters[] {
	const { fields } = operations.find((each) => each.title === title)?.operation ?? { fields: [] };
	return variantsOf(title).map((chosen) =>
		filled(fields, { paymentData: resetAndSeed(sandbox), ...chosen }),
	);
}

/** The only saved payment method of the customer that forms name. */
function savedMethod(): INodeParameterResourceLocator {
	const value = sandbox.customers[0]?.paymentCards[0]?.cardID ?? '';
	return { __rl: true, mode: 'id', value };
}

/** Pays a cart. Its event has every field that an event can have. */
async function pay(): Promise<INodeParameters> {
	const [form = {}] = formsOf('payment.charge').slice(-1);
	const parameters = { resource: 'payment', operation: 'charge', ...form };
	output(await run(parameters, { executionId: 'earlier' }));
	return form;
}

const withSavedMethod = (title: string) =>
	formsOf(title).map((form) => ({ ...form, paymentMethodId: savedMethod() }));

/** Forms for operations that would return fewer keys with every field filled in. */
const SPECIAL_FORMS: Readonly<
	Record<string, () => Promise<INodeParameters[]> | INodeParameters[]>
> = {
	'customer.getAll': () => [{ returnAll: true }],
	'paymentMethod.delete': () => withSavedMethod('paymentMethod.delete'),
	'paymentMethod.setDefault': () => withSavedMethod('paymentMethod.setDefault'),
	'paylink.create': () =>
		formsOf('paylink.create')
			.slice(0, 1)
			.map(({ customer, ...form }) => ({
				...form,
				customer: { ...Object(customer), customerPaymentId: savedMethod() },
			})),
	'event.getAll': async () => {
		await pay();
		return [{ returnAll: true }];
	},
	'payment.getStatus': async () => {
		await pay();
		return [{ referenceId: sandbox.charges[0]?.referenceID ?? '', expectedAmount: '25' }];
	},
	// The result of a refunded payment names the refund, too.
	'payment.charge': async () => {
		const form = await pay();
		sandbox.refund(sandbox.charges[0]?.transactionID ?? '');
		return [{ ...form, options: {} }];
	},
};

/**
 * A schema leaves out entries that the document does not show, and `gpEcommID`: n8n allows ten fields,
 * and this is the eleventh.
 */
const NOT_IN_SCHEMAS = /^(discountBreakdown|gpEcommID)\b/;

test.each(operations)('$title returns what its output schema shows', async (each) => {
	const { resource, name, title } = each;
	const file = `nodes/PaymentsGateway/__schema__/v1.0.0/${resource}/${name}.json`;
	const schema = JSON.parse(read(file)) as Schema;
	expect(schema.type).toBe('object');
	const shown = keysOfSchema(schema, '');
	resetAndSeed(sandbox);
	const returned: Keys = new Map();
	for (const form of (await SPECIAL_FORMS[title]?.()) ?? formsOf(title)) {
		for (const item of output(await run({ resource, operation: name, ...form }))) {
			keysOfOutput(item, '', returned);
		}
	}
	const expected = [...returned].filter(([key]) => !NOT_IN_SCHEMAS.test(key));
	expect(Object.fromEntries(expected)).toEqual(Object.fromEntries(shown));
});
