import { customerId } from '../../form/fields/customer';
import { paymentMethodId } from '../../form/fields/paymentMethod';
import { idOfCustomer } from '../../customers/find';
import { operation } from '../../operation/operation';

/** Chooses which of the saved payment methods a customer pays with by default. */

export const setDefault = operation({
	name: 'Set Default',
	action: 'Set default payment method',
	description: 'Choose which saved payment method a customer pays with',
	fields: [customerId, paymentMethodId],
	run: async (parameters, ctx) =>
		await ctx.client.call('setDefaultPaymentMethod', {
			customerID: await idOfCustomer(ctx, parameters.customerId),
			cardID: parameters.paymentMethodId.value,
		}),
});
