import { formatDollars } from '../../../nodes/PaymentsGateway/output/money';
import { output } from '../../engine';
import type { Fault } from '../../sandbox';
import { REFERENCE, nothingSent, nothingCharged, once, words, useCharges } from './charges';

/** What is charged is the total that the service has computed, and the one that was expected. */

const { sandbox, commit, cart, seen } = useCharges();

describe('4. the total', () => {
	test.each([0, 25])('charges when %d is expected', async (expectedTotal) => {
		output(await commit({ paymentData: cart(), expectedTotal }));
		expect(seen()).toEqual(once);
	});

	test.each([24.99, 25.01, 2500])(
		'charges nothing when %d is expected, and names both',
		async (v) => {
			const run = await commit({ paymentData: cart(), expectedTotal: v });
			expect(run.error?.message).toContain(
				`costs $25.00, and "Expected Total (Dollars)" is ${formatDollars(v * 100)}`,
			);
			expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual([
				'computeTokenizedCheckout',
			]);
			expect(seen()).toEqual(nothingCharged);
		},
	);

	test.each<[unknown, RegExp]>([
		[19.999, /takes dollars, such as 19\.99, not 19\.999/],
		[-1, /must be at least 0, not -1/],
		[null, /'Expected Total \(Dollars\)' is empty/],
		[undefined, /'Expected Total \(Dollars\)' is empty/],
		['', /'Expected Total \(Dollars\)' is empty/],
		['25,00', /takes dollars, such as 19\.99, not 25,00/],
	])('asks nothing of the service when %p is expected', async (v, message) => {
		const parameters = { paymentData: cart(), expectedTotal: '={{ $json.v }}' };
		const run = await commit(parameters, { items: [JSON.parse(JSON.stringify({ v }))] });
		expect(run.error?.message).toMatch(message);
		expect(seen()).toEqual(nothingSent);
	});

	test.each<[string, Fault]>([
		['no total', { answer: () => ({ breakdown: {}, referenceID: REFERENCE }) }],
		['a total in dollars', { answer: () => ({ breakdown: { total: 25.5 } }) }],
		['a total as text', { answer: () => ({ breakdown: { total: '2500' } }) }],
		['a web page', { status: 200, body: '<!doctype html><title>Hello</title>' }],
		['an error', { status: 500, times: Infinity }],
		['a refusal', { status: 400 }],
		['a way to elsewhere', { status: 307, headers: { Location: '/elsewhere' } }],
	])('charges nothing when the cart is computed with %s', async (_, fault) => {
		sandbox.fault({ on: 'computeTokenizedCheckout', ...fault });
		const run = await commit({ paymentData: cart() });
		expect(run.error).toBeDefined();
		expect(words(run)).not.toMatch(/undefined|NaN|\[object/);
		expect(seen()).toEqual(nothingCharged);
	});
});
