import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import type { RunResult } from './engine';
import { isObject, valueAt } from '../nodes/PaymentsGateway/wire/json';
import { operations } from './operations';
import { isEndpoint } from './sandbox/endpoints';
import { misfits } from './sandbox/form';
import { useNode } from './useNode';

/**
 * Whatever an expression puts into whichever field: the item is refused in words that name a field,
 * or a request leaves that is typed as docs/service.md has it.
 */

const { sandbox, run: runNode, later } = useNode();

/** Of the sandbox's complaints those about the type: values are the gateway's to judge. */
function isMistyped(complaint: string, body: unknown): boolean {
	if (/ must be (a string|a boolean|an object|an array)$| is not a known field$/.test(complaint)) {
		return true;
	}
	if (/ must be one of /.test(complaint)) return !complaint.includes('.recurringMode ');
	const [path = '', what = ''] = complaint.split(' must be ');
	if (!/^(a number|an integer)/.test(what)) return false;
	const value = valueAt(body, path.replace(/\[(\d+)\]/g, '.$1'));
	const mayBeFraction = /(quantity|lineItems\[\d+\]\.amount|tip|tax|tip\.amount)$/.test(path);
	if (mayBeFraction) return typeof value !== 'number' || value < 0;
	const least = /(pricing\.amount|page|pageSize)$/.test(path) ? 1 : 0;
	return !Number.isSafeInteger(value) || Number(value) < least;
}

/** What left for the gateway and has not the type that docs/service.md says. */
function wrongOnTheWire(): string[] {
	return sandbox.requests.flatMap(({ endpoint, body }) => {
		if (!isEndpoint(endpoint) || !isObject(body)) return [endpoint];
		return misfits(endpoint, body.data).filter((complaint) => isMistyped(complaint, body));
	});
}

// The fields

type Path = readonly string[];

interface Leaf {
	field: Field;
	/** Where its value stands; '0' is the first row of a list. */
	path: Path;
	/** What must be chosen elsewhere for the form to show it. */
	chosen: ReadonlyArray<readonly [Path, unknown]>;
}

type Subject = (typeof subjects)[number];

/** The parameters with something else at a path. */
function put(target: unknown, [head, ...rest]: Path, value: unknown): unknown {
	if (head === undefined) return value;
	if (head === '0') return [put(Array.isArray(target) ? target[0] : undefined, rest, value)];
	const inner = isObject(target) ? target : {};
	return { ...inner, [head]: put(inner[head], rest, value) };
}

function leavesOf(fields: readonly Field[], within: Path = [], above: Leaf['chosen'] = []): Leaf[] {
	return fields.flatMap((field) => {
		if (field.type === 'notice') return [];
		const path = [...within, field.name];
		const shown = Object.entries(field.displayOptions?.show ?? {}).map(
			([name, values]) => [[...within, name], values?.[0]] as const,
		);
		const chosen = [...above, ...shown];
		if (field.type === 'collection') {
			return leavesOf((field.options ?? []) as Field[], path, chosen);
		}
		if (field.type !== 'fixedCollection') return [{ field, path, chosen }];
		const row = field.typeOptions?.multipleValues === true ? ['0'] : [];
		// A quantity is refused without its product.
		const sku = [[...path, 'items', '0', 'id'], 'MUG'] as const;
		const beside = field.name === 'quantityAmounts' ? [...chosen, sku] : chosen;
		return (field.options ?? []).flatMap((group) =>
			'values' in group ? leavesOf(group.values, [...path, group.name, ...row], beside) : [],
		);
	});
}

const subjects = operations.map(({ title, resource, name, operation: { fields } }) => {
	// Those of groups too.
	const words = JSON.stringify(fields).matchAll(/"displayName":"([^"]+)"/g);
	const labels = [...words].map(([, label = '']) => label);
	return { title, resource, operation: name, leaves: leavesOf(fields), labels };
});

const CUSTOMER = { __rl: true, mode: 'id', value: 'cus_1' };
const METHOD = { __rl: true, mode: 'id', value: 'card_1' };
const CARD = { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } };
const ACH = { details: { accountNumber: '000123456789', routingNumber: '110000000' } };

const ALL_METHODS = { card: CARD, ach: ACH, gpecomm: { details: { id: 'g' } } };
const ofCustomer = { customerId: CUSTOMER };
const ofMethod = { ...ofCustomer, paymentMethodId: METHOD };
const customerFields = { billingCity: 'Springfield' };
const filteredBy = (field: string, value: string) => ({
	...{ limit: 1, filters: { conditions: [{ field, value }] } },
});

/** Parameters with which each operation works; a test then spoils one of them. */
const works: Record<string, () => INodeParameters> = {
	'customer.create': () => ({ customerFields: { email: 'a@example.com' }, ...ALL_METHODS }),
	'customer.delete': () => ofCustomer,
	'customer.get': () => ofCustomer,
	'customer.getAll': () => filteredBy('email', 'a@example.com'),
	'customer.update': () => ({ ...ofCustomer, customerFields }),
	'customer.upsert': () => ({ email: 'a@example.com', customerFields }),
	'paymentMethod.add': () => ({ ...ofCustomer, ...ALL_METHODS }),
	'paymentMethod.delete': () => ofMethod,
	'paymentMethod.getAll': () => ofCustomer,
	'paymentMethod.setDefault': () => ofMethod,
	'cart.calculate': () => ({ paymentData: sandbox.addCart() }),
	'payment.charge': () => ({
		paymentData: sandbox.addCart({ referenceID: `R-${sandbox.carts.length}` }),
		...{ customerConsent: true, card: CARD, ach: ACH, options: { allowRepeatCharge: true } },
	}),
	'payment.getStatus': () => ({ referenceId: 'R-1', options: { waitTimeout: 1 } }),
	'paylink.create': () => ({
		...{ amount: 25, lineItems: { items: [{ name: 'Mug', price: 5, productId: 'prod_1' }] } },
	}),
	'event.getAll': () => filteredBy('type', 'payment_success'),
};
function furnish(): void {
	sandbox.reset();
	const card = { cardToken: 'tok_visa_4242' };
	sandbox.addCustomer({ id: 'cus_1', email: 'a@example.com', card });
	sandbox.addEvents(3);
}

async function run(subject: Subject, parameters: INodeParameters, items: IDataObject[]) {
	const { resource, operation } = subject;
	const settings = { onError: 'continueRegularOutput' as const };
	return await runNode({ resource, operation, ...parameters }, { items, settings });
}

// What is put there

let deep: unknown = 'deep';
for (let depth = 0; depth < 500; depth++) deep = depth % 2 ? [deep] : { deep };

/** One of each kind, for every field. */
const kinds: readonly unknown[] = [
	...[null, undefined, NaN, Infinity, -1, 0.5, 1e21, 12345678901234567890n, true, {}, [null]],
	...[JSON.parse('{"__proto__": {"polluted": true}}'), '__proto__'],
	...['x'.repeat(100_000), 'a\u0000b', '\ud800', '１２３', () => 1, new Date(0), deep],
];

/** More values, for fields that take something else than text. */
const hostile: readonly unknown[] = [
	...kinds,
	...['', '   ', -Infinity, -0, 1e-7, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1],
	...[[], [[]], [{}], { details: {}, items: [], value: {} }],
	...[{ __rl: true, mode: 'email', value: {} }, { constructor: { prototype: { polluted: true } } }],
	...['constructor', 'toString', 'a\u001bb\u0007', '12\udc00', '٣', '0x10', '1e3', '1,5', '-5'],
	...['2026-02-31', '{"a": 1}', '[{"product": {"name": "x", "price": null}}]', '={{ 1 }}'],
	...[new Date(NaN), new Map([[1, 1]]), /x/, new Error('boom')],
];

const UGLY =
	/TypeError|RangeError|undefined|NaN|\[object|Cannot |is not a function|is not iterable|call stack/;

/** What is wrong with how the items ended, and with what was sent for them. */
function faultsOf({ items, error }: RunResult, { labels }: Subject, least: number): string[] {
	if (error !== undefined) return [`the run ended: ${error.message}`];
	const said = items.flatMap(({ error: words }) => (typeof words === 'string' ? [words] : []));
	const namesField = (words: string) => labels.some((label) => words.includes(`'${label}'`));
	const isOfCustomer = (words: string) =>
		/^(?:No customer has the email|A customer with the email .* was made a moment ago)/.test(words);
	// The node's own refusals end with the item; anything else is the gateway's word.
	const isOurs = (words: string) => / \(item \d+ of \d+\)$/.test(words);
	return [
		...said.filter((words) => UGLY.test(words)),
		...said.filter((words) => isOurs(words) && !namesField(words) && !isOfCustomer(words)),
		...(items.length < least ? [`${least - items.length} items are missing`] : []),
		...wrongOnTheWire(),
	].map((words) => words.slice(0, 300));
}

/** n8n takes no expression in the others. */
const takesExpression = ({ field }: Leaf) => field.noDataExpression !== true;

/** Parameters with which the operation works and the form shows the field, with a value in it. */
function spoilt({ title }: Subject, leaf: Leaf, value: unknown, mode = 'id'): INodeParameters {
	const { field, path, chosen } = leaf;
	const shown = chosen.reduce<unknown>((all, [at, each]) => put(all, at, each), works[title]?.());
	const isLocator = field.type === 'resourceLocator';
	return Object(put(shown, path, isLocator ? { __rl: true, mode, value } : value));
}

test.each(subjects)('$title works before it is spoilt', async (subject) => {
	furnish();
	// Whom the one before has made is gone with its sandbox.
	later(600_000);
	const { cardID = '' } = sandbox.customers[0]?.paymentCards[0] ?? {};
	const right = JSON.stringify(works[subject.title]?.()).replace(METHOD.value, cardID);
	const { error, items } = await run(subject, JSON.parse(right), [{}]);
	expect([error?.message, items[0]?.error]).toEqual([undefined, undefined]);
});

describe('any value in any field', () => {
	test.each(subjects)('$title', async (subject) => {
		const found: Record<string, string[]> = {};
		for (const leaf of subject.leaves.filter(takesExpression)) {
			const { type, typeOptions, modes = [] } = leaf.field;
			for (const mode of type === 'resourceLocator' ? modes : [{ name: 'id' }]) {
				furnish();
				const isText = type === 'string' && typeOptions?.shape !== 'list';
				const items = (isText ? kinds : hostile).map((v) => ({ v: v as string }));
				const parameters = spoilt(subject, leaf, '={{ $json.v }}', mode.name);
				const result = await run(subject, parameters, items);
				const isList = subject.operation === 'getAll';
				const wrong = faultsOf(result, subject, isList ? 0 : items.length);
				if (wrong.length > 0) found[`${leaf.path.join('.')} (${mode.name})`] = wrong;
			}
		}
		expect(found).toEqual({});
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	});

	test('as the operation or the resource itself', async () => {
		const right = { resource: 'cart', operation: 'calculate' };
		for (const value of ['', 'constructor', '__proto__', 'toString', '={{ 1 }}', 'delete']) {
			for (const name of Object.keys(right)) {
				const { error } = await runNode({ ...right, [name]: value });
				expect(error?.message).toMatch(/'Resource' and 'Operation'/);
			}
		}
		expect(sandbox.requests).toEqual([]);
	});
});

test.each(subjects)(
	'what an expression does not find, and what is masked, is refused by name in $title',
	async (subject) => {
		for (const leaf of subject.leaves.filter(takesExpression)) {
			for (const item of [{}, { v: '••••6789' }]) {
				furnish();
				const { items, error } = await run(subject, spoilt(subject, leaf, '={{ $json.v }}'), [
					item,
				]);
				const words = error?.message ?? String(items[0]?.error);
				const isRefused = words.includes(`'${leaf.field.displayName}'`);
				// A CRM row without a phone is no mistake.
				const mayBeMissing = leaf.path[0] === 'customerFields' && !('v' in item);
				const seen = [leaf.path, isRefused || mayBeMissing || words];
				expect(seen).toEqual([leaf.path, true]);
				if (isRefused) expect(sandbox.requests).toEqual([]);
			}
		}
	},
);
