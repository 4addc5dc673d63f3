import { isCardNumber } from '../../nodes/PaymentsGateway/form/shapes';
import { log } from '../engine';
import { filled, leavesOf, variantsOf } from '../everyField';
import { operations } from '../operations';
import { useNode } from '../useNode';

/** A card number that is put into Card Token never leaves the node, and stands in no error. */

const { sandbox, run } = useNode();

test.each([
	...['4242424242424242', '4242 4242 4242 4242', '4242-4242-4242-4242', '2223003122003222'],
	...['378282246310005', '6011000990139424', '4222222222222', '6304000000000000000'],
])('"%s" is a card number', (text) => {
	expect(isCardNumber(text)).toBe(true);
});

test.each([
	['4242424242424241', 'its last digit fails the check'],
	['1000000000000008', 'card numbers begin with 2 to 6; tokens made of digits begin otherwise'],
	['9102424242424242', 'it begins with 9'],
	['424242424242', 'it has 12 digits'],
	['42424242424242424242', 'it has 20 digits'],
	['tok_4242424242424242', 'it has letters'],
	['4242424242424242a', 'it has a letter'],
	['', 'it is empty'],
])('"%s" is no card number: %s', (text) => {
	expect(isCardNumber(text)).toBe(false);
});

const NUMBER = '4242 4242 4242 4242';
const withCardToken = operations.filter(({ operation }) =>
	leavesOf(operation.fields).some(({ field }) => field.name === 'cardToken'),
);

describe.each(withCardToken)('$title', ({ title, resource, name, operation }) => {
	test.each([
		['typed in', NUMBER, NUMBER],
		['by expression', '={{ $json.card }}', NUMBER],
		['as a number', '={{ $json.card }}', Number(NUMBER.replaceAll(' ', ''))],
	])(
		'refuses a card number %s before any request, and quotes it nowhere',
		async (_, typed, card) => {
			const form = filled(operation.fields, { ...variantsOf(title)[0], cardToken: typed });
			const { error } = await run({ resource, operation: name, ...form }, { items: [{ card }] });
			expect(error?.message).toBe(
				"'Card Token' takes the token from your checkout page, not a card number",
			);
			expect(sandbox.requests).toEqual([]);
			const written = JSON.stringify([error, error?.message, error?.description, error?.stack]);
			expect(`${written} ${JSON.stringify(log.lines)}`.replace(/[ -]/g, '')).not.toMatch(/4242/);
		},
	);
});
