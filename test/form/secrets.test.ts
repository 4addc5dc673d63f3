import type { IDataObject } from 'n8n-workflow';

import { useNode } from '../useNode';

/** What a field for a secret is filled with stays out of errors, however unfit it is. */

const ACCOUNT = '12345678901234567';
const { run, sandbox } = useNode({
	resource: 'paymentMethod',
	operation: 'add',
	customerId: { mode: 'id', value: 'cus_1' },
});

test.each<[string, string, IDataObject[string], string]>([
	[
		'a number too long for JavaScript',
		'={{ $json.given }}',
		Number(ACCOUNT),
		'takes text, not such a number',
	],
	['a BigInt', `={{ BigInt("${ACCOUNT}") }}`, '', 'takes text, not such a bigint'],
	['an object', '={{ $json.given }}', { number: ACCOUNT }, 'takes text, not an object'],
	['a list', '={{ $json.given }}', [ACCOUNT], 'takes text, not a list'],
	['no sum', '={{ $json.given }}', true, 'takes text, not such a boolean'],
	[
		'a control character',
		'={{ $json.given }}',
		`${ACCOUNT}\u0000`,
		'contains a character that cannot be sent',
	],
])('an account number given as %s is in no error', async (_, accountNumber, given, why) => {
	const { error } = await run(
		{ instrument: 'ach', ach: { details: { accountNumber, routingNumber: '021000021' } } },
		{ items: [{ given }] },
	);
	expect(error?.message).toContain(`'Account Number' ${why}`);
	expect(JSON.stringify([error, error?.message, error?.stack])).not.toContain(ACCOUNT.slice(0, 12));
	expect(sandbox.requests).toEqual([]);
});

test('what is no secret is quoted, so that it can be found', async () => {
	const { error } = await run({ instrument: 'cheque 12345678' });
	expect(error?.message).toContain('"cheque 12345678"');
});
