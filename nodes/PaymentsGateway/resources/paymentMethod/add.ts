import { instrumentOf } from '../../operation/body';
import { customerId, instruments, optionsOf, skipMultiTokenConvert } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const add = operation({
	name: 'Add',
	action: 'Add a payment method to a customer',
	description: 'Save a card or a bank account for a customer',
	effect: 'write',
	fields: [
		customerId,
		{
			displayName: 'Payment Method to Save',
			name: 'instrument',
			type: 'options',
			default: 'card',
			options: [
				{ name: 'Bank Account (ACH)', value: 'ach' },
				{ name: 'Card', value: 'card' },
				{ name: 'GP Ecomm', value: 'gpecomm' },
			],
		},
		...instruments,
		optionsOf([
			{
				displayName: 'Set as Default',
				name: 'setAsDefault',
				type: 'boolean',
				default: false,
				description: 'Whether the customer pays with this one from now on',
			},
			skipMultiTokenConvert,
		]),
	],
	run: async (parameters, { client, complain, customerID }) => {
		const { setAsDefault, skipMultiTokenConvert: skip } = parameters.options;
		const form = {
			...instrumentOf(parameters.instrument, parameters, complain),
			...(setAsDefault === undefined ? {} : { setAsDefault }),
			...(skip === undefined ? {} : { skipMultiTokenConvert: skip }),
		};
		return await client.call('addPaymentMethod', {
			customerID: await customerID(parameters.customerId),
			form,
		});
	},
});
