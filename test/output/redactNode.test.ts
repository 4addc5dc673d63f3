import type { INode } from 'n8n-workflow';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { redactNode } from '../../nodes/PaymentsGateway/output/redactNode';

/** An error carries the node, and n8n stores it: with all that was typed, but for secrets. */

const node: INode = {
	id: '1',
	name: 'Payments Gateway',
	type: 'paymentsGateway',
	typeVersion: 1,
	position: [0, 0],
	parameters: {
		operation: 'add',
		ach: { details: { accountNumber: '000123456789', holder: 'Ada' } },
		note: 'Bearer tok-123456',
	},
};

test('an error’s node is the node without its secrets', () => {
	expect(redactNode(node)).toEqual({
		...node,
		parameters: {
			operation: 'add',
			ach: { details: { accountNumber: '••••', holder: 'Ada' } },
			note: 'Bearer tok-123456',
		},
	});
});

test('nor does it hold a token, and the node itself stays what it is', () => {
	const before = structuredClone(node);
	expect(redactNode(node, createMask(['tok-123456'])).parameters.note).toBe('Bearer ••••');
	expect(node).toEqual(before);
});
