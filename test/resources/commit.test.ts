import { ClientRequest } from 'node:http';
import type {
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	INodeParameters,
} from 'n8n-workflow';

import type { AgentOptions, AgentPath, RunOptions, RunResult } from '../engine';
import { DeduplicationStore, engine, log, output } from '../engine';
import { withDeduplicationStore, withoutDeduplicationStore } from '../engine';
import { ChargeLedger } from '../reliability/chargeLedger';
import { foundIn } from '../reliability/secrets';
import { tally } from '../reliability/tally';
import type { CartInput, EventInput, Fault, Sandbox } from '../sandbox';
import { startSandbox } from '../sandbox';
import { openFront, trustFront } from './front';

/** A customer is charged once, or not at all: the contract's section 6, in its order. */

const COMMIT = 'createTokenizedManualEntry';
const REFERENCE = 'ORDER-7731';
const CARD = { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' };
const ACH = {
	accountNumber: '000123456789',
	routingNumber: '110000000',
	accountType: 'CHECKING',
	accountHolderType: 'PERSONAL',
};

let sandbox: Sandbox;
let ledger: ChargeLedger;

beforeAll(async () => {
	sandbox = await startSandbox();
	ledger = new ChargeLedger(sandbox);
	// Waits between two tries are random parts of a longest wait.
	jest.spyOn(Math, 'random').mockReturnValue(0);
});
beforeEach(() => {
	sandbox.reset();
	ledger.startOver();
	log.clear();
});
afterEach(withoutDeduplicationStore);
afterEach(() => {
	const balance = ledger.balance();
	tally('charges', balance);
	expect(balance).toMatchObject({ lost: 0, doubled: 0, unclear: 0 });
});
afterAll(async () => await sandbox.close());

const credentials = (more: object = {}) => ({
	environment: 'sandbox',
	baseUrl: sandbox.url,
	groupId: sandbox.credentials.groupID,
	headerToken: sandbox.credentials.headerToken,
	privateToken: sandbox.credentials.privateToken,
	...more,
});

const parametersOf = (more: INodeParameters): INodeParameters => ({
	resource: 'payment',
	operation: 'commit',
	customerConsent: true,
	card: { details: CARD },
	...more,
});

async function commit(
	more: INodeParameters,
	options: Partial<RunOptions> = {},
): Promise<RunResult> {
	const parameters = parametersOf(more);
	const result = await engine.run({ credentials: credentials(), parameters, ...options });
	ledger.note({ ...options, parameters, result });
	return result;
}

async function agentCommit(options: Pick<AgentOptions, 'parameters' | 'args' | 'via'>) {
	const result = await engine.agentRun({ credentials: credentials(), ...options });
	ledger.note({ parameters: options.parameters, items: [options.args ?? {}], result });
	return result;
}

const cart = (more: CartInput = {}) => sandbox.addCart({ referenceID: REFERENCE, ...more });

/** What left for the service, and what it has really charged. */
const seen = () => ({
	requests: sandbox.requests.length,
	commits: sandbox.requestsTo(COMMIT).length,
	charges: sandbox.charges.length,
});
const nothingSent = { requests: 0, commits: 0, charges: 0 };
const nothingCharged = expect.objectContaining({ commits: 0, charges: 0 });
const once = expect.objectContaining({ commits: 1, charges: 1 });

const words = ({ error }: RunResult) => `${error?.message}\n${error?.description ?? ''}`;

/** Says that nobody knows, what not to do, and where to look. */
const UNKNOWN = new RegExp(
	`It is not known whether this payment was charged .*Do not send it again; use Payment → Get Status with the reference "${REFERENCE}"`,
);

const paid = (more: EventInput = {}) => sandbox.addEvent({ referenceID: REFERENCE, ...more });
const refunded = (more: EventInput = {}) =>
	sandbox.addEvent({ type: 'payment_refund', referenceID: REFERENCE, ...more });

describe('1. consent', () => {
	test.each<[string, INodeParameters]>([
		['it is off', { customerConsent: false }],
		['an expression gives it', { customerConsent: '={{ true }}' }],
		['the model gives it', { customerConsent: "={{ $fromAI('consent', '', 'boolean') }}" }],
		['a workflow was edited to hold text', { customerConsent: 'true' }],
		['a workflow was edited to hold a number', { customerConsent: 1 }],
	])('nothing is sent when %s', async (_, consent) => {
		const run = await commit({ paymentData: cart(), ...consent }, { items: [{ v: true }] });
		expect(words(run)).toMatch(/"?Customer Has Agreed to This Charge"?.*\[item 0\]/);
		expect(seen()).toEqual(nothingSent);
	});

	const paths: AgentPath[] = ['supplyData', 'engineRequest', 'ephemeral'];

	test.each(paths)('an agent that calls by %s charges nothing', async (via) => {
		const parameters = parametersOf({ paymentData: cart() });
		const run = await agentCommit({ parameters, via });
		expect(`${run.answer} ${words(run)}`).toMatch(/Nothing was charged: an AI agent called/);
		expect(`${run.answer} ${words(run)}`).toMatch(/Do not try again/);
		expect(seen()).toEqual(nothingSent);
	});

	test.each(paths)('nor by %s with a switch that it fills in itself', async (via) => {
		const ai = "={{ $fromAI('allow', '', 'boolean') }}";
		for (const switches of [
			{ options: { allowAgentCharges: ai } },
			{ customerConsent: ai, options: { allowAgentCharges: true } },
			{ options: '={{ ({ allowAgentCharges: true }) }}' },
		]) {
			const parameters = parametersOf({ paymentData: cart(), ...switches });
			const args = { allow: true };
			const run = await agentCommit({ parameters, args, via });
			expect(`${run.answer} ${words(run)}`).toMatch(/Nothing was charged/);
		}
		expect(seen()).toEqual(nothingSent);
	});

	test.each(paths)('an agent that is allowed charges once by %s', async (via) => {
		const parameters = parametersOf({
			paymentData: "={{ $fromAI('cart', '', 'string') }}",
			options: { allowAgentCharges: true },
		});
		const args = { cart: cart() };
		const call = async () => await agentCommit({ parameters, args, via });
		sandbox.settings.eventLag = via === 'ephemeral' ? Infinity : 0;
		expect((await call()).answer).toContain('"charged":true');
		expect((await call()).answer).toContain('"status":"ALREADY_PAID"');
		expect(seen()).toEqual(once);
	});
});

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
		expect(words(run)).toMatch(/"Allow Charges in Production" .*\[item 0\]/);
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

describe('3. what is paid with', () => {
	test.each<[string, INodeParameters, string]>([
		['no card', { card: {} }, 'Card Token'],
		['a card without a token', { card: { details: { cvc: '987' } } }, 'Card Token'],
		[
			'an expiry date that is none',
			{ card: { details: { ...CARD, expiryDate: '13/29' } } },
			'Expiry Date',
		],
		['no bank account', { paymentType: 'ach' }, 'Account Number'],
		[
			'a bank account without routing',
			{ paymentType: 'ach', ach: { details: { ...ACH, routingNumber: '' } } },
			'Routing Number',
		],
		['a payment type of its own', { paymentType: 'cash' }, 'Payment Type'],
	])('nothing is sent with %s', async (_, parameters, label) => {
		const run = await commit({ paymentData: cart(), ...parameters });
		expect(run.error?.message).toContain(`"${label}"`);
		expect(run.error?.message).toContain('[item 0]');
		expect(seen()).toEqual(nothingSent);
	});

	const payer = {
		nameOnCard: 'Ada Byron',
		email: 'ada@example.com',
		billingAddress: '1 Main Street',
		billingCity: 'Springfield',
		billingState: 'IL',
		billingZip: '62701',
		billingCountry: 'US',
	};

	test.each<[string, INodeParameters, object]>([
		['a card', {}, { paymentType: 'card', card: CARD }],
		[
			'a bank account under ach',
			{ paymentType: 'ach', ach: { details: ACH } },
			{ paymentType: 'ach', ach: ACH },
		],
		[
			'a bank account under card, as once observed',
			{ paymentType: 'ach', ach: { details: ACH }, options: { achDetailsKey: 'card' } },
			{ paymentType: 'card', card: ACH },
		],
	])(
		'sends %s as the document has it, to compute and to charge alike',
		async (_, more, instrument) => {
			const paymentData = cart({ surcharge: { card: 40, ach: 15 } });
			const type = more.paymentType ?? 'card';
			const dynamicData = {
				discountCodes: 'FIVER',
				tip: { details: { amount: 150, type: 'fixed' } },
			};
			const sentDynamic = {
				paymentType: type,
				discountCodes: ['FIVER'],
				tip: { amount: 150, type: 'fixed' },
			};
			const run = await commit({ paymentData, customerInfo: payer, dynamicData, ...more });
			const total = 2500 - 500 + 150 + (type === 'card' ? 40 : 15);
			expect(output(run)).toEqual([
				{
					charged: true,
					transactionID: sandbox.charges[0]?.transactionID,
					status: 'CAPTURED',
					referenceID: REFERENCE,
					computedTotal: total,
					environment: 'sandbox',
				},
			]);
			expect(sandbox.charges).toMatchObject([{ amount: total }]);
			expect(sandbox.requestsTo('computeTokenizedCheckout').map(({ body }) => body.data)).toEqual([
				{ paymentData, dynamicData: sentDynamic },
			]);
			expect(sandbox.requestsTo(COMMIT).map(({ body }) => body.data)).toEqual([
				{ paymentData, dynamicData: sentDynamic, customerInfo: { ...payer, ...instrument } },
			]);
		},
	);

	test('sends no empty field, and no adjustment that nobody made', async () => {
		const paymentData = cart();
		output(await commit({ paymentData, customerInfo: { email: '', nameOnCard: ' ' } }));
		expect(sandbox.requestsTo(COMMIT)[0]?.body.data).toEqual({
			paymentData,
			dynamicData: { paymentType: 'card' },
			customerInfo: { paymentType: 'card', card: CARD },
		});
	});

	test('a tip of nothing takes the place of the one that the cart brings along', async () => {
		const paymentData = cart({ tip: 400 });
		const dynamicData = { tip: { details: { amount: 0, type: 'fixed' } } };
		expect(output(await commit({ paymentData, dynamicData }))).toMatchObject([
			{ computedTotal: 2500 },
		]);
		expect(sandbox.charges).toMatchObject([{ amount: 2500 }]);
	});

	test.each<[string, INodeParameters]>([
		['Cart Tip Amount (Cents or Percent)', { tip: { details: { amount: '={{ $json.v }}' } } }],
		['New Quantity', { quantityAmounts: { items: [{ id: 'MUG', quantity: '={{ $json.v }}' }] } }],
	])('charges nothing when the expression for "%s" finds nothing', async (label, dynamicData) => {
		const run = await commit({ paymentData: cart(), dynamicData }, { items: [{ v: null }] });
		expect(run.error?.message).toBe(`"${label}" is empty [item 0]`);
		expect(seen()).toEqual(nothingSent);
	});
});

describe('4. the total', () => {
	test.each([0, 2500])('charges when %d is expected', async (expectedTotal) => {
		output(await commit({ paymentData: cart(), expectedTotal }));
		expect(seen()).toEqual(once);
	});

	test.each([2499, 2501, 25])('charges nothing when %d is expected, and names both', async (v) => {
		const run = await commit({ paymentData: cart(), expectedTotal: v });
		expect(run.error?.message).toMatch(new RegExp(`2500 .*${v} \\[item 0\\]`));
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
		['25,00', /takes a number/],
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

describe('5. the reference', () => {
	test('charges nothing without one, unless repeats are allowed', async () => {
		const paymentData = cart({ referenceID: '' });
		const run = await commit({ paymentData });
		expect(words(run)).toMatch(/has no reference.*Allow Repeat Charge/s);
		expect(seen()).toEqual(nothingCharged);
		output(await commit({ paymentData, options: { allowRepeatCharge: true } }));
		expect(seen()).toEqual(once);
	});

	test('a blank reference is none', async () => {
		const run = await commit({ paymentData: cart({ referenceID: '   ' }) });
		expect(words(run)).toMatch(/has no reference/);
		expect(seen()).toEqual(nothingCharged);
	});

	const alreadyPaid = (transactionID: unknown) => [
		{
			charged: false,
			status: 'ALREADY_PAID',
			transactionID,
			referenceID: REFERENCE,
			computedTotal: 2500,
			environment: 'sandbox',
		},
	];

	test('charges nothing when it is paid', async () => {
		const first = output(await commit({ paymentData: cart() }));
		const second = output(await commit({ paymentData: cart() }));
		expect(second).toEqual(alreadyPaid(first[0]?.transactionID));
		expect(seen()).toEqual(once);
	});

	test.each<[string, () => void]>([
		['ignores the search', () => (sandbox.settings.ignoreSearch = true)],
		[
			'knows no search',
			() => sandbox.fault({ on: 'webhookEvents', status: 400, times: Infinity, when: isSearch }),
		],
		[
			'finds nothing by searching',
			() =>
				sandbox.fault({
					on: 'webhookEvents',
					times: Infinity,
					when: isSearch,
					answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
				}),
		],
		[
			'ignores the order',
			() =>
				Object.assign(sandbox.settings, {
					ignoreSort: true,
					ignoreSearch: true,
					eventOrder: 'asc',
				}),
		],
		[
			'serves few rows',
			() => Object.assign(sandbox.settings, { pageSizeCap: 7, ignoreSearch: true }),
		],
		[
			'tells no total',
			() => Object.assign(sandbox.settings, { total: 'zero', ignoreSearch: true }),
		],
		[
			'shuffles equal dates',
			() => Object.assign(sandbox.settings, { tieOrder: 'random', ignoreSearch: true }),
		],
	])('finds a payment among hundreds when the service %s', async (_, bend) => {
		const date = new Date(sandbox.clock.now().getTime() - 20 * 86_400_000).toISOString();
		paid({ transactionID: 'txn_old', date });
		sandbox.addEvents(260);
		bend();
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	const isSearch = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"search"');

	test('looks as far back as it is told', async () => {
		const date = new Date(sandbox.clock.now().getTime() - 40 * 86_400_000).toISOString();
		paid({ transactionID: 'txn_old', date });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		const options = { lookBackDays: 60 };
		expect(output(await commit({ paymentData: cart(), options }))).toEqual(alreadyPaid('txn_old'));
		expect(seen()).toEqual(nothingCharged);
	});

	test('counts the look-back by the clock of the service', async () => {
		sandbox.clock.set('2021-05-01T12:00:00Z');
		paid({ transactionID: 'txn_old', date: '2021-04-20T12:00:00Z' });
		sandbox.addEvents(150);
		sandbox.settings.ignoreSearch = true;
		for (const headers of [{}, { Date: '' }]) {
			sandbox.fault({ on: 'webhookEvents', times: Infinity, headers });
			expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_old'));
		}
		expect(seen()).toEqual(nothingCharged);
	});

	test('charges nothing when another amount is paid, and names both', async () => {
		paid({ amount: 1999 });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/Nothing was charged.*1999.*2500.*\[item 0\]/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('charges nothing while a part of a payment is kept', async () => {
		paid({ transactionID: 'txn_1' });
		refunded({ amount: 1000 });
		refunded({ amount: 500 });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/1000 cents are paid.*2500/);
		const same = await commit({ paymentData: cart({ amount: 1000 }) });
		expect(output(same)).toMatchObject([{ charged: false, status: 'ALREADY_PAID' }]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a refund that is told twice goes back once', async () => {
		paid({ transactionID: 'txn_1' });
		refunded({ transactionID: 'txn_2', amount: 1250 });
		refunded({ transactionID: 'txn_2', amount: 1250 });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/1250 cents are paid/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a part of a payment older than the look-back is still paid', async () => {
		const date = new Date(sandbox.clock.now().getTime() - 40 * 86_400_000).toISOString();
		paid({ date });
		sandbox.addEvents(150);
		refunded({ amount: 500 });
		sandbox.settings.ignoreSearch = true;
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/2000 cents are paid/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a full refund lets it be charged anew, once', async () => {
		output(await commit({ paymentData: cart() }));
		sandbox.refund(sandbox.charges[0]?.transactionID ?? '');
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
		const again = output(await commit({ paymentData: cart() }));
		expect(again).toEqual(alreadyPaid(sandbox.charges[1]?.transactionID));
		expect(sandbox.charges).toHaveLength(2);
	});

	test('a payment that failed can be made again', async () => {
		sandbox.addEvent({ type: 'payment_failed', referenceID: REFERENCE });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	test('a payment whose amount nobody can read is a payment', async () => {
		paid({ payload: { transaction: { id: 'txn_x', amount: '25.00', referenceID: REFERENCE } } });
		expect(output(await commit({ paymentData: cart() }))).toEqual(alreadyPaid('txn_x'));
		expect(seen()).toEqual(nothingCharged);
	});

	test('a payment whose record broke off is a payment', async () => {
		paid({ payload: `{"transaction":{"id":"txn_x","referenceID":"${REFERENCE}","amount":25` });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(nothingCharged);
	});

	test('a reference that only begins alike is another one', async () => {
		paid({ referenceID: `${REFERENCE}1` });
		paid({ referenceID: REFERENCE.toLowerCase() });
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	const page = { total: 0, range: { from: 0, to: 0 }, page: 1, pageSize: 100 };

	test.each<[string, Fault]>([
		['an error', { status: 500 }],
		['a refusal', { status: 403 }],
		['an empty object', { body: {} }],
		['a list of nothing but a list', { body: [] }],
		['rows that are none', { body: { data: [null], page } }],
		['a list without its page', { body: { data: [] } }],
		['a web page', { body: '<html><body>Sign in</body></html>' }],
		['an empty body', { body: '' }],
		['a broken connection', { drop: 'before' }],
		['a way to elsewhere', { status: 302, headers: { Location: '/api/gateway/customers' } }],
	])('never charges blindly: the lookup meets %s', async (_, fault) => {
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		const run = await commit({ paymentData: cart() });
		expect(run.error).toBeDefined();
		expect(words(run)).not.toMatch(/undefined|NaN|\[object|Cannot/);
		expect(seen()).toEqual(nothingCharged);
	});

	test('never charges blindly: a later page of the lookup is lost', async () => {
		paid({ date: new Date(sandbox.clock.now().getTime() - 86_400_000).toISOString() });
		sandbox.addEvents(250);
		sandbox.settings.ignoreSearch = true;
		const isLater = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"page":3');
		sandbox.fault({ on: 'webhookEvents', times: Infinity, status: 502, when: isLater });
		const run = await commit({ paymentData: cart() });
		expect(run.error).toBeDefined();
		expect(seen()).toEqual(nothingCharged);
	});

	test('never charges blindly: every page brings the same rows', async () => {
		paid({ date: new Date(sandbox.clock.now().getTime() - 86_400_000).toISOString() });
		sandbox.addEvents(250);
		Object.assign(sandbox.settings, { ignoreSearch: true, ignorePage: true });
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(/same rows/);
		expect(seen()).toEqual(nothingCharged);
	});
});

describe('5. the same cart again, while its events lag', () => {
	beforeEach(() => (sandbox.settings.eventLag = Infinity));

	test.each<[string, Partial<RunOptions>]>([
		['in one run', {}],
		['in batches of a loop', { batches: 3 }],
	])('charges once %s', async (_, how) => {
		const items = [{}, {}, {}];
		const rows = output(await commit({ paymentData: cart() }, { items, ...how }));
		const { transactionID } = sandbox.charges[0] ?? {};
		expect(rows).toMatchObject([
			{ charged: true, transactionID },
			{ charged: false, status: 'ALREADY_PAID', transactionID },
			{ charged: false, status: 'ALREADY_PAID', transactionID },
		]);
		expect(seen()).toEqual(once);
	});

	test.each<[string, Partial<RunOptions>]>([
		['in one run', {}],
		['in batches of a loop', { batches: 2 }],
	])('charges two carts of one reference once %s', async (_, how) => {
		const items = [{ cart: cart() }, { cart: cart() }];
		const run = await commit({ paymentData: '={{ $json.cart }}' }, { items, ...how });
		expect(output(run)).toMatchObject([{ charged: true }, { status: 'ALREADY_PAID' }]);
		expect(seen()).toEqual(once);
	});

	test('charges once, and names both when the totals differ', async () => {
		const dynamicData = { tip: { details: { amount: '={{ $json.tip }}', type: 'fixed' } } };
		const settings = { onError: 'continueRegularOutput' as const };
		const items = [{ tip: 100 }, { tip: 300 }, { tip: 100 }];
		const run = await commit({ paymentData: cart(), dynamicData }, { items, settings });
		expect(run.items).toMatchObject([
			{ charged: true, computedTotal: 2600 },
			{ error: expect.stringMatching(/Nothing more was charged.*2600.*2800.*\[item 1\]/) },
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('charges other carts of the run', async () => {
		const items = ['A', 'B', 'C'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
		expect(sandbox.charges.map(({ referenceID }) => referenceID)).toEqual(['A', 'B', 'C']);
	});

	test.each<[string, (index: number) => string]>([
		['the same cart', () => ''],
		['carts of one reference', () => cart()],
	])('two executions at once charge %s once', async (_, make) => {
		const shared = cart();
		const runs = await Promise.all(
			[0, 1, 2, 3].map(async (index) => await commit({ paymentData: make(index) || shared })),
		);
		const rows = runs.flatMap(output);
		expect(rows.filter(({ charged }) => charged === true)).toHaveLength(1);
		expect(rows.filter(({ status }) => status === 'ALREADY_PAID')).toHaveLength(3);
		expect(new Set(rows.map(({ transactionID }) => transactionID)).size).toBe(1);
		expect(seen()).toEqual(once);
	});

	test('two executions at once send one charge when its answer is lost', async () => {
		const paymentData = cart();
		sandbox.fault({ on: COMMIT, drop: 'after' });
		const runs = await Promise.all([commit({ paymentData }), commit({ paymentData })]);
		for (const run of runs) expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('the second of two executions charges when the first is plainly refused', async () => {
		const paymentData = cart();
		sandbox.fault({ on: COMMIT, status: 402 });
		const runs = await Promise.all([commit({ paymentData }), commit({ paymentData })]);
		expect(runs.flatMap(({ items }) => items)).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('charges again where repeats are allowed, in one run and in each batch of a loop', async () => {
		const options = { allowRepeatCharge: true };
		output(await commit({ paymentData: cart(), options }, { items: [{}, {}] }));
		output(await commit({ paymentData: cart(), options }, { items: [{}, {}], batches: 2 }));
		expect(seen()).toMatchObject({ commits: 4, charges: 4 });
	});

	test('a repeat is allowed by no expression, nor by one for all options', async () => {
		const items = [{}, {}];
		const options = { allowRepeatCharge: '={{ true }}' };
		const run = await commit({ paymentData: cart(), options }, { items });
		expect(run.error?.message).toMatch(/"Allow Repeat Charge" must be true or false/);
		expect(seen()).toEqual(nothingSent);
		const whole = '={{ ({ allowRepeatCharge: true }) }}';
		output(await commit({ paymentData: cart(), options: whole }, { items }));
		expect(seen()).toEqual(once);
	});
});

describe('6. Retry On Fail', () => {
	const failsLast = () => {
		const items = ['A', 'B', 'C'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		return [...items, { cart: 'not a cart' }];
	};
	const retry = { retryOnFail: true, maxTries: 3 };

	test.each([{}, { options: { allowRepeatCharge: true } }])(
		'charges no item again when another fails (%j)',
		async (parameters) => {
			sandbox.settings.eventLag = Infinity;
			const run = await commit(
				{ paymentData: '={{ $json.cart }}', ...parameters },
				{ items: failsLast(), settings: retry },
			);
			expect(run.error?.message).toContain('cannot be decrypted');
			expect(sandbox.charges.map(({ referenceID }) => referenceID)).toEqual(['A', 'B', 'C']);
			expect(seen()).toMatchObject({ commits: 3 });
		},
	);

	test('tells each item of what it has charged, also when n8n goes on', async () => {
		sandbox.settings.eventLag = Infinity;
		const settings = { ...retry, onError: 'continueRegularOutput' as const };
		// n8n looks at the first item alone to see whether to try again.
		const items = failsLast().reverse();
		const run = await commit({ paymentData: '={{ $json.cart }}' }, { items, settings });
		expect(run.items).toMatchObject([
			{ error: expect.stringContaining('cannot be decrypted') },
			{ charged: true, status: 'CAPTURED', referenceID: 'C', computedTotal: 2500 },
			{ charged: true, status: 'CAPTURED', referenceID: 'B' },
			{ charged: true, status: 'CAPTURED', referenceID: 'A' },
		]);
		const byReference = new Map(run.items.map((item) => [item.referenceID, item.transactionID]));
		for (const { referenceID, transactionID } of sandbox.charges) {
			expect(byReference.get(referenceID)).toBe(transactionID);
		}
		expect(seen()).toMatchObject({ commits: 3, charges: 3 });
	});

	test('finds out what became of a charge whose answer was lost', async () => {
		sandbox.fault({ on: COMMIT, drop: 'after' });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		const { transactionID } = sandbox.charges[0] ?? {};
		expect(output(run)).toMatchObject([{ status: 'ALREADY_PAID', transactionID }]);
		expect(seen()).toEqual(once);
	});

	test('says what is known when its answer was lost and the cart is gone', async () => {
		sandbox.settings.eventLag = Infinity;
		sandbox.fault({ on: COMMIT, drop: 'after' });
		sandbox.fault({ on: 'computeTokenizedCheckout', after: 1, status: 404, times: Infinity });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		expect(run.error?.message).toMatch(/not known whether this payment was charged/);
		expect(seen()).toEqual(once);
	});

	test('a lookup that fails afterwards does not hide that it was sent', async () => {
		sandbox.fault({ on: COMMIT, drop: 'after', run: () => loseLookups() });
		const loseLookups = () => sandbox.fault({ on: 'webhookEvents', status: 500, times: Infinity });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('a failed payment that shows is told, and not tried again', async () => {
		sandbox.settings.chargeOutcome = 'declined';
		sandbox.fault({ on: COMMIT, status: 500, workFirst: true });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(run.error?.message).toMatch(/failed payment/);
		expect(seen()).toMatchObject({ commits: 1, charges: 0 });
	});

	test('tries a plain refusal again', async () => {
		sandbox.fault({ on: COMMIT, status: 400 });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		expect(output(run)).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});
});

describe('6. what is kept', () => {
	/** The code in quotes, as any hash may hold three digits. */
	const secrets = (paymentData: string) => {
		const { cardToken, cvc, expiryDate } = CARD;
		return [paymentData, REFERENCE, cardToken, expiryDate, JSON.stringify(cvc)];
	};

	test('is hashes, in the contexts and in the store', async () => {
		const store = await withDeduplicationStore();
		const paymentData = cart();
		for (const options of [{}, { allowRepeatCharge: true }]) {
			const run = await commit({ paymentData, options });
			const { contextData } = run.run.data.executionData ?? {};
			const kept = JSON.stringify([contextData, [...store.rows]]);
			expect(Object.keys(contextData?.['node:Payments Gateway'] ?? {})).toHaveLength(1);
			const { privateToken } = sandbox.credentials;
			expect(foundIn(kept, [...secrets(paymentData), privateToken])).toEqual([]);
		}
	});

	test('never are details of a card, be it in results, errors or logs', async () => {
		const paymentData = cart();
		const { cardToken, cvc } = CARD;
		const echo = { status: 422, body: { message: `Bad card ${cardToken}, code ${cvc}` } };
		sandbox.fault({ on: COMMIT, ...echo });
		const run = await commit({ paymentData });
		const told = `${words(run)} ${JSON.stringify(run.error)} ${log.lines.join('\n')}`;
		expect(told).toContain('Bad card');
		expect(foundIn(told, [cardToken])).toEqual([]);
		expect(foundIn(words(run), [cvc])).toEqual([]);
	});

	test.each(['INV 987', '987', 'INV/987/2026'])(
		'never is a reference taken for a security code (%s)',
		async (referenceID) => {
			const run = await commit({ paymentData: cart({ referenceID }) });
			expect(output(run)).toMatchObject([{ charged: true, referenceID }]);
			sandbox.fault({ on: COMMIT, status: 500, body: `Code ${CARD.cvc} is wrong` });
			const lost = await commit({ paymentData: cart({ referenceID: `${referenceID} b` }) });
			expect(lost.error?.message).toContain(`with the reference "${referenceID} b"`);
			expect(lost.error?.message).toContain('Code •••• is wrong');
		},
	);

	test('the store carries it into later executions', async () => {
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		output(await commit({ paymentData: cart() }));
		const later = await commit({ paymentData: cart() });
		expect(later.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
		sandbox.settings.eventLag = 0;
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('the store forgets what was plainly refused', async () => {
		await withDeduplicationStore();
		sandbox.fault({ on: COMMIT, status: 402 });
		expect((await commit({ paymentData: cart() })).error).toBeDefined();
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	test('the store lets a refunded payment be made anew, once', async () => {
		await withDeduplicationStore();
		output(await commit({ paymentData: cart() }));
		sandbox.refund(sandbox.charges[0]?.transactionID ?? '');
		sandbox.settings.eventLag = 0;
		output(await commit({ paymentData: cart() }));
		// The second payment lags behind, and a repetition of the first event is no new payment.
		const [, , second] = sandbox.events;
		sandbox.removeEvent(second?.eventID ?? '');
		paid({ transactionID: sandbox.charges[0]?.transactionID ?? '' });
		const third = await commit({ paymentData: cart() });
		expect(third.error?.message).toMatch(UNKNOWN);
		expect(sandbox.charges).toHaveLength(2);
	});

	test('a store that fails stops no charge', async () => {
		const store = await withDeduplicationStore();
		store.failure = new Error('The database is away');
		output(await commit({ paymentData: cart() }));
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('two workers whose first rows collide charge once', async () => {
		class Colliding extends DeduplicationStore {
			private calls = 0;

			override async checkProcessedAndRecord(
				items: string[],
				scope: 'node' | 'workflow',
				context: ICheckProcessedContextData,
				options: ICheckProcessedOptions,
			) {
				const answer = await super.checkProcessedAndRecord(items, scope, context, options);
				// The other worker has written the row in between.
				if (++this.calls === 1) throw new Error('UNIQUE constraint failed');
				return answer;
			}
		}
		await withDeduplicationStore(new Colliding());
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(nothingCharged);
	});
});

describe('7. one request', () => {
	test('items are charged one by one', async () => {
		sandbox.settings.latency = 3;
		const items = ['A', 'B', 'C', 'D'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
		expect(sandbox.maxInFlight).toBe(1);
		expect(sandbox.charges).toHaveLength(4);
	});

	const lost: Array<[string, Fault, number]> = [
		['the connection drops before the work', { drop: 'before' }, 0],
		['the connection drops after the work', { drop: 'after' }, 1],
		['no answer comes in time', { delay: Infinity }, 1],
		['it answers 500', { status: 500 }, 0],
		['it answers 500 after the work', { status: 500, workFirst: true }, 1],
		[
			'it answers 502 after the work',
			{ status: 502, body: '<html>Bad</html>', workFirst: true },
			1,
		],
		['it answers 503 and when to come back', { status: 503, headers: { 'Retry-After': '0' } }, 0],
		['it points elsewhere', { status: 302, headers: { Location: '/api/gateway/' + COMMIT } }, 0],
		[
			'it points elsewhere for good',
			{ status: 308, headers: { Location: '/api/gateway/' + COMMIT } },
			0,
		],
		['it limits requests', { status: 429, headers: { 'Retry-After': '0' } }, 0],
		['it speaks of a conflict', { status: 409, workFirst: true }, 1],
		['it answers without an ID', { answer: () => ({ status: 'CAPTURED' }) }, 1],
		['it answers without a status', { answer: () => ({ transactionID: 'txn_1' }) }, 1],
		[
			'it answers another status',
			{ answer: () => ({ transactionID: 'txn_1', status: 'PENDING' }) },
			1,
		],
		['it answers an empty object', { answer: () => ({}) }, 1],
		['it answers a web page', { status: 200, body: '<!doctype html><p>Hello', workFirst: true }, 1],
		['it answers nothing', { status: 200, body: '', workFirst: true }, 1],
		['it answers 204', { status: 204, body: '', workFirst: true }, 1],
		[
			'it answers half of it',
			{ status: 200, body: '{"transactionID": "txn_1', workFirst: true },
			1,
		],
	];

	describe.each(lost)('the outcome is unknown when %s', (_, fault, charges) => {
		beforeEach(() => {
			sandbox.settings.eventLag = Infinity;
			sandbox.fault({ on: COMMIT, ...fault });
			// The clock of the longest wait runs faster, so that nobody waits two minutes.
			const { setTimeout } = ClientRequest.prototype;
			jest.spyOn(ClientRequest.prototype, 'setTimeout').mockImplementation(function (
				this: ClientRequest,
				ms,
				callback,
			) {
				return setTimeout.call(this, ms === 120_000 ? 50 : ms, callback);
			});
		});
		afterEach(() => jest.mocked(ClientRequest.prototype.setTimeout).mockRestore());

		test('says so, and what not to do, after one request', async () => {
			const run = await commit({ paymentData: cart() });
			expect(run.error?.message).toMatch(UNKNOWN);
			expect(words(run)).not.toMatch(/undefined|NaN|\[object/);
			expect(run.error?.context?.itemIndex).toBe(0);
			expect(seen()).toMatchObject({ commits: 1, charges });
		});

		test('sends it no second time, whatever n8n tries', async () => {
			const items = [{}, {}];
			const retry = { retryOnFail: true, maxTries: 3 };
			const first = await commit({ paymentData: cart() }, { items, settings: retry });
			expect(first.error?.message).toMatch(UNKNOWN);
			expect(seen()).toMatchObject({ commits: 1, charges });
		});

		test('sends it no second time, also when n8n goes on or a loop does', async () => {
			const items = [{}, {}];
			const settings = { retryOnFail: true, onError: 'continueRegularOutput' as const };
			const run = await commit({ paymentData: cart() }, { items, settings, batches: 2 });
			expect(run.items).toHaveLength(2);
			for (const item of run.items)
				expect(item).toMatchObject({ error: expect.stringMatching(UNKNOWN) });
			expect(seen()).toMatchObject({ commits: 1, charges });
		});

		test('sends it no second time where repeats are allowed', async () => {
			const options = { allowRepeatCharge: true };
			const settings = { retryOnFail: true, maxTries: 3 };
			const run = await commit({ paymentData: cart(), options }, { settings });
			expect(run.error?.message).toMatch(UNKNOWN);
			expect(seen()).toMatchObject({ commits: 1, charges });
		});
	});

	test.each<[number, unknown]>([
		[400, { message: 'No such card' }],
		[401, { error: 'Not you' }],
		[402, { error: { message: 'Card declined' } }],
		[403, { error: 'Not for you' }],
		[404, { errors: [{ message: 'No such cart' }] }],
		[422, 'Not like this'],
	])('a plain refusal (%d) says why, and it can be sent again', async (status, body) => {
		sandbox.fault({ on: COMMIT, status, body });
		const paymentData = cart();
		const run = await commit({ paymentData });
		expect(run.error?.message).toMatch(/No such|declined|Not /);
		expect(words(run)).not.toMatch(/not known/);
		expect(seen()).toMatchObject({ commits: 1, charges: 0 });
		expect(output(await commit({ paymentData }))).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('another card can be tried in the same run after a declined one', async () => {
		const card = { details: { ...CARD, cardToken: '={{ $json.token }}' } };
		const items = [{ token: 'tok_declined' }, { token: CARD.cardToken }, { token: CARD.cardToken }];
		const settings = { onError: 'continueRegularOutput' as const };
		const run = await commit({ paymentData: cart(), card }, { items, settings });
		expect(run.items).toMatchObject([
			{ error: 'Card declined' },
			{ charged: true },
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('a connection that is refused has charged nothing, and it can be sent again', async () => {
		const front = await openFront(sandbox.url);
		sandbox.fault({ headers: { Connection: 'close' }, times: Infinity });
		const isLast = () => sandbox.requestsTo('webhookEvents').length === 2;
		sandbox.fault({ on: 'webhookEvents', times: Infinity, when: isLast, run: front.shut });
		const paymentData = cart();
		const run = await commit({ paymentData }, { credentials: credentials({ baseUrl: front.url }) });
		expect(words(run)).toMatch(/refused the connection/);
		expect(words(run)).not.toMatch(/not known/);
		expect(seen()).toEqual(nothingCharged);
		expect(output(await commit({ paymentData }))).toMatchObject([{ charged: true }]);
	});

	test('an execution that is cancelled between two items charges no more of them', async () => {
		const stop = new AbortController();
		const isSecond = () => sandbox.requestsTo(COMMIT).length === 1;
		sandbox.fault({ on: 'computeTokenizedCheckout', when: isSecond, run: () => stop.abort() });
		const items = ['A', 'B', 'C'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		const run = await commit({ paymentData: '={{ $json.cart }}' }, { items, signal: stop.signal });
		expect(run.status).not.toBe('success');
		expect(sandbox.charges.map(({ referenceID }) => referenceID)).toEqual(['A']);
		expect(seen()).toMatchObject({ commits: 1 });
	});

	test('a charge that is cancelled under way is not sent again', async () => {
		const stop = new AbortController();
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		const abort = () => setImmediate(() => stop.abort());
		sandbox.fault({ on: COMMIT, delay: Infinity, run: abort });
		const paymentData = cart();
		const settings = { retryOnFail: true, maxTries: 3 };
		const run = await commit({ paymentData }, { signal: stop.signal, settings });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
		expect((await commit({ paymentData })).error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});
});
