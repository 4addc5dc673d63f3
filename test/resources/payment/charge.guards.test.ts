import type { INodeParameters } from 'n8n-workflow';

import type { Client } from '../../../nodes/PaymentsGateway/gateway/client';
import type { OperationContext } from '../../../nodes/PaymentsGateway/operation/operation';
import { resultOfPayment } from '../../../nodes/PaymentsGateway/charge/result';
import type { AgentPath } from '../../engine';
import { standIn } from '../../engine/instance';
import type { Fault } from '../../sandbox';
import {
	ACH,
	CARD,
	CHARGE,
	REFERENCE,
	nothingCharged,
	nothingSent,
	chargedOnce,
	parametersOf,
	useCharges,
	errorText,
} from './charges';

/**
 * A charge needs: consent; permission for a repeat, an agent or production; a payment method; and a cart
 * with the expected total.
 */

const { sandbox, credentials, runAgentCharge, charge, chargeError, cart, counts } = useCharges();

const CONSENT = 'Customer Has Agreed to This Charge';
const consent = /'Customer Has Agreed to This Charge' (is off\nOpen the node|must be true)/;
const noExpression = (label: string) => new RegExp(`'${label}' takes no expression`);
const bound = /['"](Expected Total|Most per Charge) \(Dollars\)['"]/;
const inProduction = /['"]Allow Charges in Production['"] /;
const ach = { paymentType: 'ach', ach: { details: ACH } };

/** Nothing listens at this address, in case a request is sent. */
const production = { environment: 'production', baseUrl: 'https://127.0.0.1:1' };
const unfit: INodeParameters[] = [
	...['={{ null }}', "={{ '' }}", '={{ $json.gone }}', '={{ 0 }}', 0, '25,00'].map(
		(expectedTotal) => ({ expectedTotal }),
	),
	...['', '0', 'abc', '={{ 30 }}'].map((mostPerCharge) => ({ options: { mostPerCharge } })),
];
const byExpression = '={{ true }}';
const repeatByExpression = { options: { allowRepeatCharge: byExpression } };
const tipNotFound = { dynamicData: { tip: '={{ $json.gone }}' } };

type Row = [condition: string, INodeParameters, RegExp, credential?: object];
test.each<Row>([
	['consent is off', { customerConsent: false }, consent],
	['an expression gives consent', { customerConsent: byExpression }, noExpression(CONSENT)],
	['consent is text in an edited workflow', { customerConsent: 'true' }, consent],
	['an expression allows repeats', repeatByExpression, noExpression('Allow Repeat Charge')],
	['there is no card', { card: {} }, /'Card' is empty: press Add Card/],
	['there is no bank account', { paymentType: 'ach' }, /Add Bank Account/],
	['the expression of the tip finds nothing', tipNotFound, /^'Cart Tip/],
	['production is not allowed', {}, inProduction, production],
	[
		'an expression allows production',
		{ allowProduction: byExpression },
		noExpression('Allow Charges in Production'),
		production,
	],
	['the environment is unknown', {}, inProduction, { ...production, environment: 'live' }],
	...unfit.map((bounds): Row => [JSON.stringify(bounds), bounds, bound]),
])('nothing is sent if %s', async (_, parameters, message, credential = {}) => {
	expect(await chargeError(parameters, { credentials: credentials(credential) })).toMatch(message);
	expect(counts()).toEqual(nothingSent);
});

test('Allow Charges in Production lets a charge through', async () => {
	const allowed = chargeError({ allowProduction: true }, { credentials: credentials(production) });
	expect(await allowed).toMatch(/^The gateway refused the connection/);
});

test('a result shows its environment', () => {
	const client = standIn<Client>('client', { environment: 'production' });
	const ctx = standIn<OperationContext>('context', { client });
	const paid = {
		outcome: 'succeeded',
		paid: 1,
		refunded: 0,
		amount: 1,
		payments: 1,
		currency: '',
		transactionID: '',
		date: '',
		failures: [],
		events: [],
	} as const;
	const { environment } = resultOfPayment(ctx, { total: 1, referenceID: '' }, paid);
	expect(environment).toBe('production');
});

test('an expression for all options allows no repeat', async () => {
	const options = '={{ ({ allowRepeatCharge: true }) }}';
	await charge({ options }, { items: [{}, {}] });
	expect(counts()).toEqual(chargedOnce);
});

describe.each<AgentPath>(['supplyData', 'engineRequest', 'ephemeral'])('an agent by %s', (via) => {
	const options = { mostPerCharge: '30', allowAgentCharges: true };
	const ai = "={{ $fromAI('given', '', 'string') }}";
	const byExpression = '={{ ({ allowAgentCharges: true, mostPerCharge: "30" }) }}';
	const off = /'?"?Allow Charges by AI Agents/;
	const noBound = /takes no expression/;
	const unbounded = { options: { allowAgentCharges: true } };

	test.each<[string, INodeParameters, RegExp]>([
		['a switch for agents', { options: { mostPerCharge: '30' } }, off],
		['that switch, if the agent sets it', { options: { ...options, allowAgentCharges: ai } }, off],
		['that switch, if an expression sets it', { options: byExpression }, off],
		['consent, if the agent sets it', { customerConsent: ai }, /Has Agreed/],
		['a bound', unbounded, /'Most per Charge \(Dollars\)' is not/],
		['a bound, if the agent sets it', { options: { ...options, mostPerCharge: ai } }, noBound],
		['an expected total', { expectedTotal: '' }, /'Expected Total \(Dollars\)' is empty/],
	])('charges nothing without %s', async (_, more, message) => {
		const fixed = { paymentData: cart(), expectedTotal: '25', options };
		const parameters = parametersOf({ ...fixed, ...more });
		const given = 'mostPerCharge' in Object(more.options) ? '1000' : 'true';
		const run = await runAgentCharge({ parameters, args: { given }, via });
		expect(`${run.answer} ${errorText(run)}`).toMatch(message);
		expect(counts()).toEqual(nothingSent);
	});

	test('charges once with all of them', async () => {
		const parameters = parametersOf({
			paymentData: "={{ $fromAI('cart', '', 'string') }}",
			expectedTotal: "={{ $fromAI('total', 'in dollars', 'number') }}",
			options,
		});
		const args = { cart: cart(), total: 25 };
		sandbox.settings.eventLag = via === 'ephemeral' ? Infinity : 0;
		for (const reported of ['"charged":true', '"status":"ALREADY_PAID"']) {
			expect((await runAgentCharge({ parameters, args, via })).answer).toContain(reported);
		}
		expect(counts()).toEqual(chargedOnce);
	});
});

describe('the total', () => {
	test.each<INodeParameters>([
		...['', 25, '$25.00', '={{ 12.5 * 2 }}'].map((expectedTotal) => ({ expectedTotal })),
		{ options: { mostPerCharge: 25 } },
	])('of $25.00 is charged within %j', async (within) => {
		await charge(within);
		expect(counts()).toEqual(chargedOnce);
	});

	test.each<[label: string, amount: string, INodeParameters]>([
		['Expected Total', '24.99', { expectedTotal: '24.99' }],
		['Expected Total', '25.01', { expectedTotal: '25.01' }],
		['Most per Charge', '24.99', { options: { mostPerCharge: '24.99' } }],
	])('of $25.00 is not charged if %s is %s', async (label, amount, outside) => {
		const reason = `the cart costs $25.00, and '${label} (Dollars)' is $${amount}`;
		expect(await chargeError(outside)).toContain(reason);
		expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual(['computeTokenizedCheckout']);
	});

	const ofTotal = (total?: unknown) => ({ breakdown: { total }, referenceID: REFERENCE });
	const notComputed =
		/answered 200 with[^]*\nThis run charged nothing\. .*check with Payment → Get Status/;
	test.each<[string, Fault, RegExp]>([
		['a negative total', { body: ofTotal(-100) }, /costs -\$1\.00/],
		['no whole number of cents', { body: ofTotal(25.5) }, notComputed],
	])('charges nothing if the cart is computed with %s', async (_, fault, message) => {
		sandbox.fault({ on: 'computeTokenizedCheckout', ...fault });
		expect(await chargeError()).toMatch(message);
		expect(counts()).toEqual(nothingCharged);
	});
});

const achUnder = (achDetailsKey: string) => ({ ...ach, options: { achDetailsKey } });
test.each<[string, INodeParameters, { paymentType: string; card?: object; ach?: object }]>([
	['a card', {}, { paymentType: 'card', card: CARD }],
	['a bank account under ach', ach, { paymentType: 'ach', ach: ACH }],
	['a bank account under card', achUnder('card'), { paymentType: 'ach', card: ACH }],
	['a bank account as a card', achUnder('cardAsCard'), { paymentType: 'card', card: ACH }],
])(
	'%s is sent, and its payment type is that of the total and the charge',
	async (_, more, method) => {
		const paymentData = cart({ surcharge: { card: 40, ach: 15 } });
		const customerInfo = { nameOnCard: 'Ada Byron', billingZip: '62701' };
		const rows = await charge({ paymentData, customerInfo, dynamicData: { tip: '1.50' }, ...more });
		// $25.00, the tip and the surcharge.
		const amount = method.paymentType === 'card' ? 26.9 : 26.65;
		expect(rows).toMatchObject([{ charged: true, amount }]);
		const dynamicData = { paymentType: method.paymentType, tip: { amount: 150, type: 'fixed' } };
		const sent = (['computeTokenizedCheckout', CHARGE] as const).map((endpoint) =>
			sandbox.requestsTo(endpoint).map(({ body }) => body.data),
		);
		expect(sent).toEqual([
			[{ paymentData, dynamicData }],
			[{ paymentData, dynamicData, customerInfo: { ...customerInfo, ...method } }],
		]);
	},
);
