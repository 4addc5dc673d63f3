import type { INodeParameters } from 'n8n-workflow';

import type { AgentPath } from '../../engine';
import type { Fault } from '../../sandbox';
import {
	ACH,
	CARD,
	COMMIT,
	REFERENCE,
	nothingCharged,
	nothingSent,
	once,
	parametersOf,
	useCharges,
	words,
} from './charges';
import { openFront, trustFront } from './front';

/**
 * What must hold before a charge is made: a person has agreed and has allowed repeats, an agent or
 * production, there is something to pay with, and the cart costs what was expected.
 */

const { sandbox, credentials, agentCommit, charge, refusal, cart, seen } = useCharges();

const consent = /'Customer Has Agreed to This Charge' (is off\nOpen the node|must be true)/;
const repeat = /['"]Allow Repeat Charge['"] must be true or false/;
const ach = { paymentType: 'ach', ach: { details: ACH } };

test.each<[string, INodeParameters, RegExp]>([
	['consent is off', { customerConsent: false }, consent],
	['an expression gives consent', { customerConsent: '={{ true }}' }, consent],
	['a workflow was edited to hold text', { customerConsent: 'true' }, consent],
	['an expression allows repeats', { options: { allowRepeatCharge: '={{ true }}' } }, repeat],
	['there is no card', { card: {} }, /'Card' is empty: press Add Card/],
	['there is no bank account', { paymentType: 'ach' }, /Add Bank Account/],
	['no tip is found', { dynamicData: { tip: '={{ $json.gone }}' } }, /^'Cart Tip/],
])('nothing is sent where %s', async (_, parameters, message) => {
	expect(await refusal(parameters)).toMatch(message);
	expect(seen()).toEqual(nothingSent);
});

test('an expression for all options allows no repeat', async () => {
	const options = '={{ ({ allowRepeatCharge: true }) }}';
	await charge({ options }, { items: [{}, {}] });
	expect(seen()).toEqual(once);
});

describe.each<AgentPath>(['supplyData', 'engineRequest', 'ephemeral'])('an agent by %s', (via) => {
	const bounds = { expectedTotal: '25', options: { mostPerCharge: '30', allowAgentCharges: true } };
	const ai = "={{ $fromAI('given', '', 'string') }}";
	const most = "={{ $fromAI('most', '', 'string') }}";
	const byExpression = '={{ ({ allowAgentCharges: true, mostPerCharge: "30" }) }}';
	const off = /'?"?Allow Charges by AI Agents/;

	test.each<[string, INodeParameters, RegExp]>([
		['its switch', { options: { mostPerCharge: '30' } }, off],
		['a switch of its own', { options: { ...bounds.options, allowAgentCharges: ai } }, off],
		['consent, which it fills in itself', { customerConsent: ai }, /Has Agreed/],
		['its switch in the node itself', { options: byExpression }, off],
		['a bound', { options: { allowAgentCharges: true } }, /'Most per Charge \(Dollars\)' is not/],
		['a bound of the node', { options: { ...bounds.options, mostPerCharge: most } }, /is typed in/],
		['an expected total', { expectedTotal: '' }, /'Expected Total \(Dollars\)' is empty/],
	])('charges nothing without %s', async (_, more, message) => {
		const parameters = parametersOf({ paymentData: cart(), ...bounds, ...more });
		const run = await agentCommit({ parameters, args: { given: 'true', most: '1000' }, via });
		expect(`${run.answer} ${words(run)}`).toMatch(message);
		expect(seen()).toEqual(nothingSent);
	});

	test('charges once with all of it', async () => {
		const parameters = parametersOf({
			...bounds,
			paymentData: "={{ $fromAI('cart', '', 'string') }}",
			expectedTotal: "={{ $fromAI('total', 'in dollars', 'number') }}",
		});
		const args = { cart: cart(), total: 25 };
		sandbox.settings.eventLag = via === 'ephemeral' ? Infinity : 0;
		for (const told of ['"charged":true', '"status":"ALREADY_PAID"']) {
			expect((await agentCommit({ parameters, args, via })).answer).toContain(told);
		}
		expect(seen()).toEqual(once);
	});
});

describe('production', () => {
	let url: string;
	let distrust: () => void;
	beforeAll(async () => {
		distrust = trustFront();
		url = await openFront(sandbox.url);
	});
	afterAll(() => distrust());

	const inProduction = (more: object = {}) => ({
		credentials: credentials({ environment: 'production', baseUrl: url, ...more }),
	});
	const off = /['"]Allow Charges in Production['"] /;

	test.each<[string, INodeParameters, object, RegExp]>([
		['its switch is off', {}, {}, off],
		['an expression switches it on', { allowProduction: '={{ true }}' }, {}, off],
		['nobody knows the environment', {}, { environment: 'live' }, off],
	])('nothing is sent when %s', async (_, parameters, credential, message) => {
		expect(await refusal(parameters, inProduction(credential))).toMatch(message);
		expect(seen()).toEqual(nothingSent);
	});

	test('charges with the switch on, and says where', async () => {
		const rows = await charge({ allowProduction: true }, inProduction());
		expect(rows).toMatchObject([{ charged: true, environment: 'production' }]);
		expect(seen()).toEqual(once);
	});
});

describe('the total', () => {
	test.each<INodeParameters>([
		...['', 25, '$25.00', '={{ 12.5 * 2 }}'].map((expectedTotal) => ({ expectedTotal })),
		{ options: { mostPerCharge: 25 } },
	])('of $25.00 is charged within %j', async (bound) => {
		await charge(bound);
		expect(seen()).toEqual(once);
	});

	test.each<[INodeParameters, string]>([
		[{ expectedTotal: '24.99' }, "'Expected Total (Dollars)' is $24.99"],
		[{ expectedTotal: '25.01' }, "'Expected Total (Dollars)' is $25.01"],
		[{ options: { mostPerCharge: '24.99' } }, "'Most per Charge (Dollars)' is $24.99"],
	])('of $25.00 is not charged outside of %j', async (bound, said) => {
		expect(await refusal(bound)).toContain(`the cart costs $25.00, and ${said}`);
		expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual(['computeTokenizedCheckout']);
	});

	const found = ['={{ null }}', "={{ '' }}", '={{ $json.gone }}', '={{ 0 }}', 0, '25,00'];
	test.each<INodeParameters>([
		...found.map((expectedTotal) => ({ expectedTotal })),
		...['', '0', 'abc', '={{ 30 }}'].map((mostPerCharge) => ({ options: { mostPerCharge } })),
	])('asks nothing of the gateway with %j', async (bound) => {
		expect(await refusal(bound)).toMatch(/['"](Expected Total|Most per Charge) \(Dollars\)['"]/);
		expect(seen()).toEqual(nothingSent);
	});

	const ofTotal = (total?: unknown) => ({ breakdown: { total }, referenceID: REFERENCE });
	test.each<[string, Fault, RegExp]>([
		['less than nothing', { body: ofTotal(-100) }, /costs -\$1\.00/],
		['no whole number of cents', { body: ofTotal(25.5) }, /answered 200 with/],
		['an error', { status: 400, body: 'Sold out' }, /Sold out/],
	])('charges nothing when the cart is computed with %s', async (_, fault, message) => {
		sandbox.fault({ on: 'computeTokenizedCheckout', ...fault });
		expect(await refusal()).toMatch(message);
		expect(seen()).toEqual(nothingCharged);
	});
});

describe('what a customer pays with', () => {
	const payer = {
		...{ nameOnCard: 'Ada Byron', email: 'ada@example.com', billingAddress: '1 Main Street' },
		...{ billingCity: 'Springfield', billingZip: '62701', billingCountry: 'US' },
	};

	const achUnder = (achDetailsKey: string) => ({ ...ach, options: { achDetailsKey } });
	test.each<[string, INodeParameters, { paymentType: string; card?: object; ach?: object }]>([
		['a card', {}, { paymentType: 'card', card: CARD }],
		['a bank account under ach', ach, { paymentType: 'ach', ach: ACH }],
		['a bank account under card', achUnder('card'), { paymentType: 'ach', card: ACH }],
		['a bank account as a card', achUnder('cardAsCard'), { paymentType: 'card', card: ACH }],
	])('is sent as %s, to compute and to charge alike', async (_, more, instrument) => {
		const paymentData = cart({ surcharge: { card: 40, ach: 15 } });
		const { paymentType } = instrument;
		const dynamicData = { discountCodes: 'FIVER', tip: '1.50' };
		const tip = { amount: 150, type: 'fixed' };
		const sentDynamic = { paymentType, discountCodes: ['FIVER'], tip };
		const rows = await charge({ paymentData, customerInfo: payer, dynamicData, ...more });
		// $25.00, less $5.00, with the tip and what the way to pay costs.
		const cents = paymentType === 'card' ? 2190 : 2165;
		const amountFormatted = paymentType === 'card' ? '$21.90' : '$21.65';
		expect(rows).toMatchObject([{ charged: true, amount: cents / 100, amountFormatted }]);
		expect(sandbox.charges).toMatchObject([{ amount: cents }]);
		const sent = (['computeTokenizedCheckout', COMMIT] as const).map((endpoint) =>
			sandbox.requestsTo(endpoint).map(({ body }) => body.data),
		);
		expect(sent).toEqual([
			[{ paymentData, dynamicData: sentDynamic }],
			[{ paymentData, dynamicData: sentDynamic, customerInfo: { ...payer, ...instrument } }],
		]);
	});
});
