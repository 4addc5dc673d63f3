import type { IExecuteFunctions } from 'n8n-workflow';

import { isByExpression, written } from '../../nodes/PaymentsGateway/form/written';

const parameters = {
	plain: 'x',
	list: [{ a: 1, b: ['y'] }],
	expression: '={{ $json.a }}',
	within: { a: [{ b: '={{ $json.a }}' }] },
	quoting: 'say "=" to it',
	empty: '',
};

test('what was typed is told from what an expression gives', () => {
	const context = { getNode: () => ({ parameters }) } as unknown as IExecuteFunctions;
	expect(written(context, 'expression')).toBe('={{ $json.a }}');
	expect(written(context, 'list')).toEqual(parameters.list);
	expect(written(context, 'missing.too')).toBeUndefined();
	expect(Object.keys(parameters).filter((name) => isByExpression(context, name))).toEqual([
		'expression',
	]);
});
