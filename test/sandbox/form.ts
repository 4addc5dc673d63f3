import { instant } from './clock';
import { cents, dollars } from './money';
import { Refusal } from './refusal';
import {
	array,
	boolean,
	integer,
	matching,
	number,
	object,
	oneOf,
	type Rule,
	string,
	where,
} from './validate';

/**
 * What the service takes, as rules: the request shapes of the service's description
 * (docs/service.md). None of it is shared with the package, so that one checks the other.
 */

const cardFields = {
	cardToken: matching(/./, 'a card token'),
	cvc: string,
	expiryDate: matching(/^(0[1-9]|1[0-2])\/\d{2}$/, 'a date as MM/YY'),
};
const achFields = {
	accountNumber: matching(/^\d{4,17}$/, 'an account number of 4 to 17 digits'),
	routingNumber: matching(/^\d{9}$/, 'a routing number of 9 digits'),
	accountType: string,
	accountHolderType: string,
};
const { cardToken, ...cardExtras } = cardFields;
const { accountNumber, routingNumber, ...achExtras } = achFields;

export const card = object({ cardToken }, cardExtras);
export const ach = object({ accountNumber, routingNumber }, achExtras);
const gpecomm = object({ id: matching(/./, 'an ID') }, { cvv: string });

const customerFields = {
	nameOnCard: string,
	email: string,
	phone: string,
	billingAddress: string,
	billingCity: string,
	billingState: string,
	billingZip: string,
	billingCountry: string,
};
const instrumentFields = { card, ach, gpecomm, skipMultiTokenConvert: boolean };

function severalInstruments(form: { card?: unknown; ach?: unknown; gpecomm?: unknown }) {
	const given = [form.card, form.ach, form.gpecomm].filter(Boolean).length;
	return given > 1 ? 'data.form must hold at most one of card, ach, gpecomm' : undefined;
}

export const page = object(
	{},
	{
		page: integer({ min: 1 }),
		pageSize: integer({ min: 1 }),
		sort: object({ field: string, order: oneOf('asc', 'desc') }, {}),
		filter: array(
			object(
				{
					field: string,
					operation: oneOf('contains', 'equals', 'gt', 'lt', 'gte', 'lte', 'neq'),
					value: string,
				},
				{},
			),
		),
		search: string,
	},
);

export const customerForm = object({}, customerFields);
export const newCustomerForm = where(
	object({}, { ...customerFields, ...instrumentFields }),
	severalInstruments,
);
export const paymentMethodForm = where(
	object({}, { ...instrumentFields, setAsDefault: boolean }),
	severalInstruments,
);

/** What to send instead of an amount that was meant in dollars. */
function dollarsMeant(value: unknown, path: string): string | undefined {
	const isText = typeof value === 'string' && /[$.]/.test(value);
	const isFraction = typeof value === 'number' && !Number.isInteger(value);
	const meant = isText || isFraction ? cents(String(value)) : undefined;
	return meant === undefined
		? undefined
		: `${path} must be in cents: send ${meant} for ${dollars(meant)}`;
}

/** Money, as the service counts it. */
const minorUnits =
	({ min = 0 } = {}): Rule<number> =>
	(value, path): value is number => {
		const message = dollarsMeant(value, path);
		if (message !== undefined) throw new Refusal(400, message);
		return integer({ min })(value, path);
	};

const amountType = oneOf('fixed', 'percentage');
const paymentType = oneOf('card', 'ach');

function fixedNotWhole(amount: number | undefined, type: string | undefined, path: string) {
	if (amount === undefined || type === 'percentage' || Number.isSafeInteger(amount)) {
		return undefined;
	}
	return (
		dollarsMeant(amount, path) ?? `${path} must be an integer: fixed amounts are in minor units`
	);
}

export const dynamicData = object(
	{},
	{
		paymentType,
		discountCodes: array(string),
		tip: where(object({ amount: number(), type: amountType }, {}), (tip, path) =>
			fixedNotWhole(tip.amount, tip.type, `${path}.amount`),
		),
		quantityAmounts: array(object({ id: string, quantity: integer({ min: 1 }) }, {})),
	},
);

/** ACH details under `ach`, or under `card`, where they were seen as well. */
export const customerInfo = where(
	object(
		{ paymentType },
		{
			nameOnCard: string,
			email: string,
			billingAddress: string,
			billingCity: string,
			billingState: string,
			billingZip: string,
			billingCountry: string,
			card: object({}, { ...cardFields, ...achFields }),
			ach,
		},
	),
	(info, path) => {
		const { card: given } = info;
		if (info.ach && given) return `${path} must hold either card or ach`;
		if (info.ach) {
			return info.paymentType === 'ach'
				? undefined
				: `${path}.ach does not go with the paymentType "${info.paymentType}"`;
		}
		if (!given) return `${path}.${info.paymentType} is missing`;
		const isAch = given.accountNumber !== undefined || given.routingNumber !== undefined;
		if (isAch) {
			if (given.cardToken !== undefined) {
				return `${path}.card must hold a card or a bank account, not both`;
			}
			if (given.accountNumber === undefined) return `${path}.card.accountNumber is missing`;
			if (given.routingNumber === undefined) return `${path}.card.routingNumber is missing`;
			return undefined;
		}
		if (info.paymentType === 'ach') return `${path}.ach is missing`;
		return given.cardToken === undefined ? `${path}.card.cardToken is missing` : undefined;
	},
);

const product = object(
	{ name: string, price: minorUnits() },
	{
		sku: string,
		description: string,
		isRecurring: boolean,
		recurringMode: oneOf('DAILY', 'MONTHLY', 'YEARLY'),
		recurringInterval: integer({ min: 1 }),
		recurringFrequency: integer({ min: 1 }),
		recurringTotalCycles: integer(),
		recurringTrialDays: integer(),
		recurringSetupFee: minorUnits(),
		recurringRefundable: boolean,
	},
);

const lineItem = where(
	object({ amount: integer({ min: 1 }) }, { productId: string, product }),
	(item, path) => {
		if (item.productId === undefined && !item.product) {
			return `${path} must hold productId or product`;
		}
		if (item.productId !== undefined && item.product) {
			return `${path} must hold either productId or product, not both`;
		}
		return undefined;
	},
);

const pricing = where(
	object(
		{},
		{
			methodVerifyOrProcess: string,
			lineItems: array(lineItem),
			amount: minorUnits({ min: 1 }),
			tip: number(),
			tipType: amountType,
			tax: number(),
			taxType: amountType,
			discountCodes: array(string),
			shipping: minorUnits(),
		},
	),
	(given, path) => {
		if (!given.lineItems?.length && given.amount === undefined) {
			return `${path} must hold lineItems or amount`;
		}
		return (
			fixedNotWhole(given.tip, given.tipType, `${path}.tip`) ??
			fixedNotWhole(given.tax, given.taxType, `${path}.tax`)
		);
	},
);

/** Empty, or an address that is safe to send a browser to. */
const redirect = where(string, (url, path) =>
	url === '' || isWebAddress(url) ? undefined : `${path} must be an http or https URL`,
);

export function isWebAddress(url: string): boolean {
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export const paylinkForm = where(
	object(
		{ pricing },
		{
			meta: object({ dynamic: dynamicData }, {}),
			allowEdit: boolean,
			allowExtraDiscount: boolean,
			allowTip: boolean,
			disableCC: boolean,
			disableACH: boolean,
			validUntil: where(string, (date, path) =>
				Number.isNaN(instant(date)) ? `${path} must be an ISO 8601 timestamp` : undefined,
			),
			referenceID: string,
			onSuccessURL: redirect,
			onFailureURL: redirect,
			customerID: string,
			customerPaymentID: string,
			prefilledAddress: object(
				{},
				{
					email: string,
					phone: string,
					country: string,
					state: string,
					city: string,
					zip: string,
					address: string,
					nameOnCard: string,
				},
			),
			disableCustomAddress: boolean,
			disableCustomPayment: boolean,
			disablePreselectCard: boolean,
		},
	),
	(form, path) => {
		if (form.disableCC && form.disableACH) {
			return `${path} leaves no way to pay: disableCC and disableACH are both true`;
		}
		if (form.customerPaymentID && !form.customerID) {
			return `${path}.customerPaymentID needs customerID beside it`;
		}
		return undefined;
	},
);
