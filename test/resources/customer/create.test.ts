import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { everything } from './everything';

/** A new customer has what was filled in, and nothing else. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'create' });

const email = 'ada@example.com';
const card = { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' };
const account = { accountNumber: '000123456789', routingNumber: '021000021' };
const personal = { ...account, accountType: 'CHECKING', accountHolderType: 'PERSONAL' };
const business = { ...account, accountType: 'SAVINGS', accountHolderType: 'BUSINESS' };
const gpecomm = { id: 'gp-1', cvv: '123' };
const cardOf = (details: INodeParameters) => ({ instrument: 'card', card: { details } });
const achOf = (details: INodeParameters) => ({ instrument: 'ach', ach: { details } });

test('sends every field as the gateway names it, and answers both IDs', async () => {
	const items = output(await run({ customerFields: everything }));
	const [customer] = sandbox.customers;
	expect(items).toEqual([{ customerID: customer?.id, paymentCardID: '' }]);
	expect(sent('addCustomer')).toEqual([{ form: everything }]);
	expect(customer).toMatchObject(everything);
});

test('makes those without an email at once, and those with one email in turn', async () => {
	sandbox.settings.latency = 30;
	const items = Array.from({ length: 3 }, (_, index) => ({ phone: String(index) }));
	const phone = '={{ $json.phone }}';
	output(await run({ customerFields: { phone, email } }, { items }));
	expect(sandbox.maxInFlight).toBe(1);
	output(await run({ customerFields: { phone } }, { items }));
	expect(sandbox.maxInFlight).toBeGreaterThan(1);
	expect(sandbox.customers).toHaveLength(6);
});

test.each<[string, INodeParameters, object]>([
	[
		'no field that is empty, and numbers as text',
		{
			customerFields: {
				...{ email: ` ${email} `, phone: '={{ 5550100 }}', billingZip: '={{ null }}' },
				...{ billingCity: '={{ $json.missing }}', billingState: '   ', nameOnCard: '' },
			},
		},
		{ phone: '5550100' },
	],
	['a card', cardOf(card), { card }],
	['a bank account, of a person who pays from it', achOf(account), { ach: personal }],
	['a bank account of another kind', achOf(business), { ach: business }],
	['a GP Ecomm ID', { instrument: 'gpecomm', gpecomm: { details: gpecomm } }, { gpecomm }],
	['nothing that is left in the form of a kind not chosen', { card: { details: card } }, {}],
	[
		'Skip Multi-Token Conversion also where it is off',
		{ options: { skipMultiTokenConvert: false } },
		{ skipMultiTokenConvert: false },
	],
])('sends %s', async (_, parameters, form) => {
	const [item] = output(await run({ customerFields: { email }, ...parameters }));
	expect(sent('addCustomer')).toEqual([{ form: { email, ...form } }]);
	const hasMethod = 'card' in form || 'ach' in form || 'gpecomm' in form;
	expect(item?.paymentCardID !== '').toBe(hasMethod);
});

test.each<[string, INodeParameters]>([
	["'Customer Fields' are empty", { customerFields: { email: '', phone: ' ' } }],
	["'Email' takes one email address", { customerFields: { email: 'unknown' } }],
	["'Card Token' is empty", cardOf({ cardToken: '={{ "" }}', cvc: '123' })],
	["'Expiry Date' takes month and year", cardOf({ ...card, expiryDate: '2029-08' })],
	["'Account Number' takes digits only", achOf({ ...account, accountNumber: '12 34' })],
	["'Account Type' is empty", achOf({ ...account, accountType: '={{ $json.missing }}' })],
])('says that %s, before anything is sent: %j', async (words, parameters) => {
	const { error } = await run({ customerFields: { email }, ...parameters });
	expect(error?.message).toContain(words);
	expect(error?.context?.itemIndex).toBe(0);
	expect(sandbox.requests).toHaveLength(0);
});
