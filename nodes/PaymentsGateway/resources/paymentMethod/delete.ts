import { customerId } from '../../form/fields/customer';
import { paymentMethodId } from '../../form/fields/paymentMethod';
import { idOfCustomer } from '../../customers/find';
import { operation } from '../../operation/operation';

/** Deletes one saved payment method of a customer. The gateway wants the IDs of both. */

export const remove = operation({
	name: 'Delete',
	action: 'Delete payment method',
	description: 'Delete one saved card or bank account for good',
	fields: [customerId, paymentMethodId],
	run: async (parameters, ctx) => ({
		...(await ctx.client.call('deletePaymentMethod', {
			customerID: await idOfCustomer(ctx, parameters.customerId),
			cardID: parameters.paymentMethodId.value,
		})),
		deleted: true,
	}),
});
