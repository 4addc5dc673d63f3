import type { IExecuteFunctions } from 'n8n-workflow';

import { isByExpression } from '../../nodes/PaymentsGateway/form/rawParameter';

test('an expression is told from what was typed, also where that is no text or speaks of "="', () => {
	const parameters = { byExpression: '={{ $json.a }}', text: 'say "="', empty: '', number: 5 };
	const context = { getNode: () => ({ parameters }) } as unknown as IExecuteFunctions;
	const found = [...Object.keys(parameters), 'missing'].filter((at) => isByExpression(context, at));
	expect(found).toEqual(['byExpression']);
});
