import {
	choice,
	money,
	needed,
	notice,
	optionsOf,
	shownWhen,
	toggle,
	withoutExpression,
} from '../../form/builders';
import { withoutEmpty } from '../../form/empty';
import { cartAdjustments, paymentData, paymentType, readAdjustments } from '../../form/fields/cart';
import { payerInfo } from '../../form/fields/customer';
import { ach, card, instrumentOf } from '../../form/fields/paymentMethod';
import { operation } from '../../operation/operation';
import type { CustomerInfo } from '../../wire';
import { chargeOnce } from './chargeOnce';
import { lookBackDays } from './getStatus';
import { EXPECTED_TOTAL, MOST_PER_CHARGE, guardRequests, isSwitchedOn } from './guards';

/**
 * Payment → Charge: the form, and what must be there before a cart is computed. How the charge is
 * then made once at most stands in chargeOnce.ts.
 */

/** It takes no expression, which could turn it on. */
function guardSwitch<const N extends string>(displayName: string, name: N, description: string) {
	return withoutExpression(toggle(displayName, name, description));
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
		guardSwitch(
			'Customer Has Agreed to This Charge',
			'customerConsent',
			'Whether you have the consent of the customer. Nothing is charged without it.',
		),
		guardSwitch(
			'Allow Charges in Production',
			'allowProduction',
			'Whether real money may move. Needed when the credential is for production.',
		),
		money(
			EXPECTED_TOTAL,
			'expectedTotal',
			'dollars',
			'Charge only if the cart costs exactly this. Empty: whatever it costs. An agent must fill it in.',
			{ minValue: 0.01 },
		),
		paymentType,
		shownWhen({ paymentType: ['card'] }, needed(card)),
		shownWhen({ paymentType: ['ach'] }, needed(ach)),
		payerInfo,
		cartAdjustments,
		optionsOf([
			choice(
				'ACH Details Key (Advanced)',
				'achDetailsKey',
				{ ach: 'ACH', card: 'Card', cardAsCard: 'Card, with Payment Type Card' },
				'Where the gateway looks for the bank account. Change it only if it asks to.',
			),
			guardSwitch(
				'Allow Charges by AI Agents',
				'allowAgentCharges',
				'Whether an AI agent that uses this node as a tool may charge',
			),
			guardSwitch(
				'Allow Repeat Charge',
				'allowRepeatCharge',
				'Whether to charge even if the reference is paid already, or there is none',
			),
			lookBackDays,
			withoutExpression(
				money(
					MOST_PER_CHARGE,
					'mostPerCharge',
					'dollars',
					'A cart that costs more is not charged. An agent charges only with this set.',
					{ minValue: 0.01, needed: true },
				),
			),
		]),
	],
	run: async (parameters, work) => {
		const { paymentType: type, expectedTotal, options } = parameters;
		const bounds = { expectedTotal, mostPerCharge: options.mostPerCharge };
		guardRequests(work, bounds);
		const method = instrumentOf(parameters);
		// The gateway's document does not say where it reads a bank account.
		const { achDetailsKey = 'ach' } = options;
		const customerInfo: CustomerInfo = {
			...withoutEmpty(parameters.customerInfo),
			paymentType: achDetailsKey === 'cardAsCard' ? 'card' : type,
			...(achDetailsKey === 'ach' ? method : withoutEmpty({ card: method.card ?? method.ach })),
		};
		// The total is asked for with the same, so both say the payment type, as Calculate Cost does.
		const dynamicData = {
			...readAdjustments(parameters.dynamicData),
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
