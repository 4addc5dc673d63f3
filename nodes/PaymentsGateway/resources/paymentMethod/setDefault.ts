import { customerId, optionsOf, paymentMethodId } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const setDefault = operation({
	name: 'Set Default',
	action: 'Set the default payment method of a customer',
	description: 'Choose which saved payment method a customer pays with',
	effect: 'write',
	fields: [customerId, paymentMethodId, optionsOf([])],
	run: async (parameters, { client, customerID }) =>
		await client.call('setDefaultPaymentMethod', {
			customerID: await customerID(parameters.customerId),
			cardID: parameters.paymentMethodId.value,
		}),
});
