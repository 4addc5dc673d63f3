import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith, methodsOf } from './methods';

/** Deleting a payment method and making one the default touch that one alone. */

const { sandbox, run: runNode, sent } = useNode({ resource: 'paymentMethod' });

const run = async (operation: string, parameters: INodeParameters, given = {}) =>
	await runNode({ operation, ...parameters }, given);

describe('delete and set default', () => {
	test('name the method and its customer, and do no more', async () => {
		const { id, methods } = customerWith(sandbox, 3);
		const [first, second, third] = methods.map(({ cardID }) => cardID);
		const chosen = (cardID: unknown) => ({
			customerId: by('id', id),
			paymentMethodId: by('list', cardID),
		});
		expect(output(await run('setDefault', chosen(third)))).toEqual([{ customerID: id }]);
		expect(output(await run('delete', chosen(second)))).toEqual([
			{ customerID: id, deleted: true },
		]);
		expect(sent('setDefaultPaymentMethod')).toEqual([{ customerID: id, cardID: third }]);
		expect(sent('deletePaymentMethod')).toEqual([{ customerID: id, cardID: second }]);
		expect(methodsOf(sandbox, id)).toMatchObject([
			{ cardID: first, isDefault: false },
			{ cardID: third, isDefault: true },
		]);
		const again = await run('delete', chosen(second));
		expect(again.error?.message).toBe(`Customer ${id} has no payment method ${second}`);
		expect(again.error?.description).toContain("Check 'Customer' and 'Payment Method'");
	});

	test('take the method by an expression, for each item', async () => {
		const { id, methods } = customerWith(sandbox, 3);
		const items = methods.map(({ cardID }) => ({ id, cardID }));
		const parameters = {
			customerId: by('id', '={{ $json.id }}'),
			paymentMethodId: by('id', '={{ $json.cardID }}'),
		};
		expect(output(await run('delete', parameters, { items }))).toHaveLength(3);
		expect(methodsOf(sandbox, id)).toEqual([]);
	});

	test('without a method are refused before anything is sent', async () => {
		for (const operation of ['delete', 'setDefault']) {
			const parameters = {
				customerId: by('email', 'ada@example.com'),
				paymentMethodId: by('id', '={{ $json.none }}'),
			};
			const { error } = await run(operation, parameters);
			expect(error?.message).toContain("'Payment Method' is empty");
		}
		expect(sandbox.requests).toHaveLength(0);
	});
});
