import fc from 'fast-check';
import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

import type { Endpoint } from '../nodes/PaymentsGateway/wire';
import type { RunResult } from './engine';
import { engine } from './engine';
import { tally } from './reliability/tally';
import { useNode } from './useNode';

/**
 * Whatever an expression puts into whichever field: the item is refused in words that name a field,
 * or a request leaves that is typed as docs/service.md has it. The fields are those of the built form.
 */

const { sandbox, run: runNode, later } = useNode();

// What the service takes, by docs/service.md

/** A set holds all that is allowed; a list, what each of its entries must be. */
type Shape =
	| 'text'
	| 'flag'
	| 'number'
	| 'whole'
	| 'count'
	| ReadonlySet<unknown>
	| readonly [Shape]
	| { readonly [key: string]: Shape };
type Fields = { readonly [key: string]: Shape };

const texts = (...names: string[]): Fields =>
	Object.fromEntries(names.map((name) => [name, 'text']));
const person = [
	'nameOnCard',
	'email',
	'phone',
	'billingAddress',
	'billingCity',
	'billingState',
	'billingZip',
	'billingCountry',
];
const card = texts('cardToken', 'cvc', 'expiryDate');
const ach = texts('accountNumber', 'routingNumber', 'accountType', 'accountHolderType');
const gpecomm = texts('id', 'cvv');
const page: Fields = {
	page: 'count',
	pageSize: 'count',
	sort: { field: 'text', order: new Set(['asc', 'desc']) },
	filter: [
		{
			field: 'text',
			operation: new Set(['contains', 'equals', 'gt', 'lt', 'gte', 'lte', 'neq']),
			value: 'text',
		},
	],
	search: 'text',
};
const paymentType = new Set(['card', 'ach']);
const amountType = new Set(['fixed', 'percentage']);
const dynamic: Fields = {
	paymentType,
	discountCodes: ['text'],
	tip: { amount: 'number', type: amountType },
	quantityAmounts: [{ id: 'text', quantity: 'number' }],
};
const product: Fields = {
	sku: 'text',
	name: 'text',
	description: 'text',
	price: 'whole',
	isRecurring: 'flag',
	recurringMode: 'text',
	recurringInterval: 'whole',
	recurringFrequency: 'whole',
	recurringTotalCycles: 'whole',
	recurringTrialDays: 'whole',
	recurringSetupFee: 'whole',
	recurringRefundable: 'flag',
};
const paylink: Fields = {
	pricing: {
		methodVerifyOrProcess: 'text',
		lineItems: [{ productId: 'text', product, amount: 'number' }],
		amount: 'count',
		tip: 'number',
		tipType: amountType,
		tax: 'number',
		taxType: amountType,
		discountCodes: ['text'],
		shipping: 'whole',
	},
	meta: { dynamic },
	allowEdit: 'flag',
	allowExtraDiscount: 'flag',
	allowTip: 'flag',
	disableCC: 'flag',
	disableACH: 'flag',
	validUntil: 'text',
	referenceID: 'text',
	onSuccessURL: 'text',
	onFailureURL: 'text',
	customerID: 'text',
	customerPaymentID: 'text',
	prefilledAddress: texts(
		'email',
		'phone',
		'country',
		'state',
		'city',
		'zip',
		'address',
		'nameOnCard',
	),
	disableCustomAddress: 'flag',
	disableCustomPayment: 'flag',
	disablePreselectCard: 'flag',
};
const ids = { customerID: 'text', cardID: 'text' } as const;
const form: Fields = { ...texts(...person), card, ach, gpecomm, skipMultiTokenConvert: 'flag' };
const wire: Record<Endpoint, Fields> = {
	customers: { page },
	addCustomer: { form },
	customer: { customerID: 'text' },
	updateCustomer: { customerID: 'text', form: texts(...person) },
	deleteCustomer: { customerID: 'text' },
	addPaymentMethod: { customerID: 'text', form: { ...form, setAsDefault: 'flag' } },
	deletePaymentMethod: ids,
	setDefaultPaymentMethod: ids,
	webhookEvents: { page },
	computeTokenizedCheckout: { paymentData: 'text', dynamicData: dynamic },
	createTokenizedManualEntry: {
		paymentData: 'text',
		dynamicData: dynamic,
		customerInfo: {
			...texts(...person),
			paymentType,
			card: { ...card, ...ach },
			ach,
		},
	},
	createCheckoutData: { form: paylink },
};

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

function isList(shape: Shape): shape is readonly [Shape] {
	return Array.isArray(shape);
}

/** The paths at which a body is not what the service takes. */
function faults(value: unknown, shape: Shape, path: string): string[] {
	if (shape instanceof Set) return shape.has(value) ? [] : [path];
	if (isList(shape)) {
		if (!Array.isArray(value)) return [path];
		return value.flatMap((entry, index) => faults(entry, shape[0], `${path}[${index}]`));
	}
	if (typeof shape === 'object') {
		if (!isObject(value)) return [path];
		return Object.entries(value).flatMap(([name, inner]) => {
			const known = Object.entries(shape).find(([key]) => key === name)?.[1];
			return known === undefined ? [`${path}.${name}`] : faults(inner, known, `${path}.${name}`);
		});
	}
	const isWhole = Number.isSafeInteger(value) && Number(value) >= 0;
	const right = {
		text: typeof value === 'string' && !/\[object|\p{Surrogate}/u.test(value),
		flag: typeof value === 'boolean',
		number: typeof value === 'number' && value >= 0,
		whole: isWhole,
		count: isWhole && value !== 0,
	};
	return right[shape] ? [] : [path];
}

function wrongOnTheWire(): string[] {
	return sandbox.requests.flatMap(({ endpoint, body }) => {
		const shape = Object.entries(wire).find(([name]) => name === endpoint)?.[1];
		if (shape === undefined || !isObject(body)) return [endpoint];
		return faults(body.data, shape, endpoint);
	});
}

// The fields, as the built node has them

interface Leaf {
	field: INodeProperties;
	path: string[];
	/** What must be chosen for the form to show it. */
	chosen: INodeParameters;
	title: string;
}

const plain = (value: unknown): INodeParameters => (isObject(value) ? Object(value) : {});

function put(target: INodeParameters, path: readonly string[], value: unknown): INodeParameters {
	const [head = '', ...rest] = path;
	if (rest.length === 0)
		return { ...target, [head]: Object(value) === value ? Object(value) : (value as string) };
	const inner = target[head];
	if (rest[0] === '0') {
		const [row] = Array.isArray(inner) ? inner : [];
		const [, ...below] = rest;
		return { ...target, [head]: [put(plain(row), below, value)] };
	}
	return { ...target, [head]: put(plain(inner), rest, value) };
}

function leavesOf(
	fields: readonly INodeProperties[],
	path: string[],
	above: INodeParameters,
): Leaf[] {
	return fields.flatMap((field) => {
		if (field.type === 'notice') return [];
		const here = [...path, field.name];
		let chosen = above;
		for (const [name, values] of Object.entries(field.displayOptions?.show ?? {})) {
			if (name === 'resource' || name === 'operation') continue;
			const [first] = values ?? [];
			chosen = put(chosen, [...path, name], first);
		}
		if (field.type === 'collection') {
			return leavesOf((field.options ?? []) as INodeProperties[], here, chosen);
		}
		if (field.type === 'fixedCollection') {
			return (field.options ?? []).flatMap((group) => {
				if (!('values' in group)) return [];
				const rows = field.typeOptions?.multipleValues === true ? ['0'] : [];
				return leavesOf(group.values, [...here, group.name, ...rows], chosen);
			});
		}
		return [{ field, path: here, chosen, title: here.join('.') }];
	});
}

interface Subject {
	resource: string;
	operation: string;
	leaves: Leaf[];
	/** All labels of the operation, those of groups too. */
	labels: string[];
}

function labelsOf(fields: readonly INodeProperties[]): string[] {
	return fields.flatMap((field) => [
		field.displayName,
		...(field.options ?? []).flatMap((option) =>
			'values' in option ? labelsOf(option.values) : 'type' in option ? labelsOf([option]) : [],
		),
	]);
}

async function subjects(): Promise<Subject[]> {
	const { properties } = await engine.description('paymentsGateway');
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options = [] }) => {
			const resource = String(displayOptions?.show?.resource?.[0]);
			return options.flatMap((option) => {
				if (!('value' in option)) return [];
				const operation = String(option.value);
				const fields = properties.filter(({ name, displayOptions: { show } = {} }) => {
					if (name === 'operation') return false;
					return show?.resource?.includes(resource) && show.operation?.includes(operation);
				});
				const labels = labelsOf(fields);
				return [{ resource, operation, leaves: leavesOf(fields, [], {}), labels }];
			});
		});
}

const CUSTOMER = { __rl: true, mode: 'id', value: 'cus_1' };
const METHOD = { __rl: true, mode: 'id', value: 'card_1' };
const CARD = { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } };
const ACH = { details: { accountNumber: '000123456789', routingNumber: '110000000' } };

/** Parameters with which each operation works; a test then spoils one of them. */
const works: Record<string, () => INodeParameters> = {
	'customer.create': () => ({
		customerFields: { email: 'a@example.com' },
		card: CARD,
		ach: ACH,
		gpecomm: { details: { id: 'g' } },
	}),
	'customer.delete': () => ({ customerId: CUSTOMER }),
	'customer.get': () => ({ customerId: CUSTOMER }),
	'customer.getAll': () => ({
		limit: 1,
		filters: { conditions: [{ field: 'email', value: 'a@example.com' }] },
	}),
	'customer.update': () => ({
		customerId: CUSTOMER,
		customerFields: { billingCity: 'Springfield' },
	}),
	'customer.upsert': () => ({
		email: 'a@example.com',
		customerFields: { billingCity: 'Springfield' },
	}),
	'paymentMethod.add': () => ({
		customerId: CUSTOMER,
		card: CARD,
		ach: ACH,
		gpecomm: { details: { id: 'g' } },
	}),
	'paymentMethod.delete': () => ({ customerId: CUSTOMER, paymentMethodId: METHOD }),
	'paymentMethod.getAll': () => ({ customerId: CUSTOMER }),
	'paymentMethod.setDefault': () => ({ customerId: CUSTOMER, paymentMethodId: METHOD }),
	'cart.calculate': () => ({ paymentData: sandbox.addCart() }),
	'payment.commit': () => ({
		paymentData: sandbox.addCart({ referenceID: `R-${sandbox.carts.length}` }),
		customerConsent: true,
		card: CARD,
		ach: ACH,
		options: { allowRepeatCharge: true },
	}),
	'payment.getStatus': () => ({ referenceId: 'R-1', options: { waitTimeout: 1 } }),
	'paylink.create': () => ({
		amount: 25,
		lineItems: { items: [{ name: 'Mug', price: 5, productId: 'prod_1' }] },
	}),
	'webhookEvent.getAll': () => ({
		limit: 1,
		filters: { conditions: [{ field: 'type', value: 'payment_success' }] },
	}),
};

function furnish(): void {
	sandbox.reset();
	sandbox.addCustomer({
		id: 'cus_1',
		email: 'a@example.com',
		card: { cardToken: 'tok_visa_4242' },
	});
	sandbox.addProduct({ id: 'prod_1' });
	sandbox.addEvents(3);
}

async function run(
	{ resource, operation }: Subject,
	parameters: INodeParameters,
	items: IDataObject[],
): Promise<RunResult> {
	const settings = { onError: 'continueRegularOutput' as const };
	return await runNode({ resource, operation, ...parameters }, { items, settings });
}

// What is put there

let deep: unknown = 'deep';
for (let depth = 0; depth < 500; depth++) deep = depth % 2 ? [deep] : { deep };

/** One of each kind, for every field. */
const kinds: readonly unknown[] = [
	null,
	undefined,
	NaN,
	Infinity,
	-1,
	0.5,
	1e21,
	12345678901234567890n,
	true,
	{},
	[null],
	JSON.parse('{"__proto__": {"polluted": true}}'),
	'__proto__',
	'[object Object]',
	'x'.repeat(100_000),
	'a\u0000b',
	'\ud800',
	'１２３',
	() => 1,
	new Date(0),
	deep,
];

/** More values, for fields that take something else than text. */
const hostile: readonly unknown[] = [
	...kinds,
	'',
	'   ',
	-Infinity,
	-0,
	1e-7,
	Number.MAX_SAFE_INTEGER,
	Number.MAX_SAFE_INTEGER + 1,
	[],
	[[]],
	[{}],
	{ details: {}, items: [], value: {} },
	{ __rl: true, mode: 'email', value: {} },
	{ constructor: { prototype: { polluted: true } } },
	'constructor',
	'toString',
	'a\u001bb\u0007',
	'12\udc00',
	'٣',
	'0x10',
	'1e3',
	'1,5',
	'-5',
	'2026-02-31',
	'{"a": 1}',
	'[{"product": {"name": "x", "price": null}}]',
	'={{ 1 }}',
	new Date(NaN),
	new Map([[1, 1]]),
	/x/,
	new Error('boom'),
];

const UGLY =
	/TypeError|RangeError|undefined|NaN|\[object|Cannot |is not a function|is not iterable|call stack/;

/** Counts, for docs/reliability.md, values put in, errors, requests sent, and what was wrong. */
function count(places: number, values: number, { items, error }: RunResult, wrong: string[]) {
	const worded = items.filter((item) => typeof item.error === 'string').length + (error ? 1 : 0);
	const requests = sandbox.requests.length;
	tally('inputs', { places, values, worded, requests, unclear: wrong.length });
}

/** What is wrong with how the items ended. */
function misbehaviour({ items, error }: RunResult, { labels }: Subject, count: number): string[] {
	if (error !== undefined) return [`the run ended: ${error.message}`];
	const said = items.flatMap(({ error: words }) => (typeof words === 'string' ? [words] : []));
	const ugly = said.filter((words) => UGLY.test(words));
	// The node's own refusals end with the item; anything else is the service's word.
	const nameless = said.filter(
		(words) =>
			/\[item \d+\]$/.test(words) &&
			!labels.some((label) => [`'${label}'`, `"${label}"`].some((name) => words.includes(name))) &&
			!/^(?:No customer has the email|A customer with the email .* was made a moment ago)/.test(
				words,
			),
	);
	const missing = items.length < count ? [`${count - items.length} items are missing`] : [];
	return [...ugly, ...nameless, ...missing].map((words) => words.slice(0, 300));
}

/** Set without an expression: n8n takes none there. */
const isSettable = ({ field }: Leaf) => field.noDataExpression !== true;

function spoilt(subject: Subject, { field, path, chosen }: Leaf, expression: string, mode = 'id') {
	let parameters = works[`${subject.resource}.${subject.operation}`]?.() ?? {};
	const merge = (into: INodeParameters, from: INodeParameters): INodeParameters => {
		const merged = { ...into };
		for (const [name, value] of Object.entries(from)) {
			const rows = Array.isArray(value) ? value : undefined;
			const known = into[name];
			if (rows) merged[name] = [merge(plain(Array.isArray(known) ? known[0] : {}), plain(rows[0]))];
			else merged[name] = isObject(value) ? merge(plain(known), plain(value)) : value;
		}
		return merged;
	};
	parameters = merge(parameters, chosen);
	const value =
		field.type === 'resourceLocator' ? { __rl: true, mode, value: expression } : expression;
	return put(parameters, path, value);
}

test('every operation of the form is known here', async () => {
	const names = (await subjects()).map(({ resource, operation }) => `${resource}.${operation}`);
	expect(names.sort()).toEqual(Object.keys(works).sort());
});

test('what makes each operation work does', async () => {
	for (const subject of await subjects()) {
		furnish();
		// Whom the one before has made is gone with its sandbox.
		later(600_000);
		if (subject.resource === 'paymentMethod') {
			sandbox.addPaymentMethod('cus_1', { card: CARD.details });
		}
		const method = sandbox.customers[0]?.paymentCards[0]?.cardID ?? '';
		const parameters = JSON.parse(
			JSON.stringify(works[`${subject.resource}.${subject.operation}`]?.()).replace(
				'card_1',
				method,
			),
		);
		const { error, items } = await run(subject, parameters, [{}]);
		expect([error?.message, items[0]?.error]).toEqual([undefined, undefined]);
	}
});

describe('any value in any field', () => {
	test.each(Object.keys(works))('%s', async (name) => {
		const subject = (await subjects()).find(
			(each) => `${each.resource}.${each.operation}` === name,
		);
		if (!subject) throw new Error(`There is no ${name}`);
		const found: Record<string, string[]> = {};
		for (const leaf of subject.leaves.filter(isSettable)) {
			const modes =
				leaf.field.type === 'resourceLocator' ? (leaf.field.modes ?? []) : [{ name: 'id' }];
			for (const mode of modes) {
				furnish();
				const isText = leaf.field.type === 'string' && !leaf.field.typeOptions?.separatedBy;
				const items = (isText ? kinds : hostile).map((v) => ({ v: v as string }));
				const parameters = spoilt(subject, leaf, '={{ $json.v }}', mode.name);
				const result = await run(subject, parameters, items);
				const least = subject.operation === 'getAll' ? 0 : items.length;
				const wrong = [...misbehaviour(result, subject, least), ...wrongOnTheWire()];
				count(1, items.length, result, wrong);
				if (wrong.length > 0) found[`${leaf.title} (${mode.name})`] = [...new Set(wrong)];
			}
		}
		expect(found).toEqual({});
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	});

	test('in fields that take no expression', async () => {
		const values = [null, '', 'x', 0, -1, 101, 1.5, NaN, '5', {}, [], '={{ 5 }}', [5], { a: 1 }];
		const found: Record<string, string[]> = {};
		for (const subject of await subjects()) {
			for (const leaf of subject.leaves.filter((each) => !isSettable(each))) {
				for (const value of values) {
					furnish();
					const parameters = put(spoilt(subject, leaf, ''), leaf.path, value);
					const result = await run(subject, parameters, [{}]);
					const words = result.error?.message ?? String(result.items[0]?.error ?? '');
					const wrong = [
						...(UGLY.test(words) ? [words] : []),
						...(words !== '' && !words.includes(leaf.field.displayName) ? [words] : []),
						...wrongOnTheWire(),
					];
					count(Number(value === values[0]), 1, result, wrong);
					if (wrong.length > 0) found[`${leaf.title}: ${String(JSON.stringify(value))}`] = wrong;
				}
			}
		}
		expect(found).toEqual({});
	});

	test('as the operation or the resource itself', async () => {
		furnish();
		for (const value of ['', 'constructor', '__proto__', 'toString', '={{ 1 }}', 'delete']) {
			for (const name of ['resource', 'operation']) {
				const parameters = { resource: 'cart', operation: 'calculate', [name]: value };
				const { error } = await runNode(parameters);
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

/** The parameters without the field. */
function without(parameters: INodeParameters, [head = '', ...rest]: string[]): INodeParameters {
	const { [head]: inner, ...others } = parameters;
	if (rest.length === 0) return others;
	const [row] = Array.isArray(inner) ? inner : [];
	if (rest[0] === '0') return { ...others, [head]: [without(plain(row), rest.slice(1))] };
	return { ...others, [head]: without(plain(inner), rest) };
}

const MASKED = '••••6789';
const NEVER_EMPTY = ['number', 'boolean', 'options', 'multiOptions'];

/** Undefined when the value was refused by the name of its field, or did what the form says of it. */
async function surprise(subject: Subject, leaf: Leaf, value: unknown): Promise<string | undefined> {
	const { field, path } = leaf;
	const parameters = spoilt(subject, leaf, '={{ $json.v }}');
	const item = value === undefined ? {} : { v: value as string };
	const { words, sent, requests } = await outcome(subject, parameters, item);
	const names = value === null || value === '' ? subject.labels : [field.displayName];
	if (requests === 0 && names.some((name) => words.includes(`'${name}'`))) return undefined;
	const isMissing = value === undefined;
	const isEmpty = isMissing || value === null || value === '';
	const isChoice = (field.options ?? []).some(
		(option) => 'value' in option && option.value === value,
	);
	const mayBeEmpty = isMissing
		? path[0] === 'customerFields'
		: isChoice || !NEVER_EMPTY.includes(field.type);
	if (value === MASKED || (isEmpty && !mayBeEmpty)) return `taken: ${words || sent}`;
	if (isEmpty) {
		// Left empty is as if the field were not there.
		const empty = await outcome(subject, without(parameters, path), {});
		return empty.sent === sent ? undefined : `sent: ${sent}\nnot:  ${empty.sent}`;
	}
	// Another field or the service may be against it. Not all of it is a part of the request.
	const isOurs = field.type === 'number' || path.at(-1) === 'referenceId';
	const isTaken = words !== '' || isOurs || sent.includes(String(value));
	return isTaken ? undefined : `lost: ${sent}`;
}

describe('a value that is none, masked, a number or a list', () => {
	test.each(Object.keys(works))(
		'is refused by name in %s, or does what the form says',
		async (name) => {
			const subject = (await subjects()).find(
				(each) => `${each.resource}.${each.operation}` === name,
			);
			if (!subject) throw new Error(`There is no ${name}`);
			const found: Record<string, string> = {};
			for (const leaf of subject.leaves.filter(isSettable)) {
				for (const value of [undefined, null, '', MASKED, 7, ['a']]) {
					const wrong = await surprise(subject, leaf, value);
					if (wrong !== undefined) found[`${leaf.title}: ${String(JSON.stringify(value))}`] = wrong;
				}
			}
			expect(found).toEqual({});
		},
	);
});

describe('any values in all fields at once', () => {
	const MIXTURES = Number(process.env.HOSTILE_MIXTURES ?? 10);
	/** Some values look right, or nothing would ever reach the service. */
	const anything = fc.oneof(
		fc.constantFrom<unknown>(...hostile.filter((value) => typeof value !== 'function')),
		fc.constantFrom<unknown>(
			'a',
			'cus_1',
			'prod_1',
			1,
			25,
			'12.5',
			true,
			'card',
			'MONTHLY',
			'date',
		),
		fc.string({ maxLength: 20, unit: 'binary' }),
		fc.double(),
		fc.integer(),
		fc.jsonValue({ maxDepth: 3 }),
		fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
	);

	test.each(Object.keys(works))(
		'%s',
		async (name) => {
			const subject = (await subjects()).find(
				(each) => `${each.resource}.${each.operation}` === name,
			);
			if (!subject) throw new Error(`There is no ${name}`);
			const leaves = subject.leaves.filter(
				({ field, title }) => field.noDataExpression !== true && title !== 'waitForOutcome',
			);
			const spoiled = fc.array(fc.tuple(fc.nat({ max: leaves.length - 1 }), anything), {
				minLength: 1,
				maxLength: 5,
			});
			await fc.assert(
				fc.asyncProperty(fc.array(spoiled, { minLength: 8, maxLength: 8 }), async (rows) => {
					furnish();
					const used = new Set(rows.flatMap((row) => row.map(([index]) => index)));
					let parameters = works[name]?.() ?? {};
					for (const index of used) {
						const leaf = leaves[index];
						if (!leaf) continue;
						const value = `={{ $json.v${index} }}`;
						const isLocator = leaf.field.type === 'resourceLocator';
						parameters = put(
							parameters,
							leaf.path,
							isLocator ? { __rl: true, mode: 'id', value } : value,
						);
					}
					const items = rows.map((row) =>
						Object.fromEntries(row.map(([index, value]) => [`v${index}`, value as string])),
					);
					const result = await run(subject, parameters, items);
					const wrong = [...misbehaviour(result, subject, 0), ...wrongOnTheWire()];
					count(0, items.flatMap(Object.keys).length, result, wrong);
					expect(wrong).toEqual([]);
				}),
				{ numRuns: MIXTURES },
			);
		},
		600_000,
	);
});
