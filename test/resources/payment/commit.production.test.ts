import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { nothingSent, once, words, useCharges } from './charges';
import { openFront, trustFront } from './front';

/** Real money moves only where production is allowed, and over https alone. */

const { sandbox, credentials, commit, cart, seen } = useCharges();

describe('2. production', () => {
	let url: string;
	let distrust: () => void;
	beforeAll(async () => {
		distrust = trustFront();
		({ url } = await openFront(sandbox.url, { secure: true }));
	});
	afterAll(() => distrust());

	const inProduction = (more: object = {}) => ({
		credentials: credentials({ environment: 'production', baseUrl: url, ...more }),
	});

	test.each<[string, INodeParameters]>([
		['the switch is off', {}],
		['an expression gives it', { allowProduction: '={{ true }}' }],
		['it stands in the options by expression', { options: '={{ ({ allowProduction: true }) }}' }],
	])('nothing is sent when %s', async (_, parameters) => {
		const run = await commit({ paymentData: cart(), ...parameters }, inProduction());
		expect(words(run)).toMatch(/"Allow Charges in Production" /);
		expect(seen()).toEqual(nothingSent);
	});

	test('charges with the switch on, and says where', async () => {
		const run = await commit({ paymentData: cart(), allowProduction: true }, inProduction());
		expect(output(run)).toMatchObject([{ charged: true, environment: 'production' }]);
		expect(seen()).toEqual(once);
	});

	test('an environment that nobody knows is production', async () => {
		const environment = inProduction({ environment: 'live' });
		const run = await commit({ paymentData: cart() }, environment);
		expect(words(run)).toMatch(/"Allow Charges in Production" is off/);
		expect(seen()).toEqual(nothingSent);
	});

	test('no charge leaves without https', async () => {
		const plain = inProduction({ baseUrl: sandbox.url });
		const run = await commit({ paymentData: cart(), allowProduction: true }, plain);
		expect(words(run)).toMatch(/must start with https/);
		expect(seen()).toEqual(nothingSent);
	});
});
