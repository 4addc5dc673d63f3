import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { getGlobalState, setGlobalState } from 'n8n-workflow';

import type { Field } from '../../nodes/PaymentsGateway/form/field';
import { readParameters } from '../../nodes/PaymentsGateway/form/read';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { standIn } from '../engine/instance';

/** What each type of field makes of what an expression may give, and how a refusal names it. */

const node: INode = {
	...{ id: '1', name: 'Node', type: 'x.y', typeVersion: 1 },
	...{ position: [0, 0], parameters: {} },
};

function read(fields: readonly Field[], given: Record<string, unknown>, timezone = 'UTC'): unknown {
	const context = standIn<IExecuteFunctions>('context', {
		getNode: () => node,
		getTimezone: () => timezone,
		getInputData: () => [{ json: {} }],
		getNodeParameter: ((name: string, _index: number, otherwise: unknown) => {
			const value = name in given ? given[name] : otherwise;
			if (value instanceof Error) throw value;
			return value;
		}) as never,
	});
	return readParameters(context, fields, 0, createMask([]));
}

const field = (type: Field['type'], more: object = {}): Field => ({
	...{ displayName: 'The Field', name: 'it', type, default: '' },
	...more,
});
const one = (given: unknown, of: Field) => (read([of], { it: given }) as { it?: unknown }).it;
const options = ['payment_failed', 'b'].map((value) => ({ name: value.toUpperCase(), value }));

const TEXT = field('string');
const LIST = field('string', { typeOptions: { shape: 'list' } });
const EMAIL = field('string', { typeOptions: { shape: 'email' } });
const DIGITS = field('string', { typeOptions: { shape: 'digits', password: true } });
const EXPIRY = field('string', { typeOptions: { shape: 'monthAndYear' } });
const NUMBER = field('number', { default: 0 });
const OPTIONAL_NUMBER = field('number', { default: 24, typeOptions: { valueIfEmpty: 0 } });
const bounds = { minValue: 1, maxValue: 10, numberPrecision: 0 };
const WHOLE = field('number', { default: 1, typeOptions: bounds });
const SWITCH = field('boolean', { default: false });
const CHOICE = field('options', { default: 'b', options });
const OPEN_CHOICE = field('options', { default: 'b', options, allowArbitraryValues: true });
const CHOICES = field('multiOptions', { default: [], options });
const JSON_FIELD = field('json');
const LOCATOR = field('resourceLocator', { default: { mode: 'id', value: '' } });
const DATE = field('dateTime');
const LAST_DAY = field('dateTime', { typeOptions: { endsDay: true } });
const COLLECTION = field('collection', { options: [TEXT] });
const typeOptions = { requiredPerItem: true };
const FILLED_TEXT = field('string', { typeOptions });
const FILLED_GROUP = field('fixedCollection', { options: [], placeholder: 'Add Row', typeOptions });

test.each<[unknown, Field, unknown]>([
	[' text ', TEXT, 'text'],
	[2 ** 53 - 1, TEXT, '9007199254740991'],
	[null, TEXT, ''],
	// Text is text, whatever it says.
	['INV-undefined', TEXT, 'INV-undefined'],
	['a, b ,a,, c', LIST, ['a', 'b', 'c']],
	[['a', ' b', 7, ''], LIST, ['a', 'b', '7']],
	[' Ada.Lovelace+x@Example.co.uk ', EMAIL, 'Ada.Lovelace+x@Example.co.uk'],
	['zoé@exämple.de', EMAIL, 'zoé@exämple.de'],
	['007', DIGITS, '007'],
	['08/29', EXPIRY, '08/29'],
	[' -12.5 ', NUMBER, -12.5],
	[1, WHOLE, 1],
	[10, WHOLE, 10],
	['.25', NUMBER, 0.25],
	[null, OPTIONAL_NUMBER, 0],
	['', OPTIONAL_NUMBER, 0],
	['TRUE', SWITCH, true],
	[' False ', SWITCH, false],
	['other ', OPEN_CHOICE, 'other'],
	[['b', 'payment.failed', 'b'], CHOICES, ['b', 'payment_failed']],
	['{"a":[1]}', JSON_FIELD, { a: [1] }],
	[[{ a: 'x' }], JSON_FIELD, [{ a: 'x' }]],
	[{ mode: 'id', value: 7 }, LOCATOR, { by: 'id', value: '7' }],
	[{ mode: 'id', value: 'x@y.z' }, LOCATOR, { by: 'email', value: 'x@y.z' }],
	[{ mode: 'list', value: 'x@y.z' }, LOCATOR, { by: 'id', value: 'x@y.z' }],
	[{ mode: 'id', value: null }, LOCATOR, undefined],
	['2026-01-31', DATE, '2026-01-31T00:00:00.000Z'],
	['2026-01-31', LAST_DAY, '2026-01-31T23:59:59.999Z'],
	['', DATE, undefined],
	[{ it: undefined }, { ...COLLECTION, typeOptions: { skipsUndefined: true } }, {}],
])('%j in %o is %j', (given, of, value) => {
	expect(one(given, of)).toEqual(value);
});

const noEmail = (typed: string): [unknown, Field, string] => {
	return [typed, EMAIL, `takes one email address, such as name@email.com, not "${typed}"`];
};

test.each<[unknown, Field, string]>([
	[['a'], TEXT, 'takes text, not a list'],
	[{ a: 1 }, TEXT, 'takes text, not an object'],
	[() => 1, TEXT, 'takes text, not a function'],
	[undefined, COLLECTION, 'is empty'],
	[{ it: undefined }, COLLECTION, 'is empty'],
	[' ', FILLED_TEXT, 'is empty'],
	[{}, FILLED_GROUP, 'is empty: press Add Row'],
	[2 ** 53, TEXT, 'takes text, not a number'],
	['{', JSON_FIELD, 'takes a list or an object in JSON'],
	['[{"a":"••••6789"}]', JSON_FIELD, 'contains a masked value: enter the real one'],
	[{ by: 'id' }, LOCATOR, 'takes text, not an object'],
	[['a', null], LIST, 'takes text, not nothing'],
	[['a', undefined], LIST, 'takes text, not nothing'],
	...['n/a', 'unknown', '@', 'ada@', '@example.com', 'a@b@c', 'a b@c.de', 'a@b c', 'a@b,c'].map(
		noEmail,
	),
	...['a@b;', 'Ada <ada@x.com>', 'a\u00a0@b'].map(noEmail),
	['1.2E+11', DIGITS, 'takes digits only, not the value given'],
	['2029-08', EXPIRY, 'takes month and year, such as 08/29, not "2029-08"'],
	['1e3', NUMBER, 'takes a number, such as 1, not "1e3"'],
	['x'.repeat(41), NUMBER, `takes a number, such as 1, not "${'x'.repeat(40)}…"`],
	[NaN, NUMBER, 'takes a number, such as 1, not a number'],
	[null, NUMBER, 'is empty'],
	[undefined, OPTIONAL_NUMBER, 'is empty'],
	[0, WHOLE, 'must be at least 1, not 0'],
	[11, WHOLE, 'must be at most 10, not 11'],
	[1.5, WHOLE, 'takes a whole number, not 1.5'],
	['yes', SWITCH, 'must be true or false, not "yes"'],
	['={{ true }}', { ...SWITCH, noDataExpression: true }, 'takes no expression'],
	['={{ 30 }}', { ...TEXT, noDataExpression: true }, 'takes no expression'],
	[['true'], SWITCH, 'must be true or false, not a list'],
	['c', CHOICE, 'cannot be "c"; choose one of: payment_failed, b'],
	[['c'], CHOICES, 'cannot be "c"; choose one of: payment_failed, b'],
	['b', CHOICES, 'takes a list, not "b"'],
	['soon', DATE, 'takes a date, such as 2026-01-31 or 2026-01-31T18:00:00, not "soon"'],
	[new Error('No path back to item'), TEXT, ': No path back to item'],
	[new Error(''), TEXT, ': its expression could not be evaluated'],
])('%j in %o is refused: %s', (given, of, words) => {
	const message = `'The Field'${words.startsWith(':') ? '' : ' '}${words}`;
	expect(() => one(given, of)).toThrow(message);
});

describe('fields within a field', () => {
	const inner = [
		field('options', { name: 'kind', default: 'payment_failed', options }),
		field('string', { name: 'only', displayOptions: { show: { kind: ['b'] } } }),
	];

	test('of a collection are read if they are filled in and shown', () => {
		const collection = field('collection', { options: inner });
		const given = { kind: 'payment_failed', only: 'x', unknown: 1 };
		expect(one(given, collection)).toEqual({ kind: 'payment_failed' });
		expect(one({ ...given, kind: 'b' }, collection)).toEqual({ kind: 'b', only: 'x' });
		for (const empty of [{}, null]) expect(one(empty, collection)).toEqual({});
		expect(() => one('x', collection)).toThrow('must be an object that holds its fields, not "x"');
	});

	test('of a group are read as one row or as many', () => {
		const single = field('fixedCollection', {
			options: [{ displayName: 'Rows', name: 'rows', values: inner }],
		});
		const many = { ...single, typeOptions: { multipleValues: true } };
		const row = { kind: 'b', only: 'x' };
		expect(one({ rows: row }, single)).toEqual({ rows: row });
		expect(one({ rows: [row, {}] }, many)).toEqual({ rows: [row, { kind: 'payment_failed' }] });
		expect(one({ rows: row }, many)).toEqual({ rows: [row] });
		for (const empty of [{}, null]) expect(one(empty, single)).toEqual({});
		const mustBe = 'must be an object that holds its fields, not';
		expect(() => one({ rows: undefined }, single)).toThrow(`${mustBe} nothing`);
		expect(() => one({ rows: ['x'] }, many)).toThrow(`${mustBe} "x"`);
	});
});

test('a field is left out if another hides it; a notice has no value', () => {
	const notice = field('notice', { name: 'notice' });
	const displayOptions = { show: { it: ['x', 'y'] } };
	const hidden = field('string', { name: 'hidden', displayOptions });
	const fields = [notice, TEXT, hidden];
	expect(read(fields, { notice: 'n', it: 'z', hidden: 'h' })).toEqual({ it: 'z' });
	expect(read(fields, { it: 'y', hidden: 'h' })).toEqual({ it: 'y', hidden: 'h' });
});

test.each(['DEFAULT', ''])('the timezone %j is that of the instance', (timezone) => {
	const { defaultTimezone } = getGlobalState();
	setGlobalState({ defaultTimezone: 'Asia/Kolkata' });
	const found = read([DATE], { it: '2026-01-31' }, timezone);
	setGlobalState({ defaultTimezone });
	expect(found).toEqual({ it: '2026-01-30T18:30:00.000Z' });
});
