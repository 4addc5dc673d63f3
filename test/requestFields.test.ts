import type { INodeParameters } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import type { Endpoint } from '../nodes/PaymentsGateway/wire';
import { isObject } from '../nodes/PaymentsGateway/wire/json';
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
function leavesOf(value: unknown, path = ''): Array<[path: string, value: unknown]> {
	if (Array.isArray(value)) return value.flatMap((entry) => leavesOf(entry, `${path}[]`));
	if (!isObject(value)) return [[path, value]];
	return Object.entries(value).flatMap(([name, inner]) =>
		leavesOf(inner, path === '' ? name : `${path}.${name}`),
	);
}

// The forms, filled in

/** What is chosen, by the name of a field; `undefined` leaves one out. */
type Chosen = Readonly<Record<string, string | boolean | undefined>>;

/** Each operation is run once for each of these, or once with everything as it is by default. */
const CHOSEN: Record<string, readonly Chosen[]> = {
	'customer.create': [{ instrument: 'card' }, { instrument: 'ach' }, { instrument: 'gpecomm' }],
	'paymentMethod.add': [{ instrument: 'card' }, { instrument: 'ach' }, { instrument: 'gpecomm' }],
	'payment.charge': [{ paymentType: 'card' }, { paymentType: 'ach' }],
	'payment.getStatus': [{ waitForOutcome: false }],
	'event.getAll': [{ receivedBefore: undefined }],
	// Nobody could pay where both are disabled, and tips stand in one of two places.
	'paylink.create': [
		{ disableAch: false, dynamicData: undefined },
		{ disableAch: false, pricing: undefined, pricingMode: 'lineItems', productSource: 'id' },
		{ disableAch: false, pricing: undefined, pricingMode: 'lineItems' },
	],
};

/** What text is put in where not any is taken; elsewhere it is the name of the field. */
const TEXTS: Record<string, string> = {
	...{ email: 'ada@example.com', expiryDate: '08/29', accountNumber: '1', routingNumber: '1' },
	...{ discountCodes: 'SAVE10', mostPerCharge: '1000', expectedTotal: '', lineItemsJson: '[]' },
};

/** Told from values that are no name, such as the field by which a list is filtered. */
const typed = (name: string) => `typed ${name}`;

function fill(fields: readonly Field[], chosen: Chosen): INodeParameters {
	const filled: INodeParameters = {};
	for (const field of fields) {
		const { name } = field;
		if (!(name in chosen)) filled[name] = valueOf(field, chosen);
		else if (chosen[name] !== undefined) filled[name] = chosen[name];
	}
	return filled;
}

function valueOf(field: Field, chosen: Chosen): INodeParameters[string] {
	const { name, type, displayName, typeOptions, options = [] } = field;
	const groups = options.map((group) => {
		const inside = 'values' in group ? fill(group.values, chosen) : {};
		return [group.name, typeOptions?.multipleValues ? [inside] : inside] as const;
	});
	if (type === 'boolean') return true;
	if (type === 'number') return 1;
	if (type === 'dateTime') return '2125-01-01';
	if (type === 'collection') return fill(options as readonly Field[], chosen);
	if (type === 'fixedCollection') return Object.fromEntries(groups);
	if (type === 'resourceLocator')
		return { __rl: true, mode: 'id', value: typed(name) } as INodeParameters;
	if (type !== 'string' && type !== 'json') return field.default as string;
	return TEXTS[name] ?? (displayName.includes('(Dollars') ? '1' : typed(name));
}

test('each of the 148 is sent by a form, each text under the name that it was typed under', async () => {
	const sent = new Map<string, unknown>();
	for (const { title, resource, name, operation } of operations) {
		for (const chosen of CHOSEN[title] ?? [{}]) {
			sandbox.reset();
			sandbox.addCustomer({ id: typed('customerId'), nameOnCard: 'Before' });
			const product = { sku: typed('id'), name: 'Mug', description: '', price: 100 };
			const paymentData = sandbox.addCart({
				referenceID: 'R-1',
				lineItems: [{ product, amount: 1 }],
			});
			const form = fill(operation.fields, { paymentData, ...chosen });
			await run({ resource, operation: name, ...form });
			for (const { endpoint, body } of sandbox.requests) {
				for (const [path, value] of leavesOf(body)) sent.set(`${endpoint} ${path}`, value);
			}
		}
	}
	const inDocument = Object.entries(document).flatMap(([endpoint, body]) =>
		leavesOf(body).map(([path]) => `${endpoint} ${path}`),
	);
	expect(inDocument).toHaveLength(148);
	expect([...sent.keys()].sort()).toEqual(inDocument.sort());
	for (const [path, value] of sent) {
		const [, name = ''] = /^typed (.*)/.exec(String(value)) ?? [];
		const onWire = { paymentMethodId: 'cardID' }[name] ?? name;
		if (name !== '') expect(path.toLowerCase()).toMatch(new RegExp(`\\b${onWire.toLowerCase()}$`));
	}
});
