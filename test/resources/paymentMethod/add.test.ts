import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith, methodsOf } from './methods';

/**
 * A payment method is added as it was filled in, and becomes the default only when told to. What of
 * the details goes out: customer/create.test.ts.
 */

const { sandbox, run, sent } = useNode({ resource: 'paymentMethod', operation: 'add' });

const card = { cardToken: 'tok_mastercard_4444', cvc: '123', expiryDate: '08/29' };
const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
const types = { accountType: 'CHECKING', accountHolderType: 'PERSONAL' };
const both = { setAsDefault: true, skipMultiTokenConvert: true };

test.each<[INodeParameters, object]>([
	[{ card: { details: { ...card, cvc: '' } } }, { card: { ...card, cvc: undefined } }],
	[{ instrument: 'ach', ach: { details: ach } }, { ach: { ...ach, ...types } }],
	[
		{ card: { details: card }, options: both },
		{ card, ...both },
	],
	[
		{ card: { details: card }, options: { setAsDefault: false } },
		{ card, setAsDefault: false },
	],
])('%j sends exactly that', async (parameters, form) => {
	const { id } = customerWith(sandbox, 1);
	const items = output(await run({ customerId: by('id', id), ...parameters }));
	const added = methodsOf(sandbox, id)?.[1];
	expect(items).toEqual([{ customerID: id, paymentCardID: added?.cardID }]);
	// JSON has no undefined, so what is undefined here must not have been there.
	expect(sent('addPaymentMethod')).toEqual([{ customerID: id, form }]);
	expect(added?.isDefault).toBe('setAsDefault' in form && form.setAsDefault);
});

test('refuses a form without its details before the customer is looked up', async () => {
	const customerId = by('email', 'ada@example.com');
	for (const instrument of ['card', 'ach', 'gpecomm']) {
		expect((await run({ customerId, instrument })).error?.message).toContain('is empty');
	}
	expect(sandbox.requests).toHaveLength(0);
});
