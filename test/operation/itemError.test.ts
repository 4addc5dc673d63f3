import { NodeOperationError } from 'n8n-workflow';

import { itemErrorOf } from '../../nodes/PaymentsGateway/operation/itemError';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/** No error of an item holds a secret, wherever in the error it is. */

const TOKEN = 'the-private-token';
const CODE = '738';
const parameters = { card: { details: { cvc: CODE } } };
const position: [number, number] = [0, 0];
const node = {
	...{ id: '1', name: 'Node', type: 'x.y', typeVersion: 1, position },
	parameters: { ...parameters, referenceId: TOKEN },
};
const ctx = { node, itemIndex: 2, mask: createMask([TOKEN]), parameters };

/** All that n8n logs and stores of an error and its causes. */
function written(error: Error): string {
	const { name, message, stack, cause } = error;
	const own = JSON.stringify([error, { ...error }, name, message, stack]);
	return cause instanceof Error ? own + written(cause) : own;
}
const secretsOf = (error: Error) => [TOKEN, CODE].filter((each) => written(error).includes(each));

test('the message, the stack and all causes of an unexpected error are masked', () => {
	const cause = new TypeError(`inner ${TOKEN}`, { cause: new Error(`innermost ${TOKEN}`) });
	const error = itemErrorOf(new RangeError(`outer ${TOKEN} ${CODE}`, { cause }), ctx);
	expect(error).toBeInstanceOf(NodeOperationError);
	const below = { message: 'inner ••••', cause: { message: 'innermost ••••' } };
	expect(error).toMatchObject({
		message: 'outer •••• ••••',
		context: { itemIndex: 2 },
		cause: { message: 'outer •••• ••••', cause: below },
	});
	expect(error.stack).toMatch(/^RangeError: outer •••• ••••\n +at .*itemError\.test/);
	expect(secretsOf(error)).toEqual([]);
});

test('a thrown value that is not an error ends the item with a fixed message, without that value', () => {
	expect(itemErrorOf(TOKEN, ctx).message).toBe('What was thrown is not an error');
});

test('an expected error keeps its words, but for secrets', () => {
	const expected = new NodeOperationError(node, `words ${TOKEN}`, { description: `do ${TOKEN}` });
	// n8n keeps here a message that it has replaced by its own.
	expected.messages.push(`replaced ${TOKEN}`);
	const error = itemErrorOf(expected, ctx);
	expect(error).toMatchObject({
		...{ message: 'words ••••', description: 'do ••••', messages: ['replaced ••••'] },
		...{ context: { itemIndex: 2 }, node: { name: 'Node' }, cause: { message: 'words ••••' } },
	});
	expect(error.stack).toMatch(/words ••••\n +at .*itemError\.test/);
	expect(secretsOf(error)).toEqual([]);
});
