import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { everything } from './everything';

/** A new customer has what was filled in, and nothing else. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'create' });

describe('create', () => {
	test('sends every field as the service names it, and answers both IDs', async () => {
		const items = output(await run({ customerFields: everything }));
		const [customer] = sandbox.customers;
		expect(items).toEqual([{ customerID: customer?.id, paymentCardID: '' }]);
		expect(sent('addCustomer')).toEqual([{ form: everything }]);
		expect(customer).toMatchObject(everything);
	});

	test('sends no field that is empty, and numbers as text', async () => {
		const customerFields = {
			email: ' ada@example.com ',
			phone: '={{ 5550100 }}',
			billingZip: '={{ null }}',
			billingCity: '={{ $json.missing }}',
			billingState: '   ',
			nameOnCard: '',
		};
		output(await run({ customerFields }));
		expect(sent('addCustomer')).toEqual([{ form: { email: 'ada@example.com', phone: '5550100' } }]);
	});

	test('makes those without an email at once, and those with one email in turn', async () => {
		sandbox.settings.latency = 30;
		const items = Array.from({ length: 3 }, (_, index) => ({ phone: String(index) }));
		const phone = '={{ $json.phone }}';
		output(await run({ customerFields: { phone, email: 'ada@example.com' } }, { items }));
		expect(sandbox.maxInFlight).toBe(1);
		output(await run({ customerFields: { phone } }, { items }));
		expect(sandbox.maxInFlight).toBeGreaterThan(1);
		expect(sandbox.customers).toHaveLength(6);
	});

	test('says that nothing is filled in, before anything is sent', async () => {
		for (const customerFields of [{}, { email: '', phone: ' ' }]) {
			const { error } = await run({ customerFields });
			expect(error?.message).toContain("'Customer Fields' are empty");
		}
		expect(sandbox.requests).toHaveLength(0);
	});

	test.each(['n/a', 'unknown', 'ada', 'a@b.c, d@e.f'])('refuses %j as an email', async (email) => {
		const { error } = await run({ customerFields: { email } });
		expect(error?.message).toContain("'Email' takes one email address");
		expect(sandbox.requests).toHaveLength(0);
	});

	test.each<[string, INodeParameters, object]>([
		[
			'card',
			{ card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } } },
			{ card: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
		],
		['card', { card: { details: { cardToken: 'tok' } } }, { card: { cardToken: 'tok' } }],
		[
			'ach',
			{ ach: { details: { accountNumber: '000123456789', routingNumber: '021000021' } } },
			{
				ach: {
					accountNumber: '000123456789',
					routingNumber: '021000021',
					accountType: 'CHECKING',
					accountHolderType: 'PERSONAL',
				},
			},
		],
		[
			'ach',
			{
				ach: {
					details: {
						accountNumber: '000123456789',
						routingNumber: '021000021',
						accountType: 'SAVINGS',
						accountHolderType: 'BUSINESS',
					},
				},
			},
			{
				ach: {
					accountNumber: '000123456789',
					routingNumber: '021000021',
					accountType: 'SAVINGS',
					accountHolderType: 'BUSINESS',
				},
			},
		],
		[
			'gpecomm',
			{ gpecomm: { details: { id: 'gp-1', cvv: '123' } } },
			{ gpecomm: { id: 'gp-1', cvv: '123' } },
		],
		['gpecomm', { gpecomm: { details: { id: 'gp-1', cvv: '' } } }, { gpecomm: { id: 'gp-1' } }],
	])('saves a payment method: %s %j', async (instrument, parameters, form) => {
		const customerFields = { email: 'ada@example.com' };
		const run1 = await run({ customerFields, instrument, ...parameters });
		expect(output(run1)).toMatchObject([{ paymentCardID: expect.stringMatching(/./) }]);
		expect(sent('addCustomer')).toEqual([{ form: { email: 'ada@example.com', ...form } }]);
	});

	test.each(['accountType', 'accountHolderType'])(
		'saves no bank account whose %s an expression does not find',
		async (name) => {
			const details = { accountNumber: '000123456789', routingNumber: '021000021' };
			const parameters = {
				customerFields: { email: 'ada@example.com' },
				instrument: 'ach',
				ach: { details: { ...details, [name]: '={{ $json.missing }}' } },
			};
			const { error } = await run(parameters);
			expect(error?.message).toMatch(/^'Account (Holder )?Type' is empty$/);
			expect(sandbox.requests).toEqual([]);
		},
	);

	test('takes the details of the chosen kind alone, whatever else is left in the form', async () => {
		const parameters = {
			customerFields: { email: 'ada@example.com' },
			instrument: 'none',
			card: { details: { cardToken: 'tok' } },
		};
		output(await run(parameters));
		expect(sent('addCustomer')).toEqual([{ form: { email: 'ada@example.com' } }]);
	});

	test.each([true, false])(
		'sends Skip Multi-Token Conversion when it is set to %j',
		async (skip) => {
			const parameters = {
				customerFields: { email: 'a@x.com' },
				options: { skipMultiTokenConvert: skip },
			};
			output(await run(parameters));
			expect(sent('addCustomer')).toEqual([
				{ form: { email: 'a@x.com', skipMultiTokenConvert: skip } },
			]);
		},
	);

	test.each<[INodeParameters, string]>([
		[{ instrument: 'card' }, "'Card Token' is empty"],
		[{ instrument: 'card', card: { details: { cvc: '123' } } }, "'Card Token' is empty"],
		[
			{ instrument: 'card', card: { details: { cardToken: 't', expiryDate: '2029-08' } } },
			"'Expiry Date' must be month and year",
		],
		[{ instrument: 'ach' }, "'Account Number' is empty"],
		[
			{ instrument: 'ach', ach: { details: { accountNumber: '1234' } } },
			"'Routing Number' is empty",
		],
		[{ instrument: 'gpecomm' }, "'GP Ecomm ID' is empty"],
		[{ instrument: '={{ "cash" }}' }, `'Payment Method to Save' cannot be "cash"`],
	])('refuses %j before anything is sent', async (parameters, words) => {
		const { error } = await run({ customerFields: { email: 'a@x.com' }, ...parameters });
		expect(error?.message).toContain(words);
		expect(error?.context?.itemIndex).toBe(0);
		expect(sandbox.requests).toHaveLength(0);
	});
});
