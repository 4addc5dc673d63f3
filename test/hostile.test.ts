import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

import type { RunResult } from './engine';
import { isObject, valueAt } from '../nodes/PaymentsGateway/wire/json';
import { engine } from './engine';
import { tally } from './reliability/tally';
import { isEndpoint } from './sandbox/endpoints';
import { misfits } from './sandbox/form';
import { useNode } from './useNode';

/**
 * Whatever an expression puts into whichever field: the item is refused in words that name a field,
 * or a request leaves that is typed as docs/service.md has it. The fields are those of the built form.
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

// The fields, as the built node has them

type Path = readonly string[];

interface Leaf {
	field: INodeProperties;
	/** Where its value stands; '0' is the first row of a list. */
	path: Path;
	/** What must be chosen elsewhere for the form to show it. */
	chosen: ReadonlyArray<readonly [Path, unknown]>;
}

/** One operation. */
interface Subject {
	resource: string;
	operation: string;
	/** Parameters with which it works. */
	right(): INodeParameters;
	leaves: Leaf[];
	/** All labels of the operation, those of groups too. */
	labels: string[];
}

const GONE = Symbol('gone');

/** The parameters with something else at a path, or without what is there. */
function put(target: unknown, [head, ...rest]: Path, value: unknown): unknown {
	if (head === undefined) return value;
	if (head === '0') return [put(Array.isArray(target) ? target[0] : undefined, rest, value)];
	const { [head]: inner, ...others } = isObject(target) ? target : {};
	const changed = put(inner, rest, value);
	return changed === GONE ? others : { ...others, [head]: changed };
}

function leavesOf(
	fields: readonly INodeProperties[],
	within: Path = [],
	above: Leaf['chosen'] = [],
): Leaf[] {
	return fields.flatMap((field) => {
		if (field.type === 'notice') return [];
		const path = [...within, field.name];
		const shown = Object.entries(field.displayOptions?.show ?? {})
			.filter(([name]) => name !== 'resource' && name !== 'operation')
			.map(([name, values]) => [[...within, name], values?.[0]] as const);
		const chosen = [...above, ...shown];
		if (field.type === 'collection') {
			return leavesOf((field.options ?? []) as INodeProperties[], path, chosen);
		}
		if (field.type !== 'fixedCollection') return [{ field, path, chosen }];
		const row = field.typeOptions?.multipleValues === true ? ['0'] : [];
		return (field.options ?? []).flatMap((group) =>
			'values' in group ? leavesOf(group.values, [...path, group.name, ...row], chosen) : [],
		);
	});
}

async function subjectOf(name: string): Promise<Subject> {
	const [resource = '', operation = ''] = name.split('.');
	const { properties } = await engine.description('paymentsGateway');
	const fields = properties.filter(({ displayOptions: { show } = {} }) => {
		return show?.resource?.includes(resource) && show.operation?.includes(operation);
	});
	const words = JSON.stringify(fields).matchAll(/"displayName":"([^"]+)"/g);
	const labels = [...words].map(([, label = '']) => label);
	const right = () => works[name]?.() ?? {};
	return { resource, operation, right, leaves: leavesOf(fields), labels };
}

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
const OPERATIONS = Object.keys(works);

function furnish(): void {
	sandbox.reset();
	const card = { cardToken: 'tok_visa_4242' };
	sandbox.addCustomer({ id: 'cus_1', email: 'a@example.com', card });
	sandbox.addProduct({ id: 'prod_1' });
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

/** Counts, for docs/reliability.md, values put in, errors, requests sent, and what was wrong. */
function count(places: number, values: number, { items, error }: RunResult, wrong: string[]) {
	const worded = items.filter((item) => typeof item.error === 'string').length + (error ? 1 : 0);
	const requests = sandbox.requests.length;
	tally('inputs', { places, values, worded, requests, unclear: wrong.length });
}

/** n8n takes no expression in the others. */
const takesExpression = ({ field }: Leaf) => field.noDataExpression !== true;

/** What n8n stores of a field with that value. */
function stored({ field }: Leaf, value: unknown, mode = 'id'): unknown {
	return field.type === 'resourceLocator' ? { __rl: true, mode, value } : value;
}

/** Parameters with which the operation works and the form shows the field, with a value in it. */
function spoilt({ right }: Subject, leaf: Leaf, value: unknown, mode?: string): INodeParameters {
	const shown = leaf.chosen.reduce<unknown>((all, [at, chosen]) => put(all, at, chosen), right());
	return Object(put(shown, leaf.path, stored(leaf, value, mode)));
}

test('every operation of the form is known here, and works before it is spoilt', async () => {
	const { properties } = await engine.description('paymentsGateway');
	const known = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options = [] }) => {
			const resource = String(displayOptions?.show?.resource?.[0]);
			return options.map((option) => `${resource}.${'value' in option && option.value}`);
		});
	expect(known.sort()).toEqual([...OPERATIONS].sort());
	for (const name of OPERATIONS) {
		furnish();
		// Whom the one before has made is gone with its sandbox.
		later(600_000);
		const { cardID = '' } = sandbox.customers[0]?.paymentCards[0] ?? {};
		const parameters = JSON.parse(JSON.stringify(works[name]?.()).replace(METHOD.value, cardID));
		const { error, items } = await run(await subjectOf(name), parameters, [{}]);
		expect([name, error?.message, items[0]?.error]).toEqual([name, undefined, undefined]);
	}
});

describe('any value in any field', () => {
	test.each(OPERATIONS)('%s', async (name) => {
		const subject = await subjectOf(name);
		const found: Record<string, string[]> = {};
		for (const leaf of subject.leaves.filter(takesExpression)) {
			const { type, typeOptions, modes = [] } = leaf.field;
			for (const mode of type === 'resourceLocator' ? modes : [{ name: 'id' }]) {
				furnish();
				const isText = type === 'string' && !typeOptions?.separatedBy;
				const items = (isText ? kinds : hostile).map((v) => ({ v: v as string }));
				const parameters = spoilt(subject, leaf, '={{ $json.v }}', mode.name);
				const result = await run(subject, parameters, items);
				const wrong = faultsOf(result, subject, name.endsWith('getAll') ? 0 : items.length);
				count(1, items.length, result, wrong);
				if (wrong.length > 0) found[`${leaf.path.join('.')} (${mode.name})`] = wrong;
			}
		}
		expect(found).toEqual({});
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	});

	test.each(OPERATIONS)('%s, where no expression is taken', async (name) => {
		const values = [null, '', 'x', 0, -1, 101, 1.5, NaN, '5', {}, [], '={{ 5 }}', [5], { a: 1 }];
		const subject = await subjectOf(name);
		const found: Record<string, string[]> = {};
		for (const leaf of subject.leaves.filter((each) => !takesExpression(each))) {
			for (const value of values) {
				furnish();
				const result = await run(subject, spoilt(subject, leaf, value), [{}]);
				const words = result.error?.message ?? String(result.items[0]?.error ?? '');
				const isClear = words === '' || words.includes(leaf.field.displayName);
				const wrong = [...(UGLY.test(words) || !isClear ? [words] : []), ...wrongOnTheWire()];
				count(Number(value === values[0]), 1, result, wrong);
				if (wrong.length > 0) found[`${leaf.path.join('.')}: ${JSON.stringify(value)}`] = wrong;
			}
		}
		expect(found).toEqual({});
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

/** What was said of the only item, and what was sent for it. */
async function outcome(subject: Subject, parameters: INodeParameters, item: IDataObject) {
	furnish();
	const { items, error } = await run(subject, parameters, [item]);
	const words = error?.message ?? items[0]?.error;
	const bodies = sandbox.requests.map(({ endpoint, body }) => [endpoint, body]);
	// Each cart has payment data of its own.
	const sent = JSON.stringify(bodies).replace(/"paymentData":"[^"]*"/g, '');
	return { words: typeof words === 'string' ? words : '', sent, requests: sandbox.requests.length };
}

const MASKED = '••••6789';
const NEVER_EMPTY = ['number', 'boolean', 'options', 'multiOptions'];

/** Undefined when the value was refused by the name of its field, or did what the form says of it. */
async function surprise(subject: Subject, leaf: Leaf, value: unknown): Promise<string | undefined> {
	const { field, path } = leaf;
	const item = value === undefined ? {} : { v: value as string };
	const parameters = spoilt(subject, leaf, '={{ $json.v }}');
	const { words, sent, requests } = await outcome(subject, parameters, item);
	const names = value === null || value === '' ? subject.labels : [field.displayName];
	if (requests === 0 && names.some((name) => words.includes(`'${name}'`))) return undefined;
	const isMissing = value === undefined;
	const isEmpty = isMissing || value === null || value === '';
	const mayBeEmpty = isMissing ? path[0] === 'customerFields' : !NEVER_EMPTY.includes(field.type);
	if (value === MASKED || (isEmpty && !mayBeEmpty)) return `taken: ${words || sent}`;
	if (isEmpty) {
		// Left empty is as if the field were not there.
		const empty = await outcome(subject, Object(put(parameters, path, GONE)), {});
		return empty.sent === sent ? undefined : `sent: ${sent}\nnot:  ${empty.sent}`;
	}
	// Another field or the gateway may be against it. Not all of it is a part of the request.
	const isOurs = field.type === 'number' || path.at(-1) === 'referenceId';
	const isTaken = words !== '' || isOurs || sent.includes(String(value));
	return isTaken ? undefined : `lost: ${sent}`;
}

test.each(OPERATIONS)(
	'nothing, a masked value, a number or a list is refused by name in %s, or does what the form says',
	async (name) => {
		const subject = await subjectOf(name);
		const found: Record<string, string> = {};
		for (const leaf of subject.leaves.filter(takesExpression)) {
			for (const value of [undefined, null, '', MASKED, 7, ['a']]) {
				const wrong = await surprise(subject, leaf, value);
				if (wrong !== undefined) found[`${leaf.path.join('.')}: ${JSON.stringify(value)}`] = wrong;
			}
		}
		expect(found).toEqual({});
	},
);
