import { filledIn, instrumentOf, isEmpty } from '../../operation/body';
import {
	customerFields,
	instruments,
	optionsOf,
	skipMultiTokenConvert,
} from '../../operation/fields';
import { operation } from '../../operation/operation';

export const create = operation({
	name: 'Create',
	action: 'Create a customer',
	description: 'Create a customer, with a payment method if you like',
	effect: 'write',
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
	run: async (parameters, { client, complain }) => {
		const { skipMultiTokenConvert: skip } = parameters.options;
		const form = {
			...filledIn(parameters.customerFields),
			...instrumentOf(parameters.instrument, parameters, complain),
			...(skip === undefined ? {} : { skipMultiTokenConvert: skip }),
		};
		if (isEmpty(form)) {
			throw complain('"Customer Fields" are empty: fill in at least one, such as Email');
		}
		return await client.call('addCustomer', { form });
	},
});
