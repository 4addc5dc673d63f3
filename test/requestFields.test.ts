import type { Endpoint } from '../nodes/PaymentsGateway/wire';
import { isObject } from '../nodes/PaymentsGateway/wire/json';
import { filled, furnish, waysOf } from './everyField';
import { operations } from './operations';
import { useNode } from './useNode';

/**
 * Every request field of the gateway's document can be filled in: every field of every form is, and
 * what has left for the gateway is held against the document, field by field.
 */

const { sandbox, run } = useNode();

// The document, endpoint by endpoint; values do not matter

const card = { cardToken: '', cvc: '', expiryDate: '' };
const ach = { accountNumber: '', routingNumber: '', accountType: '', accountHolderType: '' };
const methods = { card, ach, gpecomm: { id: '', cvv: '' }, skipMultiTokenConvert: '' };
const billing = {
	...{ nameOnCard: '', email: '', billingAddress: '', billingCity: '', billingState: '' },
	...{ billingZip: '', billingCountry: '' },
};
const customer = { ...billing, phone: '' };
const page = {
	...{ page: '', pageSize: '', search: '', sort: { field: '', order: '' } },
	filter: [{ field: '', operation: '', value: '' }],
};
const dynamicData = {
	...{ paymentType: '', discountCodes: [''], tip: { amount: '', type: '' } },
	quantityAmounts: [{ id: '', quantity: '' }],
};
const product = {
	...{ sku: '', name: '', description: '', price: '', isRecurring: '', recurringMode: '' },
	...{ recurringInterval: '', recurringFrequency: '', recurringTotalCycles: '' },
	...{ recurringTrialDays: '', recurringSetupFee: '', recurringRefundable: '' },
};
const paylink = {
	pricing: {
		...{ methodVerifyOrProcess: '', amount: '', tip: '', tipType: '', tax: '', taxType: '' },
		...{ discountCodes: [''], shipping: '', lineItems: [{ productId: '', product, amount: '' }] },
	},
	meta: { dynamic: dynamicData },
	...{ allowEdit: '', allowExtraDiscount: '', allowTip: '', disableCC: '', disableACH: '' },
	...{ validUntil: '', referenceID: '', onSuccessURL: '', onFailureURL: '' },
	...{ customerID: '', customerPaymentID: '' },
	prefilledAddress: {
		...{ email: '', phone: '', country: '', state: '', city: '', zip: '', address: '' },
		nameOnCard: '',
	},
	...{ disableCustomAddress: '', disableCustomPayment: '', disablePreselectCard: '' },
};
const customerID = '';
const ofMethod = { data: { customerID, cardID: '' } };
const inBody = { groupID: '', token: '' };
const document: Record<Endpoint, object> = {
	customers: { data: { page } },
	addCustomer: { data: { form: { ...customer, ...methods } } },
	customer: { data: { customerID } },
	updateCustomer: { data: { customerID, form: customer } },
	deleteCustomer: { data: { customerID } },
	addPaymentMethod: { data: { customerID, form: { ...methods, setAsDefault: '' } } },
	deletePaymentMethod: ofMethod,
	setDefaultPaymentMethod: ofMethod,
	webhookEvents: { ...inBody, data: { page } },
	computeTokenizedCheckout: { ...inBody, data: { paymentData: '', dynamicData } },
	createTokenizedManualEntry: {
		...inBody,
		data: {
			...{ paymentData: '', dynamicData },
			customerInfo: { ...billing, paymentType: '', card, ach },
		},
	},
	createCheckoutData: { ...inBody, data: { form: paylink } },
};

/** Where each value stands, such as `data.page.filter[].field`, with the value. */
function valuesIn(value: unknown, path = ''): Array<[path: string, value: unknown]> {
	if (Array.isArray(value)) return value.flatMap((entry) => valuesIn(entry, `${path}[]`));
	if (!isObject(value)) return [[path, value]];
	return Object.entries(value).flatMap(([name, inner]) =>
		valuesIn(inner, path === '' ? name : `${path}.${name}`),
	);
}

test('each of the 148 is sent by a form, each text under the name that it was typed under', async () => {
	const sent = new Map<string, unknown>();
	for (const { title, resource, name, operation } of operations) {
		for (const chosen of waysOf(title)) {
			const form = filled(operation.fields, { paymentData: furnish(sandbox), ...chosen });
			await run({ resource, operation: name, ...form });
			for (const { endpoint, body } of sandbox.requests) {
				for (const [path, value] of valuesIn(body)) sent.set(`${endpoint} ${path}`, value);
			}
		}
	}
	const inDocument = Object.entries(document).flatMap(([endpoint, body]) =>
		valuesIn(body).map(([path]) => `${endpoint} ${path}`),
	);
	expect(inDocument).toHaveLength(148);
	expect([...sent.keys()].sort()).toEqual(inDocument.sort());
	for (const [path, value] of sent) {
		const [, name = ''] = /^(?:typed |https:\/\/typed.example\/)(.*)/.exec(String(value)) ?? [];
		const onWire = { paymentMethodId: 'cardID' }[name] ?? name;
		if (name !== '') expect(path.toLowerCase()).toMatch(new RegExp(`\\b${onWire.toLowerCase()}$`));
	}
});
