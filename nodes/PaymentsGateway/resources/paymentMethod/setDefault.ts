import { customerId } from '../../form/fields/customer';
import { paymentMethodId } from '../../form/fields/paymentMethod';
import { idOfCustomer } from '../../customers/find';
import { operation } from '../../operation/operation';

/**
 * Chooses the payment method that a customer pays with by default. It has to be one that is saved
 * for that customer.
 */

export const setDefault = operation({
	name: 'Set Default',
	action: 'Set default payment method',
	description: 'Choose which saved payment method a customer pays with',
	fields: [customerId, paymentMethodId],
	run: async (parameters, work) =>
		await work.client.call('setDefaultPaymentMethod', {
			customerID: await idOfCustomer(work, parameters.customerId),
			cardID: parameters.paymentMethodId.value,
		}),
});
