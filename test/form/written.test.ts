import type { IExecuteFunctions } from 'n8n-workflow';

import { isByExpression, parameterOf, written } from '../../nodes/PaymentsGateway/form/written';

/** Parameters as they stand in the node, and how often n8n must work them out. */

const PARAMETERS = {
	plain: 'x',
	list: [{ a: 1, b: ['y'] }],
	expression: '={{ $json.a }}',
	within: { a: [{ b: '={{ $json.a }}' }] },
	quoting: 'say "=" to it',
	empty: '',
};

function contextOf(parameters: object) {
	const read: string[] = [];
	const context = {
		getNode: () => ({ parameters }),
		getNodeParameter: (name: string, itemIndex: number, otherwise: unknown) => {
			read.push(name);
			return `${name} of ${itemIndex}, or ${String(otherwise)}`;
		},
	};
	return { context: context as unknown as IExecuteFunctions, read };
}

test.each([
	['plain', 1],
	['list', 1],
	['empty', 1],
	['expression', 3],
	['within', 3],
	['missing', 3],
])('%s is worked out %d times for three items', (name, times) => {
	const { context, read } = contextOf(PARAMETERS);
	const values = [0, 1, 2].map((item) => parameterOf(context, name, item, 'none'));
	expect(read).toEqual(Array(times).fill(name));
	expect(values).toEqual([0, 1, 2].map((item) => `${name} of ${times === 1 ? 0 : item}, or none`));
});

test('one run knows nothing of another', () => {
	for (const run of [1, 2]) {
		const { context, read } = contextOf({ plain: run });
		parameterOf(context, 'plain', 0, 'none');
		parameterOf(context, 'plain', 1, 'none');
		expect(read).toEqual(['plain']);
	}
});

test('what was typed is told from what an expression gives', () => {
	const { context } = contextOf(PARAMETERS);
	expect(written(context, 'expression')).toBe('={{ $json.a }}');
	expect(written(context, 'list')).toEqual(PARAMETERS.list);
	expect(written(context, 'missing.too')).toBeUndefined();
	expect(Object.keys(PARAMETERS).filter((name) => isByExpression(context, name))).toEqual([
		'expression',
	]);
});
