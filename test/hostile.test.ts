import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { RunResult } from './engine';
import { isObject, valueAt } from '../nodes/PaymentsGateway/wire/json';
import type { Leaf } from './everyField';
import { filled, leavesOf, omits, put, resetAndSeed, variantsOf } from './everyField';
import { operations } from './operations';
import { isEndpoint } from './sandbox/endpoints';
import { validate } from './sandbox/schema';
import { useNode } from './useNode';

/**
 * Whatever value an expression yields for a field, the node refuses the item and names the field, or
 * sends a request whose types match docs/service.md.
 */

const { sandbox, run: runNode } = useNode();

/** A quantity, a tip or a tax: of 0 or more, and with decimals. */
const isFractionField = (path: string) =>
	/(quantity|lineItems\[\d+\]\.amount|tip|tax|tip\.amount)$/.test(path);

const minimumOf = (path: string) => (/(pricing\.amount|page|pageSize)$/.test(path) ? 1 : 0);

/** Keeps the sandbox's complaints about types; the gateway itself judges values. */
function isAboutType(complaint: string, body: unknown): boolean {
	if (complaint.endsWith(' is not a known field')) return true;
	const [path = '', expected = ''] = complaint.split(' must be ');
	if (/^(a string|a boolean|an object|an array)$/.test(expected)) return true;
	// By an expression, 'Billed' takes any text that the gateway may accept.
	if (expected.startsWith('one of ')) return !path.endsWith('.recurringMode');
	if (!/^(a number|an integer)/.test(expected)) return false;
	const value = valueAt(body, path.replace(/\[(\d+)\]/g, '.$1'));
	if (isFractionField(path)) return typeof value !== 'number' || value < 0;
	return !Number.isSafeInteger(value) || Number(value) < minimumOf(path);
}

/** The sandbox's complaints about the types in all requests. */
function mistypedInRequests(): string[] {
	return sandbox.requests.flatMap(({ endpoint, body }) => {
		if (!isEndpoint(endpoint) || !isObject(body)) return [endpoint];
		return validate(endpoint, body.data).filter((complaint) => isAboutType(complaint, body));
	});
}

type Subject = (typeof subjects)[number];

const subjects = operations.map(({ title, resource, name, operation: { fields } }) => {
	// Including those of groups.
	const words = JSON.stringify(fields).matchAll(/"displayName":"([^"]+)"/g);
	const labels = [...words].map(([, label = '']) => label);
	return { title, resource, operation: name, fields, leaves: leavesOf(fields), labels };
});

async function run(subject: Subject, parameters: INodeParameters, items: IDataObject[]) {
	const { resource, operation } = subject;
	const settings = { onError: 'continueRegularOutput' as const };
	return await runNode({ resource, operation, ...parameters }, { items, settings });
}

// The values

let deep: unknown = 'deep';
for (let depth = 0; depth < 500; depth++) deep = depth % 2 ? [deep] : { deep };

const numbers = [NaN, Infinity, -1, 0.5, 1e21, 12345678901234567890n];
const texts = ['__proto__', 'x'.repeat(100_000), 'a\u0000b', '\ud800', '１２３'];
const polluting: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
const objects = [{}, [null], polluting, new Date(0), deep];

/** One of each kind, for every field. */
const kinds = [null, undefined, true, () => 1, ...numbers, ...texts, ...objects];

const { MAX_SAFE_INTEGER } = Number;
const moreNumbers = [-Infinity, -0, 1e-7, MAX_SAFE_INTEGER, MAX_SAFE_INTEGER + 1];
const numerals = ['12\udc00', '٣', '0x10', '1e3', '1,5', '-5', '2026-02-31'];
const moreTexts = ['', '   ', 'constructor', 'toString', 'a\u001bb\u0007', '={{ 1 }}'];
const json = ['{"a": 1}', '[{"product": {"name": "x", "price": null}}]'];
const instances = [new Date(NaN), new Map([[1, 1]]), /x/, new Error('boom')];
const shapes: readonly object[] = [
	[],
	[[]],
	[{}],
	{ details: {}, items: [], value: {} },
	{ __rl: true, mode: 'email', value: {} },
	{ constructor: { prototype: { polluted: true } } },
];
const more = [...moreNumbers, ...numerals, ...moreTexts, ...json, ...instances, ...shapes];

/** For fields whose value is not text. */
const hostile = [...kinds, ...more];

const UGLY =
	/TypeError|RangeError|undefined|NaN|\[object|Cannot |is not a function|is not iterable|call stack/;

/** The faults in the results of the items, and in the requests sent for them. */
function faultsOf({ items, error }: RunResult, { labels }: Subject, fewest: number): string[] {
	if (error !== undefined) return [`the run ended: ${error.message}`];
	const errors = items.flatMap(({ error: words }) => (typeof words === 'string' ? [words] : []));
	const namesField = (words: string) => labels.some((label) => words.includes(`'${label}'`));
	const isOfCustomer = (words: string) =>
		/^(?:No customer has the email|Could not confirm whether a customer)/.test(words);
	// The node's own refusals end with the item; other errors are the gateway's.
	const isOurs = (words: string) => / \[item \d+\]$/.test(words);
	return [
		...errors.filter((words) => UGLY.test(words)),
		...errors.filter((words) => isOurs(words) && !namesField(words) && !isOfCustomer(words)),
		...(items.length < fewest ? [`${fewest - items.length} items are missing`] : []),
		...mistypedInRequests(),
	].map((words) => words.slice(0, 300));
}

/** Other fields take no expression in n8n. */
const takesExpression = ({ field }: Leaf) => field.noDataExpression !== true;

/** The form, filled in so that it shows the field, with this value in it. Resets the sandbox. */
function formWithValue({ title, fields }: Subject, leaf: Leaf, value: unknown, mode = 'id') {
	const { field, path, shown } = leaf;
	const paymentData = resetAndSeed(sandbox);
	const variant = variantsOf(title).find((each) => !omits(each, leaf));
	const form = filled(fields, { paymentData, ...variant });
	const showing = shown.reduce<unknown>((all, [at, each]) => put(all, at, each), form);
	const isLocator = field.type === 'resourceLocator';
	const parameters = put(showing, path, isLocator ? { __rl: true, mode, value } : value);
	return parameters as INodeParameters;
}

describe("any value in any field is refused by the field's label or sent with the documented type", () => {
	test.each(subjects)(
		'$title',
		async (subject) => {
			const found: Record<string, string[]> = {};
			for (const leaf of subject.leaves.filter(takesExpression)) {
				const { type, typeOptions, modes = [] } = leaf.field;
				for (const mode of type === 'resourceLocator' ? modes : [{ name: 'id' }]) {
					const isText = type === 'string' && typeOptions?.shape !== 'list';
					const items = (isText ? kinds : hostile).map((v) => ({ v: v as string }));
					const parameters = formWithValue(subject, leaf, '={{ $json.v }}', mode.name);
					const result = await run(subject, parameters, items);
					const isList = subject.operation === 'getAll';
					const wrong = faultsOf(result, subject, isList ? 0 : items.length);
					if (wrong.length > 0) found[`${leaf.path.join('.')} (${mode.name})`] = wrong;
				}
			}
			expect(found).toEqual({});
			expect(Reflect.get({}, 'polluted')).toBeUndefined();
		},
		120_000,
	);
});

test('a wrong resource or operation is refused before any request', async () => {
	const right = { resource: 'cart', operation: 'calculate' };
	for (const value of ['', 'constructor', '__proto__', 'toString', '={{ 1 }}', 'delete']) {
		for (const name of Object.keys(right)) {
			const { error } = await runNode({ ...right, [name]: value });
			expect(error?.message).toMatch(/'Resource' does not have this 'Operation'/);
		}
	}
	expect(sandbox.requests).toEqual([]);
});

test.each(subjects)(
	"$title refuses a missing or masked value by the field's label; only Customer Fields may be missing",
	async (subject) => {
		for (const leaf of subject.leaves.filter(takesExpression)) {
			for (const item of [{}, { v: '••••6789' }]) {
				const parameters = formWithValue(subject, leaf, '={{ $json.v }}');
				const { items, error } = await run(subject, parameters, [item]);
				const { path, field } = leaf;
				const message = error?.message ?? String(items[0]?.error);
				const isRefused = message.includes(`'${field.displayName}'`);
				// Optional customer fields may be missing from the input item.
				const mayBeMissing = path[0] === 'customerFields' && !('v' in item);
				if (isRefused) expect(sandbox.requests).toEqual([]);
				else expect({ path, message, mayBeMissing }).toMatchObject({ mayBeMissing: true });
			}
		}
	},
);
