import type { Endpoint } from '../nodes/PaymentsGateway/wire';
import { isObject } from '../nodes/PaymentsGateway/wire/json';
import { filled, resetAndSeed, variantsOf } from './everyField';
import { operations } from './operations';
import { useNode } from './useNode';

/**
 * Every request field of the gateway's document can be filled in: the test fills in every field of
 * every form, and the requests are compared with the document, field by field.
 */

const { sandbox, run } = useNode();

// The document, endpoint by endpoint

/** An object with these fields. Only their names matter. */
const fields = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, '']));

const card = fields('cardToken cvc expiryDate');
const ach = fields('accountNumber routingNumber accountType accountHolderType');
const methods = { card, ach, gpecomm: fields('id cvv'), skipMultiTokenConvert: '' };
const address = fields('billingAddress billingCity billingState billingZip billingCountry');
const billing = { ...address, nameOnCard: '', email: '' };
const customer = { ...billing, phone: '' };
const page = {
	...fields('page pageSize search'),
	sort: fields('field order'),
	filter: [fields('field operation value')],
};
const dynamicData = {
	paymentType: '',
	discountCodes: [''],
	tip: fields('amount type'),
	quantityAmounts: [fields('id quantity')],
};
const product = {
	...fields('sku name description price isRecurring recurringMode recurringInterval'),
	...fields('recurringFrequency recurringTotalCycles recurringTrialDays recurringSetupFee'),
	recurringRefundable: '',
};
const paylink = {
	pricing: {
		...fields('methodVerifyOrProcess amount tip tipType tax taxType shipping'),
		discountCodes: [''],
		lineItems: [{ productId: '', product, amount: '' }],
	},
	meta: { dynamic: dynamicData },
	...fields('allowEdit allowExtraDiscount allowTip disableCC disableACH validUntil referenceID'),
	...fields('onSuccessURL onFailureURL customerID customerPaymentID'),
	...fields('disableCustomAddress disableCustomPayment disablePreselectCard'),
	prefilledAddress: fields('email phone country state city zip address nameOnCard'),
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
			paymentData: '',
			dynamicData,
			customerInfo: { ...billing, paymentType: '', card, ach },
		},
	},
	createCheckoutData: { ...inBody, data: { form: paylink } },
};

/** Each value with its path, such as `data.page.filter[].field`. */
function valuesIn(value: unknown, path = ''): Array<[path: string, value: unknown]> {
	if (Array.isArray(value)) return value.flatMap((entry) => valuesIn(entry, `${path}[]`));
	if (!isObject(value)) return [[path, value]];
	return Object.entries(value).flatMap(([name, inner]) =>
		valuesIn(inner, path === '' ? name : `${path}.${name}`),
	);
}

test('the forms send every request field of docs/service.md, each text in its own field', async () => {
	const sent = new Map<string, unknown>();
	for (const { title, resource, name, operation } of operations) {
		for (const chosen of variantsOf(title)) {
			const form = filled(operation.fields, { paymentData: resetAndSeed(sandbox), ...chosen });
			await run({ resource, operation: name, ...form });
			for (const { endpoint, body } of sandbox.requests) {
				for (const [path, value] of valuesIn(body)) sent.set(`${endpoint} ${path}`, value);
			}
		}
	}
	const inDocument = Object.entries(document).flatMap(([endpoint, body]) =>
		valuesIn(body).map(([path]) => `${endpoint} ${path}`),
	);
	expect([...sent.keys()].sort()).toEqual(inDocument.sort());
	// A typed text carries its form field's name, which must end the path.
	for (const [path, value] of sent) {
		const [, name = ''] = /^(?:typed |https:\/\/typed.example\/)(.*)/.exec(String(value)) ?? [];
		const onWire = { paymentMethodId: 'cardID' }[name] ?? name;
		if (name !== '') expect(path.toLowerCase()).toMatch(new RegExp(`\\b${onWire.toLowerCase()}$`));
	}
});
