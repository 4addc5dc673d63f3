import { optionsOf, toggle } from '../../form/builders';
import { withoutEmpty } from '../../form/empty';
import { customerId } from '../../form/fields/customer';
import {
	instrumentOf,
	methodDetails,
	methodToSave,
	skipMultiTokenConvert,
} from '../../form/fields/paymentMethod';
import { operation } from '../../operation/operation';
import { idOfCustomer } from '../../customers/find';
import { withIdentifierLock } from '../../customers/write';

/** Saves a card or bank account for a customer. Only the details of the chosen kind are sent. */

export const add = operation({
	name: 'Add',
	action: 'Add payment method',
	description: 'Save a card or a bank account for a customer',
	fields: [
		customerId,
		methodToSave,
		...methodDetails,
		optionsOf([
			toggle(
				'Set as Default',
				'setAsDefault',
				'Whether the customer pays with this one from now on',
			),
			skipMultiTokenConvert,
		]),
	],
	run: async (parameters, ctx) => {
		const form = { ...instrumentOf(parameters), ...withoutEmpty(parameters.options) };
		const { customerId: customer } = parameters;
		// One after another: the last item of a customer with Set as Default decides.
		return await withIdentifierLock(ctx.client, [customer.value], async () => {
			const customerID = await idOfCustomer(ctx, customer);
			return await ctx.client.call('addPaymentMethod', { customerID, form });
		});
	},
});
