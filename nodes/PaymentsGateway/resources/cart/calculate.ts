import {
	cartAdjustments,
	paymentData as paymentDataField,
	paymentType as paymentTypeField,
	readAdjustments,
} from '../../form/fields/cart';
import { operation } from '../../operation/operation';
import { CART_CURRENCY, majorUnitsOf, formatDollars } from '../../output/money';

/**
 * Gets the total of a cart, with the adjustments of the form. The payment type is always sent, as in
 * Charge: fees may depend on it, and both should get the same total.
 */

export const calculate = operation({
	name: 'Calculate Cost',
	action: 'Calculate cart cost',
	description: 'Get the total of a cart with tax, fees, tip and discounts, and charge nothing',
	fields: [paymentDataField, paymentTypeField, cartAdjustments],
	run: async ({ paymentData, paymentType, dynamicData }, { client }) => {
		const cart = await client.call('computeTokenizedCheckout', {
			paymentData,
			dynamicData: { ...readAdjustments(dynamicData), paymentType },
		});
		const cents = cart.breakdown.total;
		return {
			total: majorUnitsOf(cents, CART_CURRENCY),
			totalFormatted: formatDollars(cents),
			...cart,
		};
	},
});
