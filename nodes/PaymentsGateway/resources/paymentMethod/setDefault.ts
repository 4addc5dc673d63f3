import { customerId } from '../../form/fields/customer';
import { paymentMethodId } from '../../form/fields/paymentMethod';
import { idOfCustomer } from '../../customers/find';
import { withIdentifierLock } from '../../customers/write';
import { operation } from '../../operation/operation';

/** Chooses which of the saved payment methods a customer pays with by default. */

export const setDefault = operation({
	name: 'Set Default',
	action: 'Set default payment method',
	description: 'Choose which saved payment method a customer pays with',
	fields: [customerId, paymentMethodId],
	// One after another: the last item of a customer decides.
	run: async ({ customerId: customer, paymentMethodId: { value: cardID } }, ctx) =>
		await withIdentifierLock(ctx.client, [customer.value], async () => {
			const customerID = await idOfCustomer(ctx, customer);
			return await ctx.client.call('setDefaultPaymentMethod', { customerID, cardID });
		}),
});
