import { instant } from './clock';
import { cents, dollars } from './money';
import {
	array,
	boolean,
	integer,
	isRecord,
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

const card = object(
	{ cardToken: matching(/./, 'a card token') },
	{ cvc: string, expiryDate: matching(/^(0[1-9]|1[0-2])\/\d{2}$/, 'a date as MM/YY') },
);
const ach = object(
	{
		accountNumber: matching(/^\d{4,17}$/, 'an account number of 4 to 17 digits'),
		routingNumber: matching(/^\d{9}$/, 'a routing number of 9 digits'),
	},
	{ accountType: string, accountHolderType: string },
);
const gpecomm = object({ id: matching(/./, 'an ID') }, { cvv: string });

const payerFields = {
	nameOnCard: string,
	email: string,
	billingAddress: string,
	billingCity: string,
	billingState: string,
	billingZip: string,
	billingCountry: string,
};
const customerFields = { ...payerFields, phone: string };
const instrumentFields = { card, ach, gpecomm, skipMultiTokenConvert: boolean };

function severalInstruments(form: { card?: unknown; ach?: unknown; gpecomm?: unknown }) {
	const given = [form.card, form.ach, form.gpecomm].filter(Boolean).length;
	return given > 1 ? 'data.form must hold at most one of card, ach, gpecomm' : undefined;
}

export const customerForm = object({}, customerFields);
export const newCustomerForm = where(
	object({}, { ...customerFields, ...instrumentFields }),
	severalInstruments,
);
export const paymentMethodForm = where(
	object({}, { ...instrumentFields, setAsDefault: boolean }),
	severalInstruments,
);

const operation = oneOf('contains', 'equals', 'gt', 'lt', 'gte', 'lte', 'neq');

export const page = object(
	{},
	{
		page: integer({ min: 1 }),
		pageSize: integer({ min: 1 }),
		sort: object({ field: string, order: oneOf('asc', 'desc') }, {}),
		filter: array(object({ field: string, operation, value: string }, {})),
		search: string,
	},
);

/** What to send instead of an amount that was meant in dollars. */
function dollarsMeant(value: unknown, path: string): string | undefined {
	const isText = typeof value === 'string' && /[$.]/.test(value);
	const isFraction = typeof value === 'number' && !Number.isInteger(value);
	const meant = isText || isFraction ? cents(String(value)) : undefined;
	if (meant === undefined) return undefined;
	return `${path} must be in cents: send ${meant} for ${dollars(meant)}`;
}

const anything: Rule<unknown> = (value): value is unknown => value !== undefined;

/** Money, as the service counts it. */
const minorUnits = ({ min = 0 } = {}): Rule<number> => {
	const meantAsSuch = where(anything, dollarsMeant);
	const rule = integer({ min });
	return (value, path): value is number => meantAsSuch(value, path) && rule(value, path);
};

/** A fixed amount is money too; a percentage may have decimals. */
function fixedNotWhole(amount: number | undefined, type: string | undefined, path: string) {
	if (amount === undefined || type === 'percentage' || Number.isSafeInteger(amount)) {
		return undefined;
	}
	return (
		dollarsMeant(amount, path) ?? `${path} must be an integer: fixed amounts are in minor units`
	);
}

const amountType = oneOf('fixed', 'percentage');
const paymentType = oneOf('card', 'ach');
const tip = where(object({ amount: number(), type: amountType }, {}), ({ amount, type }, path) =>
	fixedNotWhole(amount, type, `${path}.amount`),
);

export const dynamicData = object(
	{},
	{
		paymentType,
		discountCodes: array(string),
		tip,
		quantityAmounts: array(object({ id: string, quantity: integer({ min: 1 }) }, {})),
	},
);

type Held<R> = R extends Rule<infer T> ? T : never;

/** ACH details were seen under `card` as well. */
const cardOrAch: Rule<Held<typeof card> | Held<typeof ach>> = (
	value,
	path,
): value is Held<typeof card> | Held<typeof ach> => {
	const isAch = isRecord(value) && ('accountNumber' in value || 'routingNumber' in value);
	return isAch ? ach(value, path) : card(value, path);
};

export const customerInfo = where(
	object({ paymentType }, { ...payerFields, card: cardOrAch, ach }),
	(info, path) => {
		if (info.ach && info.card) return `${path} must hold either card or ach`;
		if (!info.ach && !info.card) return `${path}.${info.paymentType} is missing`;
		if (info.ach && info.paymentType === 'card') {
			return `${path}.ach does not go with the paymentType "card"`;
		}
		const isCard = info.card && 'cardToken' in info.card;
		return isCard && info.paymentType === 'ach' ? `${path}.ach is missing` : undefined;
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
		if (item.productId === undefined) {
			return item.product ? undefined : `${path} must hold productId or product`;
		}
		return item.product ? `${path} must hold either productId or product, not both` : undefined;
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
	(given, path) =>
		given.lineItems?.length || given.amount !== undefined
			? (fixedNotWhole(given.tip, given.tipType, `${path}.tip`) ??
				fixedNotWhole(given.tax, given.taxType, `${path}.tax`))
			: `${path} must hold lineItems or amount`,
);

const date = where(string, (text, path) =>
	Number.isNaN(instant(text)) ? `${path} must be an ISO 8601 timestamp` : undefined,
);

export function isWebAddress(url: string): boolean {
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Empty, or an address that is safe to send a browser to. */
const redirect = where(string, (url, path) =>
	url === '' || isWebAddress(url) ? undefined : `${path} must be an http or https URL`,
);

const prefilledAddress = object(
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
);

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
			validUntil: date,
			referenceID: string,
			onSuccessURL: redirect,
			onFailureURL: redirect,
			customerID: string,
			customerPaymentID: string,
			prefilledAddress,
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
