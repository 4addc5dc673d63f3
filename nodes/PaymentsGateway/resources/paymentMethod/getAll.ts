import type { PaymentMethod } from '../../wire';
import { customerId } from '../../form/fields/customer';
import { includeSensitive, optionsOf } from '../../form/fields/options';
import { limit, returnAll, simplifyOutput } from '../../form/fields/list';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';

/**
 * Gets the saved payment methods of a customer. The service lists them only as part of the
 * customer, so this reads the customer and returns that part.
 */

/** What people look for in a payment method; n8n wants ten fields at most. */
const SIMPLE: ReadonlyArray<keyof PaymentMethod> = [
	'cardID',
	'type',
	'isDefault',
	'brand',
	'last4',
	'expires',
	'accountType',
	'accountHolderType',
	'accountNumber',
];

function simplify(method: PaymentMethod): Partial<PaymentMethod> {
	return Object.fromEntries(
		SIMPLE.filter((name) => Object.hasOwn(method, name)).map((name) => [name, method[name]]),
	);
}

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many payment methods of a customer',
	description: 'Get the saved cards and bank accounts of a customer',
	fields: [customerId, returnAll, limit, optionsOf([includeSensitive, simplifyOutput])],
	run: async (parameters, work) => {
		const { paymentCards } = await work.client.call('customer', {
			customerID: await customerID(work, parameters.customerId),
		});
		// A customer without any may come without the list.
		const methods = Array.isArray(paymentCards) ? paymentCards : [];
		const wanted = methods.slice(0, parameters.limit);
		return parameters.options.simplify === true ? wanted.map(simplify) : wanted;
	},
});
