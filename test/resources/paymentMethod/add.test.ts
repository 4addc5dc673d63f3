import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith, methodsOf } from './methods';

/** A payment method is added as it was filled in, and becomes the default only when told to. */

const { sandbox, run, sent } = useNode({ resource: 'paymentMethod', operation: 'add' });

describe('add', () => {
	const card = { cardToken: 'tok_mastercard_4444', cvc: '123', expiryDate: '08/29' };
	const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
	const types = { accountType: 'CHECKING', accountHolderType: 'PERSONAL' };
	const cases: Array<[INodeParameters, object]> = [
		[{ card: { details: card } }, { card }],
		[
			{ instrument: 'card', card: { details: { ...card, cvc: '' } } },
			{ card: { ...card, cvc: undefined } },
		],
		[{ instrument: 'ach', ach: { details: ach } }, { ach: { ...ach, ...types } }],
		[
			{ instrument: 'gpecomm', gpecomm: { details: { id: 'gp', cvv: '9' } } },
			{ gpecomm: { id: 'gp', cvv: '9' } },
		],
		[
			{ card: { details: card }, options: { setAsDefault: true, skipMultiTokenConvert: true } },
			{ card, setAsDefault: true, skipMultiTokenConvert: true },
		],
		[
			{ card: { details: card }, options: { setAsDefault: false } },
			{ card, setAsDefault: false },
		],
	];

	test.each(cases)('%j sends exactly that', async (parameters, form) => {
		const { id } = customerWith(sandbox, 1);
		const items = output(await run({ customerId: by('id', id), ...parameters }));
		const added = methodsOf(sandbox, id)?.[1];
		expect(items).toEqual([{ customerID: id, paymentCardID: added?.cardID }]);
		// JSON has no undefined, so what is undefined here must not have been there.
		expect(sent('addPaymentMethod')).toEqual([{ customerID: id, form }]);
		expect(Object.values(sent('addPaymentMethod')[0] ?? {})).not.toContain('');
	});

	test('makes it the default only when it is told to', async () => {
		const { id, methods } = customerWith(sandbox, 1);
		const parameters = { customerId: by('email', 'ADA@example.com'), card: { details: card } };
		output(await run(parameters));
		expect(methodsOf(sandbox, id)?.find(({ isDefault }) => isDefault)?.cardID).toBe(
			methods[0]?.cardID,
		);
		output(await run({ ...parameters, options: { setAsDefault: true } }));
		expect(methodsOf(sandbox, id)?.[2]?.isDefault).toBe(true);
	});

	test('refuses a form without its details before anything is sent', async () => {
		for (const instrument of ['card', 'ach', 'gpecomm']) {
			const { error } = await run({
				customerId: by('email', 'ada@example.com'),
				instrument,
			});
			expect(error?.message).toContain('is empty');
		}
		expect(sandbox.requests).toHaveLength(0);
	});
});
