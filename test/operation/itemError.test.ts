import { NodeOperationError } from 'n8n-workflow';

import { itemErrorOf } from '../../nodes/PaymentsGateway/operation/itemError';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/** No error of an item holds a secret, wherever in the error it is. */

const TOKEN = 'the-private-token';
const node = {
	id: '1',
	name: 'Node',
	type: 'x.y',
	typeVersion: 1,
	position: [0, 0] as [number, number],
	parameters: { card: { details: { cvc: '738' } }, referenceId: TOKEN },
};
const CODE = '738';
const parameters = { card: { details: { cvc: CODE } } };
const ctx = { node, itemIndex: 2, mask: createMask([TOKEN]), parameters };

test('the message, the stack and all causes of an unexpected error are masked', () => {
	const cause = new TypeError(`inner ${TOKEN}`, { cause: new Error(`innermost ${TOKEN}`) });
	const error = itemErrorOf(new RangeError(`outer ${TOKEN} ${CODE}`, { cause }), ctx);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({ message: 'outer •••• ••••', context: { itemIndex: 2 } });
	expect(error.stack).toMatch(/^RangeError: outer •••• ••••\n +at .*itemError\.test/);
	const own = error.cause as Error;
	const below = own.cause as Error;
	const innermost = below.cause as Error;
	expect([own, below, innermost].map(({ message }) => message)).toEqual([
		'outer •••• ••••',
		'inner ••••',
		'innermost ••••',
	]);
	const everything = [own, below, innermost].flatMap(({ name, stack }) => [name, stack]);
	const written = JSON.stringify([error, error.node, error.stack, ...everything]);
	for (const secret of [TOKEN, CODE]) expect(written).not.toContain(secret);
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
		message: 'words ••••',
		description: 'do ••••',
		context: { itemIndex: 2 },
		messages: ['replaced ••••'],
		node: { name: 'Node' },
	});
	expect(error.stack).toMatch(/words ••••\n +at .*itemError\.test/);
	const cause = error.cause as Error;
	expect(cause.message).toBe('words ••••');
	const written = JSON.stringify([error, { ...error }, error.stack, cause.stack]);
	for (const secret of [TOKEN, CODE]) expect(written).not.toContain(secret);
});
