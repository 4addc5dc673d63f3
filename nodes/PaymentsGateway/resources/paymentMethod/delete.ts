import { customerId, optionsOf, paymentMethodId } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const remove = operation({
	name: 'Delete',
	action: 'Delete a payment method of a customer',
	description: 'Delete one saved card or bank account for good',
	effect: 'write',
	fields: [customerId, paymentMethodId, optionsOf([])],
	run: async (parameters, { client, customerID }) => ({
		...(await client.call('deletePaymentMethod', {
			customerID: await customerID(parameters.customerId),
			cardID: parameters.paymentMethodId.value,
		})),
		deleted: true,
	}),
});
