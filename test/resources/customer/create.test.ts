import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';

/** A new customer has the fields that were filled in, and no others. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'create' });

const email = 'ada@example.com';
const card = { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' };
const gpecomm = { id: 'gp-1', cvv: '123' };
const notSkipped = { skipMultiTokenConvert: false };
const empty = {
	billingZip: '={{ null }}',
	billingCity: '={{ $json.missing }}',
	billingState: '   ',
};
const customerFields = { ...empty, email: ` ${email} `, phone: '={{ 5550100 }}', nameOnCard: '' };
const cardOf = (details: INodeParameters) => ({ instrument: 'card', card: { details } });

test.each<[string, INodeParameters, object]>([
	['no field that is empty, and numbers as text', { customerFields }, { phone: '5550100' }],
	['a GP Ecomm ID', { instrument: 'gpecomm', gpecomm: { details: gpecomm } }, { gpecomm }],
	['nothing of a payment method that is filled in but not chosen', { card: { details: card } }, {}],
	['Skip Multi-Token Conversion even if it is off', { options: notSkipped }, notSkipped],
])('sends %s, and returns both IDs', async (_, parameters, form) => {
	const items = output(await run({ customerFields: { email }, ...parameters }));
	expect(sent('addCustomer')).toEqual([{ form: { email, ...form } }]);
	const [{ id, paymentCards = [] } = {}] = sandbox.customers;
	expect(items).toEqual([{ customerID: id, paymentCardID: paymentCards[0]?.cardID ?? '' }]);
});

test.each<[string, INodeParameters]>([
	["'Customer Fields' are empty", { customerFields: { email: '', phone: ' ' } }],
	["'Email' takes one email address", { customerFields: { email: 'unknown' } }],
	["'Card Token' is empty", cardOf({ cardToken: '={{ "" }}', cvc: '123' })],
	["'Expiry Date' takes month and year", cardOf({ ...card, expiryDate: '2029-08' })],
])('the error "%s" comes before any request: %j', async (message, parameters) => {
	const { error } = await run({ customerFields: { email }, ...parameters });
	expect(error?.message).toContain(message);
	expect(error?.context?.itemIndex).toBe(0);
	expect(sandbox.requests).toHaveLength(0);
});
