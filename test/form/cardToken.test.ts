import type { INodeParameters } from 'n8n-workflow';

import { isCardNumber } from '../../nodes/PaymentsGateway/form/shapes';
import { log } from '../engine';
import { leavesOf } from '../everyField';
import { operations } from '../operations';
import { useNode } from '../useNode';
import { by } from '../resources/locator';

/** A card number that is put into Card Token never leaves the node, and stands in no error. */

const { sandbox, run } = useNode();

test.each([
	['4242424242424242', true],
	['4242 4242 4242 4242', true],
	['4242-4242-4242-4242', true],
	['2223003122003222', true],
	['378282246310005', true],
	['6011000990139424', true],
	['4222222222222', true],
	['6304000000000000000', true],
	// Another last digit fails the check.
	['4242424242424241', false],
	// Card numbers begin with 2 to 6; tokens made of digits begin otherwise.
	['1000000000000008', false],
	['9102424242424242', false],
	// 12 and 20 digits.
	['424242424242', false],
	['42424242424242424242', false],
	['tok_4242424242424242', false],
	['4242424242424242a', false],
	['', false],
])('"%s" is a card number: %p', (text, isOne) => {
	expect(isCardNumber(text)).toBe(isOne);
});

const NUMBER = '4242 4242 4242 4242';
const card = (cardToken: string) => ({ details: { cardToken } });
const FORMS: Readonly<Record<string, INodeParameters>> = {
	'customer.create': { customerFields: { email: 'ada@example.com' }, instrument: 'card' },
	'payment.charge': { paymentData: 'pd_1', customerConsent: true },
	'paymentMethod.add': { customerId: by('id', 'cus_1') },
};

test('every form with a Card Token is tried here', () => {
	const titles = operations.flatMap(({ title, operation }) =>
		leavesOf(operation.fields).some(({ field }) => field.name === 'cardToken') ? [title] : [],
	);
	expect(titles.sort()).toEqual(Object.keys(FORMS).sort());
});

describe.each(Object.entries(FORMS))('%s', (title, form) => {
	const [resource, operation] = title.split('.');

	test.each([
		['typed in', NUMBER, NUMBER],
		['by expression', '={{ $json.card }}', NUMBER],
		['as a number', '={{ $json.card }}', Number(NUMBER.replaceAll(' ', ''))],
	])(
		'refuses a card number %s before any request, and quotes it nowhere',
		async (_, typed, json) => {
			const { error } = await run(
				{ ...form, ...{ resource, operation }, card: card(typed) },
				{ items: [{ card: json }] },
			);
			expect(error?.message).toBe(
				"'Card Token' takes the token from your checkout page, not a card number",
			);
			expect(sandbox.requests).toEqual([]);
			const written = JSON.stringify([error, error?.message, error?.description, error?.stack]);
			expect(`${written} ${JSON.stringify(log.lines)}`.replace(/[ -]/g, '')).not.toMatch(/4242/);
		},
	);
});
