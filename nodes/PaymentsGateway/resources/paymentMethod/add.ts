import { filledIn } from '../../form/filledIn';
import { instrumentOf } from '../../form/instrument';
import { customerId } from '../../form/fields/customer';
import { toggle } from '../../form/fields/kinds';
import {
	instrument,
	instrumentDetails,
	skipMultiTokenConvert,
} from '../../form/fields/paymentMethod';
import { optionsOf } from '../../form/fields/options';
import { customerID } from '../customer/find';
import { operation } from '../../operation/operation';

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
		instrument,
		...instrumentDetails,
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
		const form = {
			...instrumentOf(parameters.instrument, parameters, work.fieldError),
			...filledIn(parameters.options),
		};
		return await work.client.call('addPaymentMethod', {
			customerID: await customerID(work, parameters.customerId),
			form,
		});
	},
});
