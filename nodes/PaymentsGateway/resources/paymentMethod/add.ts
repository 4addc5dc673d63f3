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

/**
 * Saves a card or bank account for a customer. The form shows the details of the kind that is
 * chosen, and only those are sent.
 */

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
	run: async (parameters, work) => {
		const form = { ...instrumentOf(parameters), ...withoutEmpty(parameters.options) };
		return await work.client.call('addPaymentMethod', {
			customerID: await idOfCustomer(work, parameters.customerId),
			form,
		});
	},
});
