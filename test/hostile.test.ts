import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { RunResult } from './engine';
import { isObject, valueAt } from '../nodes/PaymentsGateway/wire/json';
import type { Leaf } from './everyField';
import { filled, furnish, lacks, leavesOf, put, waysOf } from './everyField';
import { operations } from './operations';
import { isEndpoint } from './sandbox/endpoints';
import { validate } from './sandbox/schema';
import { useNode } from './useNode';

/**
 * Whatever an expression puts into whichever field: the item is refused in words that name a field,
 * or a request leaves that is typed as docs/service.md has it.
 */

const { sandbox, run: runNode } = useNode();

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

/** The values that were sent and do not have the type that docs/service.md gives. */
function wrongOnTheWire(): string[] {
	return sandbox.requests.flatMap(({ endpoint, body }) => {
		if (!isEndpoint(endpoint) || !isObject(body)) return [endpoint];
		return validate(endpoint, body.data).filter((complaint) => isMistyped(complaint, body));
	});
}

type Subject = (typeof subjects)[number];

const subjects = operations.map(({ title, resource, name, operation: { fields } }) => {
	// Those of groups too.
	const words = JSON.stringify(fields).matchAll(/"displayName":"([^"]+)"/g);
	const labels = [...words].map(([, label = '']) => label);
	return { title, resource, operation: name, fields, leaves: leavesOf(fields), labels };
});

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
	const errors = items.flatMap(({ error: words }) => (typeof words === 'string' ? [words] : []));
	const namesField = (words: string) => labels.some((label) => words.includes(`'${label}'`));
	const isOfCustomer = (words: string) =>
		/^(?:No customer has the email|Could not confirm whether a customer)/.test(words);
	// The node's own refusals end with the item; anything else is the gateway's word.
	const isOurs = (words: string) => / \[item \d+\]$/.test(words);
	return [
		...errors.filter((words) => UGLY.test(words)),
		...errors.filter((words) => isOurs(words) && !namesField(words) && !isOfCustomer(words)),
		...(items.length < least ? [`${least - items.length} items are missing`] : []),
		...wrongOnTheWire(),
	].map((words) => words.slice(0, 300));
}

/** n8n takes no expression in the others. */
const takesExpression = ({ field }: Leaf) => field.noDataExpression !== true;

/** The form, filled in so that it shows the field, with a value in it, for a gateway as it was. */
function spoilt({ title, fields }: Subject, leaf: Leaf, value: unknown, mode = 'id') {
	const { field, path, shown } = leaf;
	const paymentData = furnish(sandbox);
	const way = waysOf(title).find((each) => !lacks(each, leaf));
	const form = filled(fields, { paymentData, ...way });
	const showing = shown.reduce<unknown>((all, [at, each]) => put(all, at, each), form);
	const isLocator = field.type === 'resourceLocator';
	const parameters = put(showing, path, isLocator ? { __rl: true, mode, value } : value);
	return parameters as INodeParameters;
}

describe('any value in any field', () => {
	test.each(subjects)(
		'$title',
		async (subject) => {
			const found: Record<string, string[]> = {};
			for (const leaf of subject.leaves.filter(takesExpression)) {
				const { type, typeOptions, modes = [] } = leaf.field;
				for (const mode of type === 'resourceLocator' ? modes : [{ name: 'id' }]) {
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
		},
		120_000,
	);

	test('as the operation or the resource itself', async () => {
		const right = { resource: 'cart', operation: 'calculate' };
		for (const value of ['', 'constructor', '__proto__', 'toString', '={{ 1 }}', 'delete']) {
			for (const name of Object.keys(right)) {
				const { error } = await runNode({ ...right, [name]: value });
				expect(error?.message).toMatch(/'Resource' does not have this 'Operation'/);
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
