import type { CustomerInfo } from '../../wire';
import { achDetails, cardDetails } from '../../form/instrument';
import { adjustments } from '../../form/adjustments';
import { filledIn } from '../../form/filledIn';
import { amountOf } from '../../form/amount';
import { chargeOnce } from './chargeOnce';
import { isByExpression } from '../../form/written';
import { shownWhen } from '../../form/shownWhen';
import { ach, card } from '../../form/fields/paymentMethod';
import { cartAdjustments, lookBackDays, paymentData, paymentType } from '../../form/fields/cart';
import { payerInfo } from '../../form/fields/customer';
import { formatDollars } from '../../output/money';
import { guardConsent, guardProduction, isSwitchedOn } from './guards';
import { operation } from '../../operation/operation';
import type { Work } from '../../operation/operation';

/**
 * Payment → Commit: the form, and what must be there before a cart is computed. How the charge is
 * then made once at most stands in chargeOnce.ts.
 */

const EXPECTED_TOTAL = 'Expected Total (Dollars)';

export const commit = operation({
	name: 'Commit',
	action: 'Charge a customer (commit a payment)',
	description: 'Charge a real customer for a cart, once. A paid reference is not charged again.',
	serial: true,
	fields: [
		{
			displayName:
				'This charges the customer. A cart whose reference is already paid is not charged again, and a charge whose outcome is unknown is never repeated: use Get Status to find out.',
			name: 'commitNotice',
			type: 'notice',
			default: '',
		},
		paymentData,
		{
			displayName: 'Customer Has Agreed to This Charge',
			name: 'customerConsent',
			type: 'boolean',
			default: false,
			noDataExpression: true,
			description: 'Whether you have the consent of the customer. Nothing is charged without it.',
		},
		{
			displayName: 'Allow Charges in Production',
			name: 'allowProduction',
			type: 'boolean',
			default: false,
			noDataExpression: true,
			description: 'Whether real money may move. Needed when the credential is for production.',
		},
		{
			displayName: EXPECTED_TOTAL,
			name: 'expectedTotal',
			type: 'string',
			default: '',
			placeholder: 'e.g. 25.00',
			description: 'Charge only if the cart costs exactly this. Empty or 0: whatever it costs.',
		},
		paymentType,
		shownWhen({ paymentType: ['card'] }, card),
		shownWhen({ paymentType: ['ach'] }, ach),
		payerInfo,
		cartAdjustments,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'ACH Details Key (Advanced)',
					name: 'achDetailsKey',
					type: 'options',
					default: 'ach',
					description:
						'Where the service looks for the bank account. Change it only if it asks to.',
					options: [
						{ name: 'Ach', value: 'ach' },
						{ name: 'Card (as Seen in an Example)', value: 'card' },
					],
				},
				{
					displayName: 'Allow Charges by AI Agents',
					name: 'allowAgentCharges',
					type: 'boolean',
					default: false,
					noDataExpression: true,
					description: 'Whether an AI agent that uses this node as a tool may charge',
				},
				{
					displayName: 'Allow Repeat Charge',
					name: 'allowRepeatCharge',
					type: 'boolean',
					default: false,
					noDataExpression: true,
					description: 'Whether to charge even if the reference is paid already, or there is none',
				},
				lookBackDays,
			],
		},
	],
	run: async (parameters, work) => {
		const { complain } = work;
		guardConsent(work);
		guardProduction(work);
		const { paymentType: type, options } = parameters;
		const person = filledIn(parameters.customerInfo);
		const dynamicData = adjustments({ ...parameters.dynamicData, paymentType: type }, complain);
		let customerInfo: CustomerInfo;
		if (type === 'card') {
			customerInfo = { ...person, paymentType: 'card', card: cardDetails(parameters, complain) };
		} else if (options.achDetailsKey === 'card') {
			customerInfo = { ...person, paymentType: 'card', card: achDetails(parameters, complain) };
		} else {
			customerInfo = { ...person, paymentType: 'ach', ach: achDetails(parameters, complain) };
		}
		const charged = await chargeOnce(work, {
			data: {
				paymentData: parameters.paymentData,
				...(dynamicData === undefined ? {} : { dynamicData }),
				customerInfo,
			},
			expectedTotal: expectedTotal(parameters.expectedTotal, work),
			lookBackDays: options.lookBackDays ?? 30,
			allowRepeat: isSwitchedOn(work, 'options.allowRepeatCharge'),
		});
		const { computedTotal: total } = charged;
		return {
			...charged,
			...(total === undefined ? {} : { amountFormatted: formatDollars(total) }),
		};
	},
});

/** Left empty it means any total; an expression that finds nothing must not. */
function expectedTotal(typed: string, work: Work): number {
	if (typed !== '') return amountOf(EXPECTED_TOTAL, typed, work.complain);
	if (!isByExpression(work.context, 'expectedTotal')) return 0;
	throw work.complain(`'${EXPECTED_TOTAL}' is empty`, 'Its expression found nothing.');
}
