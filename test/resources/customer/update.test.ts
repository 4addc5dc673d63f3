import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** Only what was filled in changes, whether the service merges the form or replaces it. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'update' });

describe.each([false, true])(
	'update, where the service replaces the form: %p',
	(updateReplaces) => {
		let id: string;
		beforeEach(() => {
			sandbox.settings.updateReplaces = updateReplaces;
			({ id } = sandbox.addCustomer(everything));
		});
		const update = async (customerFields: INodeParameters, options = {}, items?: IDataObject[]) =>
			output(await run({ customerId: by('id', id), customerFields, options }, items && { items }));
		const clears = { clearEmptyFields: true };
		const forms = () => sent('updateCustomer').map(({ form }) => form);

		test.each<[string, INodeParameters, object, object]>([
			['one field', { phone: '1' }, {}, { phone: '1' }],
			['an email', { email: 'Countess@Example.com' }, {}, { email: 'Countess@Example.com' }],
			[
				'empty fields',
				{ phone: '1', nameOnCard: '', billingZip: '={{ null }}' },
				{},
				{ phone: '1' },
			],
			[
				'empty fields that clear',
				{ phone: '1', nameOnCard: '', billingZip: '={{ null }}' },
				clears,
				{ phone: '1', nameOnCard: '', billingZip: '' },
			],
			['an empty email', { phone: '1', email: '' }, clears, { phone: '1' }],
			[
				'a missing column',
				{ phone: '1', billingCity: '={{ $json.none }}' },
				clears,
				{ phone: '1' },
			],
		])('lays %s over what is stored, and sends all of it', async (_, fields, options, changes) => {
			expect(await update(fields, options)).toEqual([{ customerID: id, outcome: 'updated' }]);
			expect(forms()).toEqual([{ ...everything, ...changes }]);
			expect(sandbox.customers).toMatchObject([{ id, ...everything, ...changes }]);
		});

		test.each<[string, INodeParameters, object]>([
			['nothing', {}, {}],
			['nothing to be cleared', {}, clears],
			['empty fields', { phone: '', email: '' }, {}],
			['what is stored', everything, clears],
			['an empty email', { email: '={{ null }}' }, clears],
		])('sends nothing where %s is filled in', async (_, fields, options) => {
			expect(await update(fields, options)).toEqual([{ customerID: id, outcome: 'unchanged' }]);
			expect(forms()).toEqual([]);
		});

		test('sends what the customer says as a number or as nothing, and not what they do not say', async () => {
			const said = { id, email: 'ada@example.com', phone: 5550100, billingCity: null };
			sandbox.fault({ on: 'customer', times: 2, body: said });
			const form = { email: 'ada@example.com', phone: '5550100', billingCity: '' };
			await update({ phone: '5550100', billingCity: '', billingZip: '' }, clears);
			expect(forms()).toEqual([]);
			await update({ nameOnCard: 'Ada' });
			expect(forms()).toEqual([{ ...form, nameOnCard: 'Ada' }]);
		});

		test('items about one customer put back nothing that another has changed', async () => {
			sandbox.settings.latency = 5;
			const names = ['phone', 'billingCity', 'billingZip', 'nameOnCard'];
			const items = names.map((name) => ({ [name]: 'new' }));
			const fields = Object.fromEntries(names.map((name) => [name, `={{ $json.${name} ?? "" }}`]));
			await update(fields, {}, items);
			const all = Object.fromEntries(names.map((name) => [name, 'new']));
			expect(sandbox.customers).toMatchObject([{ ...everything, ...all }]);
		});
	},
);

test('customers who change emails with each other do not wait for ever', async () => {
	sandbox.settings.latency = 5;
	const items = ['a@x.com', 'b@x.com'].map((email, index, all) => ({
		id: sandbox.addCustomer({ email }).id,
		email,
		to: all[1 - index],
	}));
	const customerFields = { email: '={{ $json.to }}' };
	for (const mode of ['id', 'email']) {
		const customerId = by(mode, `={{ $json.${mode} }}`);
		await run({ customerId, customerFields }, { items });
	}
	expect(sent('updateCustomer').length).toBeGreaterThanOrEqual(2);
});

test.each(['n/a', 'unknown', 'a@x.com, b@x.com'])('refuses %j as an email', async (email) => {
	const { error } = await run({ customerId: by('id', 'cus_1'), customerFields: { email } });
	expect(error?.message).toBe(
		`'Email' takes one email address, such as name@email.com, not "${email}"`,
	);
	expect(sandbox.requests).toEqual([]);
});

test('says what the service said of another email', async () => {
	const { id } = sandbox.addCustomer(everything);
	sandbox.fault({ on: 'updateCustomer', status: 422, body: { message: 'Taken' } });
	const customerFields = { email: 'other@example.com' };
	const { error } = await run({ customerId: by('id', id), customerFields });
	expect(error?.message).toBe('Taken');
});
