import type { Ach, Data, Endpoint } from '../../nodes/PaymentsGateway/wire';
import {
	boolean,
	type Check,
	integer,
	isRecord,
	list,
	must,
	nonNegative,
	object,
	oneOf,
	type Rule,
	string,
	text,
} from './check';
import { instant } from './clock';
import { isCardToken } from './paymentMethod';
import { Refusal } from './refusal';

/**
 * A schema for the `data` of each endpoint, as docs/service.md describes it, plus the rules between fields.
 * Data that does not fit is refused with the path of the field. None of this is shared with the
 * package, so that one checks the other.
 */

/** A fixed amount is in cents; a percentage may have decimals. */
function integerUnlessPercentage(amount: string, type: string): Rule {
	return (given, path) => {
		const value = given[amount];
		if (value === undefined || given[type] === 'percentage' || Number.isSafeInteger(value)) return;
		return `${path}.${amount} must be an integer: fixed amounts are in cents`;
	};
}

const card = object({
	cardToken: must('a card token, such as tok_visa_4242', isCardToken),
	'cvc?': string,
	'expiryDate?': text('a date as MM/YY', /^(0[1-9]|1[0-2])\/\d{2}$/),
});
const ach = object({
	accountNumber: text('an account number of 4 to 17 digits', /^\d{4,17}$/),
	routingNumber: text('a routing number of 9 digits', /^\d{9}$/),
	'accountType? accountHolderType?': string,
});
const gpecomm = object({ id: text('an ID', /./), 'cvv?': string });

const payer = {
	'nameOnCard? email?': string,
	'billingAddress? billingCity? billingState? billingZip? billingCountry?': string,
};
const person = { ...payer, 'phone?': string };
const instrument = {
	'card?': card,
	'ach?': ach,
	'gpecomm?': gpecomm,
	'skipMultiTokenConvert?': boolean,
};
const countMethods = ({ card, ach, gpecomm }: Record<string, unknown>) =>
	[card, ach, gpecomm].filter(Boolean).length;
const atMostOne: Rule = (form, path) =>
	countMethods(form) > 1 ? `${path} must hold at most one of card, ach, gpecomm` : undefined;
const exactlyOne: Rule = (form, path) =>
	countMethods(form) === 1 ? undefined : `${path} must hold one of card, ach, gpecomm`;

const filter = object({
	field: string,
	operation: oneOf('contains', 'equals', 'gt', 'lt', 'gte', 'lte', 'neq'),
	value: string,
});
const page = object({
	'page? pageSize?': integer(1),
	'sort?': object({ field: string, order: oneOf('asc', 'desc') }),
	'filter?': list(filter),
	'search?': string,
});

const amountType = oneOf('fixed', 'percentage');
const paymentType = oneOf('card', 'ach');
const dynamicData = object({
	'paymentType?': paymentType,
	'discountCodes?': list(string),
	'tip?': object(
		{ amount: nonNegative, type: amountType },
		integerUnlessPercentage('amount', 'type'),
	),
	'quantityAmounts?': list(object({ id: string, quantity: integer(1) })),
});

/** Bank details, which have been seen under `card` too. */
export function isAccount(value: unknown): value is Ach {
	return isRecord(value) && ('accountNumber' in value || 'routingNumber' in value);
}

const customerInfo = object(
	{
		...payer,
		paymentType,
		'card?': (value, path) => (isAccount(value) ? ach : card)(value, path),
		'ach?': ach,
	},
	({ paymentType: type, card: cardGiven, ach: achGiven }, path) => {
		if (Boolean(cardGiven) === Boolean(achGiven)) return `${path} must hold either card or ach`;
		// As observed, bank details under `card` pass with either payment type.
		const fits = type === 'card' ? cardGiven : (achGiven ?? isAccount(cardGiven));
		return fits ? undefined : `${path} does not hold what its paymentType says`;
	},
);

const product = object({
	name: string,
	price: integer(0),
	'sku? description?': string,
	'recurringMode?': oneOf('DAILY', 'MONTHLY', 'YEARLY'),
	'isRecurring? recurringRefundable?': boolean,
	'recurringInterval? recurringFrequency?': integer(1),
	'recurringTotalCycles? recurringTrialDays? recurringSetupFee?': integer(0),
});
const lineItem = object(
	{ amount: integer(1), 'productId?': string, 'product?': product },
	(given, path) => {
		const hasProduct = Boolean(given.product);
		const hasProductId = given.productId !== undefined;
		return hasProduct === hasProductId
			? `${path} must hold either productId or product`
			: undefined;
	},
);
const pricing = object(
	{
		'methodVerifyOrProcess?': string,
		'lineItems?': list(lineItem),
		'amount?': integer(1),
		'discountCodes?': list(string),
		'shipping?': integer(0),
		'tip? tax?': nonNegative,
		'tipType? taxType?': amountType,
	},
	(given, path) => {
		const hasLines = Array.isArray(given.lineItems) && given.lineItems.length > 0;
		if (!hasLines && given.amount === undefined) return `${path} must hold lineItems or amount`;
		const checkTip = integerUnlessPercentage('tip', 'tipType');
		const checkTax = integerUnlessPercentage('tax', 'taxType');
		return checkTip(given, path) ?? checkTax(given, path);
	},
);

/** Empty, or safe to send a browser to. */
const redirect = must(
	'an http or https URL',
	(url) => url === '' || (URL.canParse(String(url)) && /^https?:/i.test(String(url).trim())),
);

const paylinkForm = object(
	{
		pricing,
		'meta?': object({ dynamic: dynamicData }),
		'validUntil?': must('an ISO 8601 timestamp', (date) => !Number.isNaN(instant(String(date)))),
		'allowEdit? allowExtraDiscount? allowTip? disableCC? disableACH?': boolean,
		'disablePreselectCard? disableCustomAddress? disableCustomPayment?': boolean,
		'referenceID? customerID? customerPaymentID?': string,
		'onSuccessURL? onFailureURL?': redirect,
		'prefilledAddress?': object({
			'nameOnCard? email? phone? address? city? state? zip? country?': string,
		}),
	},
	({ disableCC, disableACH, customerID, customerPaymentID }, path) => {
		if (disableCC && disableACH) {
			return `${path} leaves no way to pay: disableCC and disableACH are both true`;
		}
		const lacksCustomer = customerPaymentID && !customerID;
		return lacksCustomer ? `${path}.customerPaymentID needs customerID beside it` : undefined;
	},
);

const ofCustomer = object({ customerID: string });
const ofMethod = object({ 'customerID cardID': string });
const ofCart = { paymentData: string, 'dynamicData?': dynamicData };
const ofList = object({ 'page?': page });

const schemas: Readonly<Record<Endpoint, Check>> = {
	customers: ofList,
	addCustomer: object({ form: object({ ...person, ...instrument }, atMostOne) }),
	customer: ofCustomer,
	updateCustomer: object({ customerID: string, form: object(person) }),
	deleteCustomer: ofCustomer,
	addPaymentMethod: object({
		customerID: string,
		form: object({ ...instrument, 'setAsDefault?': boolean }, exactlyOne),
	}),
	deletePaymentMethod: ofMethod,
	setDefaultPaymentMethod: ofMethod,
	webhookEvents: ofList,
	computeTokenizedCheckout: object(ofCart),
	createTokenizedManualEntry: object({ ...ofCart, customerInfo }),
	createCheckoutData: object({ form: paylinkForm }),
};

/** Returns everything that is wrong with the `data` of a request. */
export function validate(endpoint: Endpoint, data: unknown): string[] {
	return schemas[endpoint](data, 'data');
}

/** Refuses with the first thing that is wrong. */
export function checkData<E extends Endpoint>(endpoint: E, data: unknown): asserts data is Data<E> {
	const [problem] = validate(endpoint, data);
	if (problem !== undefined) throw new Refusal(400, problem);
}
