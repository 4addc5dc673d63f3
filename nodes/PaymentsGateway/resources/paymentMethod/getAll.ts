import type { PaymentMethod } from '../../wire';
import { customerId } from '../../form/fields/customer';
import { includeSensitive, optionsOf } from '../../form/fields/options';
import { limit, returnAll, simplifyOutput } from '../../form/fields/list';
import { paymentMethodsOf } from '../../gateway/paymentMethods';
import { customerDetail } from '../../operation/customerOf';
import { operation } from '../../operation/operation';

/** Gets the saved payment methods of a customer. The gateway lists them as part of the customer. */

/** The fields with Simplify: n8n wants ten at most. */
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
	action: 'Get many payment methods',
	description: 'Get the saved cards and bank accounts of a customer',
	fields: [customerId, returnAll, limit, optionsOf([includeSensitive, simplifyOutput])],
	run: async (parameters, work) => {
		const customer = await customerDetail(work, parameters.customerId);
		const methods = paymentMethodsOf(work.client, customer);
		const wanted = methods.slice(0, parameters.limit);
		return parameters.options.simplify === true ? wanted.map(simplify) : wanted;
	},
});
