import { adjustments } from '../../operation/body';
import { cartAdjustmentsWithType, optionsOf, paymentData } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const calculate = operation({
	name: 'Calculate Cost',
	action: 'Calculate the cost of a cart',
	description: 'Get the total of a cart with tax, fees, tip and discounts, and charge nothing',
	effect: 'read',
	fields: [paymentData, cartAdjustmentsWithType, optionsOf([])],
	run: async (parameters, { client, complain }) => {
		const dynamicData = adjustments(parameters.dynamicData, complain);
		return await client.call('computeTokenizedCheckout', {
			paymentData: parameters.paymentData,
			...(dynamicData === undefined ? {} : { dynamicData }),
		});
	},
});
