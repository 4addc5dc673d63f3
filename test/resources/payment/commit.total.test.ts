import { output } from '../../engine';
import type { Fault } from '../../sandbox';
import { REFERENCE, nothingSent, nothingCharged, once, words, useCharges } from './charges';

/** What is charged is the total that the service has computed, and the one that was expected. */

const { sandbox, commit, cart, seen } = useCharges();

describe('4. the total', () => {
	test.each([0, 2500])('charges when %d is expected', async (expectedTotal) => {
		output(await commit({ paymentData: cart(), expectedTotal }));
		expect(seen()).toEqual(once);
	});

	test.each([2499, 2501, 25])('charges nothing when %d is expected, and names both', async (v) => {
		const run = await commit({ paymentData: cart(), expectedTotal: v });
		expect(run.error?.message).toMatch(new RegExp(`2500 .*${v}`));
		expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual(['computeTokenizedCheckout']);
		expect(seen()).toEqual(nothingCharged);
	});

	test.each<[unknown, RegExp]>([
		[19.99, /19\.99 looks like dollars; the service takes cents \(1999\)/],
		['19.99', /19\.99 looks like dollars/],
		[-1, /below zero/],
		[null, /"Expected Total \(Cents\)" is empty/],
		[undefined, /"Expected Total \(Cents\)" is empty/],
		['', /"Expected Total \(Cents\)" is empty/],
		['25,00', /25,00 looks like dollars; the service takes cents \(2500\)/],
		['$25', /\$25 looks like dollars; the service takes cents \(2500\)/],
		['2,500', /takes an amount, not 2,500: type 2500/],
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
