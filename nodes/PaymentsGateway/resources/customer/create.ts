import { filledIn, isEmpty } from '../../form/filledIn';
import { instrumentOf } from '../../form/instrument';
import { customerFields } from '../../form/fields/customer';
import { instruments, skipMultiTokenConvert } from '../../form/fields/paymentMethod';
import { optionsOf } from '../../form/fields/options';
import { operation } from '../../operation/operation';
import { changesOf } from './change';
import { inTurn } from './inTurn';
import { make } from './make';

/**
 * Creates a customer, with a payment method if one is given. It does not look for a customer with
 * the same email, as the notice says; Create or Update (`upsert.ts`) does.
 */

export const create = operation({
	name: 'Create',
	action: 'Create customer',
	description: 'Create a customer, with a payment method if you like',
	fields: [
		{
			displayName:
				'Where a customer has the email already, this makes a second one. Create or Update changes the one that is there.',
			name: 'createNotice',
			type: 'notice',
			default: '',
		},
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
	run: async (parameters, { client, complain }) => {
		const form = {
			...changesOf(parameters.customerFields, false, complain),
			...instrumentOf(parameters.instrument, parameters, complain),
		};
		if (isEmpty(form)) {
			throw complain("'Customer Fields' are empty: fill in at least one, such as Email");
		}
		const { email } = form;
		const names = email === undefined ? [] : [email];
		return await inTurn(
			client,
			names,
			async () => await make(client, { form: { ...form, ...filledIn(parameters.options) } }),
		);
	},
});
