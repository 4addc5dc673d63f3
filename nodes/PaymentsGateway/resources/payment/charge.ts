import { adjustments } from '../../form/adjustments';
import { cartAdjustments, lookBackDays, paymentData, paymentType } from '../../form/fields/cart';
import { payerInfo } from '../../form/fields/customer';
import { money, notice, toggle } from '../../form/fields/kinds';
import { optionsOf } from '../../form/fields/options';
import { ach, card } from '../../form/fields/paymentMethod';
import { filledIn } from '../../form/filledIn';
import { achDetails, cardDetails } from '../../form/instrument';
import { shownWhen } from '../../form/shownWhen';
import { operation } from '../../operation/operation';
import type { CustomerInfo } from '../../wire';
import { chargeOnce } from './chargeOnce';
import {
	EXPECTED_TOTAL,
	MOST_PER_CHARGE,
	expectedTotalOf,
	guardRequests,
	isSwitchedOn,
	mostPerChargeOf,
} from './guards';

/**
 * Payment → Charge: the form, and what must be there before a cart is computed. How the charge is
 * then made once at most stands in chargeOnce.ts.
 */

/** A switch that guards money: it takes no expression, which could turn it on. */
function literalToggle<const L extends string, const N extends string>(
	displayName: L,
	name: N,
	description: string,
) {
	return { ...toggle(displayName, name, description), noDataExpression: true } as const;
}

export const charge = operation({
	name: 'Charge',
	action: 'Charge customer',
	description: 'Charge a real customer for a cart, once. A paid reference is not charged again.',
	serial: true,
	fields: [
		notice(
			'chargeNotice',
			'This charges the customer. A cart whose reference is already paid is not charged again, and a charge whose outcome is unknown is not repeated: use Get Status to find out.',
		),
		paymentData,
		literalToggle(
			'Customer Has Agreed to This Charge',
			'customerConsent',
			'Whether you have the consent of the customer. Nothing is charged without it.',
		),
		literalToggle(
			'Allow Charges in Production',
			'allowProduction',
			'Whether real money may move. Needed when the credential is for production.',
		),
		money(
			EXPECTED_TOTAL,
			'expectedTotal',
			'Charge only if the cart costs exactly this. Empty: whatever it costs. An agent must fill it in.',
		),
		paymentType,
		shownWhen({ paymentType: ['card'] }, card),
		shownWhen({ paymentType: ['ach'] }, ach),
		payerInfo,
		cartAdjustments,
		optionsOf([
			{
				displayName: 'ACH Details Key (Advanced)',
				name: 'achDetailsKey',
				type: 'options',
				default: 'ach',
				description: 'Where the gateway looks for the bank account. Change it only if it asks to.',
				options: [
					{ name: 'ACH', value: 'ach' },
					{ name: 'Card', value: 'card' },
					{ name: 'Card, with Payment Type Card', value: 'cardAsCard' },
				],
			},
			literalToggle(
				'Allow Charges by AI Agents',
				'allowAgentCharges',
				'Whether an AI agent that uses this node as a tool may charge',
			),
			literalToggle(
				'Allow Repeat Charge',
				'allowRepeatCharge',
				'Whether to charge even if the reference is paid already, or there is none',
			),
			lookBackDays,
			{
				...money(
					MOST_PER_CHARGE,
					'mostPerCharge',
					'A cart that costs more is not charged. An agent charges only with this set.',
				),
				noDataExpression: true,
				placeholder: 'e.g. 500',
			},
		]),
	],
	run: async (parameters, work) => {
		const { fieldError } = work;
		const { paymentType: type, options } = parameters;
		const bounds = {
			expectedTotal: expectedTotalOf(work, parameters.expectedTotal),
			mostPerCharge: mostPerChargeOf(work, options.mostPerCharge),
		};
		guardRequests(work, bounds);
		const payer = filledIn(parameters.customerInfo);
		let customerInfo: CustomerInfo;
		if (type === 'card') {
			customerInfo = { ...payer, paymentType: 'card', card: cardDetails(parameters, fieldError) };
		} else {
			const account = achDetails(parameters, fieldError);
			// The gateway's document does not say where it reads them.
			const { achDetailsKey = 'ach' } = options;
			customerInfo = {
				...payer,
				paymentType: achDetailsKey === 'cardAsCard' ? 'card' : 'ach',
				...(achDetailsKey === 'ach' ? { ach: account } : { card: account }),
			};
		}
		// The total is asked for with the same, so both say the payment type, as Calculate Cost does.
		const dynamicData = {
			...adjustments(parameters.dynamicData, fieldError),
			paymentType: customerInfo.paymentType,
		};
		return await chargeOnce(work, {
			data: { paymentData: parameters.paymentData, dynamicData, customerInfo },
			...bounds,
			lookBackDays: options.lookBackDays ?? lookBackDays.default,
			allowRepeat: isSwitchedOn(work, 'options.allowRepeatCharge'),
		});
	},
});
