import { withLabels } from '../../nodes/PaymentsGateway/form/labels';
import { resources } from '../operations';

/** What the gateway calls by its own names is found in the form by its labels. */

/** As if every field were filled in, or just what is given. */
function labelled(resource: string, operation: string, words: string, given?: object) {
	const fields = resources[resource]?.operations[operation]?.fields ?? [];
	const filled = given ?? Object.fromEntries(fields.map(({ name }) => [name, '']));
	const said = withLabels(words, fields, filled);
	expect(said.endsWith(words)).toBe(true);
	return said.slice(0, said.length - words.length);
}

test.each([
	['data.form.onSuccessURL must be an http or https URL', "'Redirect After Success': "],
	['onFailureURL is invalid', "'Redirect If Not Paid': "],
	['data.form.pricing.amount must be an integer of 1 or more', "'Amount (Dollars)': "],
	['data.form.meta.dynamic.tip.amount must be a number', "'Cart Tip (Dollars or Percent)': "],
	['data.form.meta.dynamic.discountCodes must be an array', "'Cart Discount Codes': "],
	['data.form.pricing.lineItems[0].product.price must be an integer', "'Price (Dollars)': "],
	['data.form.pricing.lineItems[1].amount must be a number of 1 or more', "'Quantity': "],
	['data.form.disableCC must be a boolean', "'Disable Card': "],
	['referenceID too long; validUntil over; referenceID', "'Reference ID', 'Valid Until': "],
	['Your card was declined. The amount is above the limit.', ''],
	['Write to help@email.com or see https://docs.example.com/form.email', ''],
	['data.form.somethingElse must be a string', ''],
	['data.toString is not a thing', ''],
])('of a paylink: %s', (words, label) => {
	expect(labelled('paylink', 'create', words)).toBe(label);
});

test.each([
	['customer', 'update', 'data.form.billingZip must be a string', "'Billing ZIP': "],
	['customer', 'getAll', 'data.page.filter[0].value must be a string', "'Value': "],
	['paymentMethod', 'delete', 'data.cardID must be a string', "'Payment Method': "],
])('of %s.%s: %s', (resource, operation, words, label) => {
	expect(labelled(resource, operation, words)).toBe(label);
});

test('names no field that the form hides, nor of a collection to which nothing was added', () => {
	const filled = { lineItemsJson: [{ amount: 0.5 }], dynamicData: {}, pricing: {} };
	for (const name of [
		'pricing.lineItems[0].product.price',
		'lineItems[0].amount',
		'form.pricing.amount',
	]) {
		expect(labelled('paylink', 'create', `${name} is wrong`, filled)).toBe('');
	}
});
