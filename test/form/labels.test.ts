import { withLabels } from '../../nodes/PaymentsGateway/form/labels';
import { resources } from '../operations';
import { useNode } from '../useNode';

/** What the gateway calls by its own names is found in the form by its labels. */

const { run } = useNode();

/** As if every field but these were filled in. */
function labelled(resource: string, operation: string, words: string, hidden: string[] = []) {
	const fields = resources[resource]?.operations[operation]?.fields ?? [];
	const shown = fields.map(({ name }) => name).filter((name) => !hidden.includes(name));
	const filled = Object.fromEntries(shown.map((name) => [name, '']));
	const said = withLabels(words, fields, filled);
	expect(said.endsWith(words)).toBe(true);
	return said.slice(0, said.length - words.length);
}

test.each([
	['data.form.onSuccessURL must be an http or https URL', "'Redirect After Success': "],
	['onFailureURL is invalid', "'Redirect If Not Paid': "],
	['data.form.pricing.amount must be an integer of 1 or more', "'Amount (Dollars)': "],
	['pricing.tip must be a number', "'Tip Amount (Dollars or Percent)': "],
	['data.form.meta.dynamic.tip.amount must be a number', "'Cart Tip (Dollars or Percent)': "],
	['pricing.discountCodes must be an array', "'Discount Codes': "],
	['data.form.meta.dynamic.discountCodes must be an array', "'Cart Discount Codes': "],
	['data.form.pricing.lineItems[0].product.price must be an integer', "'Price (Dollars)': "],
	['data.form.pricing.lineItems[1].amount must be a number of 1 or more', "'Quantity': "],
	['data.form.disableCC must be a boolean', "'Disable Card': "],
	['data.form.customerID must be a string', "'Existing Customer': "],
	['data.form.customerPaymentID must be a string', "'Saved Payment Method': "],
	['data.form.prefilledAddress.email must be an email', "'Email': "],
	['referenceID too long; validUntil is over', "'Reference ID', 'Valid Until': "],
	['data.form.referenceID and again referenceID', "'Reference ID': "],
	['Your card was declined. The amount is above the limit.', ''],
	['Write to help@email.com or see https://docs.example.com/form.email', ''],
	['data.form.somethingElse must be a string', ''],
	['data.toString is not a thing', ''],
])('of a paylink: %s', (words, label) => {
	expect(labelled('paylink', 'create', words)).toBe(label);
});

test.each([
	['customer', 'update', 'data.form.billingZip must be a string', "'Billing ZIP': "],
	['customer', 'create', 'data.form.card.cardToken must be a string', "'Card Token': "],
	['customer', 'getAll', 'data.page.filter[0].value must be a string', "'Value': "],
	['customer', 'getAll', 'data.page.sort.field is unknown', "'Sort Field': "],
	['paymentMethod', 'delete', 'data.cardID must be a string', "'Payment Method': "],
	['payment', 'commit', 'data.customerInfo.ach.routingNumber is wrong', "'Routing Number': "],
	['cart', 'calculate', 'data.paymentData cannot be read', "'Payment Data': "],
])('of %s.%s: %s', (resource, operation, words, label) => {
	expect(labelled(resource, operation, words)).toBe(label);
});

test('names no field that the form hides, nor of a collection to which nothing was added', () => {
	const price = 'data.form.pricing.lineItems[0].product.price must be an integer';
	expect(labelled('paylink', 'create', price, ['lineItems'])).toBe('');
	const fields = resources.paylink?.operations.create?.fields ?? [];
	const filled = { lineItemsJson: [{ amount: 0.5 }], dynamicData: {}, pricing: {} };
	for (const name of ['form.pricing.lineItems[0].amount', 'form.pricing.amount']) {
		expect(withLabels(`${name} is wrong`, fields, filled)).toBe(`${name} is wrong`);
	}
});

test('stands in front of what the gateway says, through the node', async () => {
	const paylink = { resource: 'paylink', operation: 'create', amount: 25 };
	const { error } = await run({ ...paylink, linkOptions: { onSuccessUrl: 'nowhere' } });
	expect(error?.message).toBe(
		"'Redirect After Success': data.form.onSuccessURL must be an http or https URL",
	);
});
