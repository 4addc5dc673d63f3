import { useNode } from '../useNode';

/** What a field for a secret is filled with stays out of errors, however unfit it is. */

const ACCOUNT = '12345678901234567';
const { run, sandbox } = useNode({
	...{ resource: 'paymentMethod', operation: 'add' },
	customerId: { mode: 'id', value: 'cus_1' },
});

test.each([
	[Number(ACCOUNT), 'takes text, not a number'],
	[{ number: ACCOUNT }, 'takes text, not an object'],
	[`${ACCOUNT.slice(0, 12)}E+11`, 'takes digits only'],
])('an account number given as %j is in no error', async (given, why) => {
	const details = { accountNumber: '={{ $json.given }}', routingNumber: '021000021' };
	const { error } = await run({ instrument: 'ach', ach: { details } }, { items: [{ given }] });
	expect(error?.message).toContain(`'Account Number' ${why}`);
	expect(JSON.stringify([error, error?.message, error?.stack])).not.toContain(ACCOUNT.slice(0, 12));
	expect(sandbox.requests).toEqual([]);
});
