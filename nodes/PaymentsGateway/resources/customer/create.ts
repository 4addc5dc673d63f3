import { filledIn, isEmpty } from '../../form/filledIn';
import { instrumentOf } from '../../form/instrument';
import { customerFields } from '../../form/fields/customer';
import { instruments, skipMultiTokenConvert } from '../../form/fields/paymentMethod';
import { optionsOf } from '../../form/fields/options';
import { sameEmail } from '../../wire/email';
import { operation } from '../../operation/operation';
import { inTurn, make } from './recent';

/**
 * Creates a customer, with a payment method if one is given. It does not look for a customer with
 * the same email; Create or Update (`upsert.ts`) does, and is told of whoever is made here.
 */

export const create = operation({
	name: 'Create',
	action: 'Create a customer',
	description: 'Create a customer, with a payment method if you like',
	fields: [
		customerFields,
		{
			displayName: 'Payment Method to Save',
			name: 'instrument',
			type: 'options',
			default: 'none',
			options: [
				{ name: 'Bank Account (ACH)', value: 'ach' },
				{ name: 'Card', value: 'card' },
				{ name: 'GP Ecomm', value: 'gpecomm' },
				{ name: 'None', value: 'none' },
			],
		},
		...instruments,
		optionsOf([skipMultiTokenConvert]),
	],
	run: async (parameters, work) => {
		const { client, complain } = work;
		const { skipMultiTokenConvert: skip } = parameters.options;
		const form = {
			...filledIn(parameters.customerFields),
			...instrumentOf(parameters.instrument, parameters, complain),
			...(skip === undefined ? {} : { skipMultiTokenConvert: skip }),
		};
		if (isEmpty(form)) {
			throw complain('"Customer Fields" are empty: fill in at least one, such as Email');
		}
		const { email = '' } = form;
		if (sameEmail(email) === '') return await client.call('addCustomer', { form });
		return await inTurn(work, email, async (recent) => await make(client, recent, { form }));
	},
});
