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

interface Schema {
	type: string;
	properties?: Readonly<Record<string, Schema>>;
	items?: Schema;
}

/** Every value that the schema shows, with its type, such as `.lineItems[].total: number`. */
function typesShown({ type, properties = {}, items }: Schema, path = ''): string[] {
	return [
		// JavaScript has one type for both.
		`${path}: ${type === 'integer' ? 'number' : type}`,
		...Object.entries(properties).flatMap(([name, each]) => typesShown(each, `${path}.${name}`)),
		...(items ? typesShown(items, `${path}[]`) : []),
	];
}

/** The same of what an operation returns. null has no type. */
function typesReturned(value: unknown, path = ''): string[] {
	if (value === null) return [];
	if (Array.isArray(value)) {
		return [`${path}: array`, ...value.flatMap((each) => typesReturned(each, `${path}[]`))];
	}
	const inner = isObject(value) ? Object.entries(value) : [];
	const types = inner.flatMap(([name, each]) => typesReturned(each, `${path}.${name}`));
	return [`${path}: ${typeof value}`, ...types];
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
const NOT_IN_SCHEMAS = /^\.(discountBreakdown|gpEcommID)\b/;

test.each(operations)('$title returns what its output schema shows', async (each) => {
	const { resource, name, title } = each;
	const file = `nodes/PaymentsGateway/__schema__/v1.0.0/${resource}/${name}.json`;
	const shown = typesShown(JSON.parse(read(file)) as Schema);
	resetAndSeed(sandbox);
	const returned = new Set<string>();
	for (const form of (await SPECIAL_FORMS[title]?.()) ?? formsOf(title)) {
		for (const item of output(await run({ resource, operation: name, ...form }))) {
			typesReturned(item).forEach((type) => returned.add(type));
		}
	}
	const expected = [...returned].filter((type) => !NOT_IN_SCHEMAS.test(type));
	expect(expected.sort()).toEqual(shown.sort());
});
