import { adjustments } from '../../form/adjustments';
import { cartAdjustmentsWithType, paymentData } from '../../form/fields/cart';
import { operation } from '../../operation/operation';
import { formatDollars } from '../../output/money';

/**
 * Asks the service what a cart costs, with the adjustments of the form. Nothing is charged, so the
 * request may be repeated.
 */

export const calculate = operation({
	name: 'Calculate Cost',
	action: 'Calculate the cost of a cart',
	description: 'Get the total of a cart with tax, fees, tip and discounts, and charge nothing',
	fields: [paymentData, cartAdjustmentsWithType],
	run: async (parameters, { client, complain }) => {
		const dynamicData = adjustments(parameters.dynamicData, complain);
		const cart = await client.call('computeTokenizedCheckout', {
			paymentData: parameters.paymentData,
			...(dynamicData === undefined ? {} : { dynamicData }),
		});
		return { ...cart, amountFormatted: formatDollars(cart.breakdown.total) };
	},
});
