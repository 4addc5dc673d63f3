import { cartAdjustments, paymentData, paymentType, readAdjustments } from '../../form/fields/cart';
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
	fields: [paymentData, paymentType, cartAdjustments],
	run: async (parameters, { client }) => {
		const adjustments = readAdjustments(parameters.dynamicData);
		const cart = await client.call('computeTokenizedCheckout', {
			paymentData: parameters.paymentData,
			dynamicData: { ...adjustments, paymentType: parameters.paymentType },
		});
		const cents = cart.breakdown.total;
		return {
			total: majorUnitsOf(cents, CART_CURRENCY),
			totalFormatted: formatDollars(cents),
			...cart,
		};
	},
});
