import type { IExecuteFunctions, INode, INodeParameters } from 'n8n-workflow';

import type { Work } from '../../../nodes/PaymentsGateway/operation/operation';
import { guardAgent } from '../../../nodes/PaymentsGateway/resources/payment/guards';
import type { AgentPath } from '../../engine';
import { output } from '../../engine';
import { standIn } from '../../engine/instance';
import type { Fault } from '../../sandbox';
import {
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
 * What must hold before a charge is made: a person has agreed and has allowed an agent or production,
 * and the cart costs what was expected. No expression, no model and no agent can switch that on.
 */

const { sandbox, credentials, commit, agentCommit, cart, seen } = useCharges();

test.each<[string, INodeParameters]>([
	['it is off', { customerConsent: false }],
	['an expression gives it', { customerConsent: '={{ true }}' }],
	['the model gives it', { customerConsent: "={{ $fromAI('consent', '', 'boolean') }}" }],
	['a workflow was edited to hold text', { customerConsent: 'true' }],
	['a workflow was edited to hold a number', { customerConsent: 1 }],
])('nothing is sent without consent: %s', async (_, consent) => {
	const run = await commit({ paymentData: cart(), ...consent }, { items: [{ v: true }] });
	expect(words(run)).toMatch(/'Customer Has Agreed to This Charge'/);
	expect(seen()).toEqual(nothingSent);
});

describe.each<AgentPath>(['supplyData', 'engineRequest', 'ephemeral'])('an agent by %s', (via) => {
	const bounds = { expectedTotal: '25', options: { mostPerCharge: '30', allowAgentCharges: true } };
	const ai = "={{ $fromAI('given', '', 'string') }}";

	test.each<[string, INodeParameters, RegExp]>([
		['its switch', { options: { mostPerCharge: '30' } }, /'Allow Charges by AI Agents' is off/],
		[
			'its switch, which it fills in itself',
			{ options: { ...bounds.options, allowAgentCharges: ai } },
			/'?"?Allow Charges by AI Agents/,
		],
		['consent, which it fills in itself', { customerConsent: ai }, /Has Agreed/],
		[
			'its switch in the node, when all options come by expression',
			{ options: '={{ ({ allowAgentCharges: true, mostPerCharge: "30" }) }}' },
			/'Allow Charges by AI Agents' is off/,
		],
		['a bound', { options: { allowAgentCharges: true } }, /'Most per Charge \(Dollars\)' is not/],
		[
			'a bound that it does not fill in itself',
			{ options: { allowAgentCharges: true, mostPerCharge: ai } },
			/'Most per Charge \(Dollars\)' takes an amount that is typed in/,
		],
		['an expected total', { expectedTotal: '' }, /'Expected Total \(Dollars\)' is empty/],
	])('charges nothing without %s', async (_, more, message) => {
		const parameters = parametersOf({ paymentData: cart(), ...bounds, ...more });
		const run = await agentCommit({ parameters, args: { given: 'true' }, via });
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
		const call = async () => await agentCommit({ parameters, args, via });
		sandbox.settings.eventLag = via === 'ephemeral' ? Infinity : 0;
		expect((await call()).answer).toContain('"charged":true');
		expect((await call()).answer).toContain('"status":"ALREADY_PAID"');
		expect(seen()).toEqual(once);
	});
});

type Signs = Partial<
	Pick<IExecuteFunctions, 'isToolExecution' | 'getExecuteData' | 'getMode'> & { type: string }
>;
const executeData = { node: {} as never, data: {}, source: null };

test.each<[string, Signs, boolean]>([
	['it says so', { isToolExecution: () => true }, true],
	['the type of the node', { type: 'package.paymentsGatewayTool' }, true],
	[
		"the engine's own run of it",
		{ getExecuteData: () => ({ ...executeData, metadata: { preserveSourceOverwrite: true } }) },
		true,
	],
	['the mode', { getMode: () => 'internal' }, true],
	['nothing', {}, false],
	['it says that it is none', { isToolExecution: () => false }, false],
	['a type that only begins so', { type: 'package.ToolBox' }, false],
])('one sign is enough to take a call for an agent’s: %s (%j)', (_, signs, isAgent) => {
	const { type = 'package.paymentsGateway', ...more } = signs;
	const context = standIn<IExecuteFunctions>('context', {
		getNode: () => standIn<INode>('node', { type, parameters: {} }),
		getExecuteData: () => executeData,
		getMode: () => 'manual',
		...more,
	});
	const complain = (sentence: string) => new Error(sentence) as never;
	const guard = () =>
		guardAgent(standIn<Work>('work', { context, complain }), {
			expectedTotal: undefined,
			mostPerCharge: undefined,
		});
	if (isAgent) expect(guard).toThrow('an AI agent called');
	else expect(guard).not.toThrow();
});

describe('production', () => {
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

	test.each<[string, INodeParameters, object]>([
		['its switch is off', {}, {}],
		['an expression switches it on', { allowProduction: '={{ true }}' }, {}],
		['it stands in the options', { options: '={{ ({ allowProduction: true }) }}' }, {}],
		['nobody knows the environment', {}, { environment: 'live' }],
	])('nothing is sent when %s', async (_, parameters, credential) => {
		const run = await commit({ paymentData: cart(), ...parameters }, inProduction(credential));
		expect(words(run)).toMatch(/['"]Allow Charges in Production['"] /);
		expect(seen()).toEqual(nothingSent);
	});

	test('charges with the switch on, over https alone, and says where', async () => {
		const parameters = { paymentData: cart(), allowProduction: true };
		const plain = await commit(parameters, inProduction({ baseUrl: sandbox.url }));
		expect(words(plain)).toMatch(/must start with https/);
		expect(seen()).toEqual(nothingSent);
		const run = await commit(parameters, inProduction());
		expect(output(run)).toMatchObject([{ charged: true, environment: 'production' }]);
		expect(seen()).toEqual(once);
	});
});

describe('the total', () => {
	test.each(['', 0, '0', 25, '25.00', '$25.00', '={{ 25 }}', '={{ 12.5 * 2 }}'])(
		'charges when %p is expected',
		async (expectedTotal) => {
			output(await commit({ paymentData: cart(), expectedTotal }));
			expect(seen()).toEqual(once);
		},
	);

	test.each(['24.99', '25.01', '2500'])('charges nothing when %s is expected', async (typed) => {
		const run = await commit({ paymentData: cart(), expectedTotal: typed });
		expect(run.error?.message).toMatch(/costs \$25\.00, and 'Expected Total \(Dollars\)' is \$/);
		expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual(['computeTokenizedCheckout']);
		expect(seen()).toEqual(nothingCharged);
	});

	test('charges up to a bound, and nothing above it, whoever calls', async () => {
		const over = await commit({ paymentData: cart(), options: { mostPerCharge: '24.99' } });
		expect(over.error?.message).toMatch(/costs \$25\.00, and 'Most per Charge .*' is \$24\.99/);
		expect(seen()).toEqual(nothingCharged);
		output(await commit({ paymentData: cart(), options: { mostPerCharge: 25 } }));
		expect(seen()).toEqual(once);
	});

	test.each<[INodeParameters, unknown]>([
		...[-1, null, '', 0, '0.00', '25,00', '2.500,00', 'abc', [25], 25.001].map(
			(v): [INodeParameters, unknown] => [{ expectedTotal: '={{ $json.v }}' }, v],
		),
		[{ expectedTotal: '={{ $json.gone }}' }, 25],
		[{ expectedTotal: '25,00' }, 25],
		...['', '0', '0.00', 'abc', '={{ $json.v }}', '={{ $json.gone }}'].map(
			(mostPerCharge): [INodeParameters, unknown] => [{ options: { mostPerCharge } }, 25],
		),
	])('asks nothing of the service where %j is given %j', async (bound, v) => {
		const run = await commit({ paymentData: cart(), ...bound }, { items: [{ v }] as never });
		expect(run.error?.message).toMatch(/['"](Expected Total|Most per Charge) \(Dollars\)['"]/);
		expect(words(run)).not.toMatch(/undefined|NaN|\[object/);
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
