import { cartAdjustments, paymentData, paymentType, readAdjustments } from '../../form/fields/cart';
import { operation } from '../../operation/operation';
import { formatDollars, majorUnitsOf } from '../../output/money';

/**
 * Asks the gateway what a cart costs, with the adjustments of the form. Nothing is charged, so the
 * request may be repeated. The payment type is always sent, as in Charge, so that both get the same
 * total.
 */

export const calculate = operation({
	name: 'Calculate Cost',
	action: 'Calculate cart cost',
	description: 'Get the total of a cart with tax, fees, tip and discounts, and charge nothing',
	fields: [paymentData, paymentType, cartAdjustments],
	run: async ({ paymentData, paymentType, dynamicData }, { client }) => {
		const cart = await client.call('computeTokenizedCheckout', {
			paymentData,
			dynamicData: { ...readAdjustments(dynamicData), paymentType },
		});
		const cents = cart.breakdown.total;
		return { total: majorUnitsOf(cents, 'USD'), totalFormatted: formatDollars(cents), ...cart };
	},
});
