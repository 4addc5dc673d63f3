import type { IExecuteFunctions } from 'n8n-workflow';

import { isByExpression, written } from '../../nodes/PaymentsGateway/form/written';

test('what was typed is told from what an expression gives', () => {
	const expression = '={{ $json.a }}';
	const typed = { plain: 'x', quoting: 'say "=" to it', empty: '', list: [{ b: expression }] };
	const parameters = { ...typed, expression };
	const context = { getNode: () => ({ parameters }) } as unknown as IExecuteFunctions;
	expect(written(context, 'expression')).toBe(expression);
	expect(written(context, 'list.0.b')).toBe(expression);
	expect(written(context, 'missing.too')).toBeUndefined();
	const byExpression = Object.keys(parameters).filter((name) => isByExpression(context, name));
	expect(byExpression).toEqual(['expression']);
});
