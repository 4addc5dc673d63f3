import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { COMMIT, REFERENCE, CARD, ACH, nothingSent, useCharges } from './charges';

/** What a customer pays with leaves as the service takes it, or nothing leaves at all. */

const { sandbox, commit, cart, seen } = useCharges();

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
		expect(run.error?.message).toContain(`'${label}'`);
		expect(run.error?.message).not.toContain('[item');
		expect(seen()).toEqual(nothingSent);
	});

	test.each<[string, INodeParameters]>([
		// Fifteen percent are not fifteen cents.
		[
			'Cart Tip Type',
			{ dynamicData: { tip: { details: { amount: '15', type: '={{ $json.v }}' } } } },
		],
		['ACH Details Key (Advanced)', { options: { achDetailsKey: '={{ $json.v }}' } }],
		[
			'Account Type',
			{ paymentType: 'ach', ach: { details: { ...ACH, accountType: '={{ $json.v }}' } } },
		],
	])('nothing is sent where an expression does not find the %s', async (label, parameters) => {
		for (const item of [{}, { v: null }, { v: '' }]) {
			const run = await commit({ paymentData: cart(), ...parameters }, { items: [item] });
			expect(run.error?.message).toBe(`'${label}' is empty`);
		}
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

	test.each<[string, INodeParameters, { paymentType: string; card?: object; ach?: object }]>([
		['a card', {}, { paymentType: 'card', card: CARD }],
		[
			'a bank account under ach',
			{ paymentType: 'ach', ach: { details: ACH } },
			{ paymentType: 'ach', ach: ACH },
		],
		[
			'a bank account under card',
			{ paymentType: 'ach', ach: { details: ACH }, options: { achDetailsKey: 'card' } },
			{ paymentType: 'ach', card: ACH },
		],
		[
			'a bank account as a card, as once observed',
			{ paymentType: 'ach', ach: { details: ACH }, options: { achDetailsKey: 'cardAsCard' } },
			{ paymentType: 'card', card: ACH },
		],
	])(
		'sends %s as the service describes it, to compute and to charge alike',
		async (_, more, instrument) => {
			const paymentData = cart({ surcharge: { card: 40, ach: 15 } });
			const type = instrument.paymentType;
			const dynamicData = {
				discountCodes: 'FIVER',
				tip: { details: { amount: 1.5, type: 'fixed' } },
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
					outcome: 'charged',
					amount: total / 100,
					amountFormatted: `$${(total / 100).toFixed(2)}`,
					transactionID: sandbox.charges[0]?.transactionID,
					status: 'CAPTURED',
					referenceID: REFERENCE,
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
		expect(output(await commit({ paymentData, dynamicData }))).toMatchObject([{ amount: 25 }]);
		expect(sandbox.charges).toMatchObject([{ amount: 2500 }]);
	});

	test.each<[string, INodeParameters]>([
		['Cart Tip (Dollars or Percent)', { tip: { details: { amount: '={{ $json.v }}' } } }],
		['New Quantity', { quantityAmounts: { items: [{ id: 'MUG', quantity: '={{ $json.v }}' }] } }],
	])('charges nothing when the expression for "%s" finds nothing', async (label, dynamicData) => {
		const run = await commit({ paymentData: cart(), dynamicData }, { items: [{ v: null }] });
		expect(run.error?.message).toBe(`'${label}' is empty`);
		expect(seen()).toEqual(nothingSent);
	});
});
