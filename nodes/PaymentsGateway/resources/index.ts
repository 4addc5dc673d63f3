import type { Registry } from '../operation/operation';
import { calculate } from './cart/calculate';
import { create as createCustomer } from './customer/create';
import { remove as deleteCustomer } from './customer/delete';
import { get as getCustomer } from './customer/get';
import { getAll as getCustomers } from './customer/getAll';
import { update as updateCustomer } from './customer/update';
import { upsert as upsertCustomer } from './customer/upsert';
import { getAll as getEvents } from './event/getAll';
import { create as createPaylink } from './paylink/create';
import { charge } from './payment/charge';
import { getStatus } from './payment/getStatus';
import { add as addPaymentMethod } from './paymentMethod/add';
import { remove as deletePaymentMethod } from './paymentMethod/delete';
import { getAll as getPaymentMethods } from './paymentMethod/getAll';
import { setDefault } from './paymentMethod/setDefault';

/**
 * The registry: everything the action node can do, by resource and operation. The form, the loop over
 * items and several tests are built from it. Its keys are stored in workflows and never change, even
 * if labels do: `upsert` is Create or Update. A file is named after its operation's key. The form
 * shows everything in this order, which is by label.
 */

export const registry = {
	cart: {
		name: 'Cart',
		description: 'What a customer is about to pay for',
		defaultOperation: 'calculate',
		operations: { calculate },
	},
	customer: {
		name: 'Customer',
		description: 'The people who pay you, and what you know about them',
		defaultOperation: 'getAll',
		operations: {
			create: createCustomer,
			upsert: upsertCustomer,
			delete: deleteCustomer,
			get: getCustomer,
			getAll: getCustomers,
			update: updateCustomer,
		},
	},
	event: {
		name: 'Event',
		description: 'Successful, failed and refunded payments, as the gateway reports them',
		defaultOperation: 'getAll',
		operations: { getAll: getEvents },
	},
	paylink: {
		name: 'Paylink',
		description: 'A link to a payment page that you send to a customer',
		defaultOperation: 'create',
		operations: { create: createPaylink },
	},
	payment: {
		name: 'Payment',
		description: 'Charge a cart, and find out what became of a payment',
		// Nobody should find a charge preselected.
		defaultOperation: 'getStatus',
		operations: { charge, getStatus },
	},
	paymentMethod: {
		name: 'Payment Method',
		description: 'The saved cards and bank accounts of a customer',
		defaultOperation: 'getAll',
		operations: {
			add: addPaymentMethod,
			delete: deletePaymentMethod,
			getAll: getPaymentMethods,
			setDefault,
		},
	},
} satisfies Registry;
