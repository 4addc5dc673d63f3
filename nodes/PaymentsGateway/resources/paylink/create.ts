import { isEmpty, withoutEmpty } from '../../form/empty';
import type { ValuesOf } from '../../form/field';
import type { FieldError } from '../../form/fieldError';
import { NOTHING_SENT } from '../../form/fieldError';
import {
	cartTip,
	discountCodes as cartDiscountCodes,
	readAdjustments,
} from '../../form/fields/cart';
import { operation } from '../../operation/operation';
import { CART_CURRENCY, majorUnitsOf, formatDollars } from '../../output/money';
import type {
	DynamicData,
	FixedOrPercent,
	PaylinkForm,
	PaylinkLineItem,
	PaylinkPricing,
} from '../../wire';
import { idOfCustomer } from '../../customers/find';
import { amount as amountField, fields, tip as tipField } from './fields';
import { lineItemsFromFields, lineItemsFromJson, subtotal } from './lineItems';

/**
 * Creates a paylink: makes the request from the form, refuses combinations that cannot work, and
 * returns the link with what it is for. The form is in `fields.ts`; line items are read in
 * `lineItems.ts`.
 */

type Form = ValuesOf<typeof fields>;

/** Undefined if the paylink is for an amount. */
function lineItemsOf(form: Form, fieldError: FieldError): PaylinkLineItem[] | undefined {
	if (form.pricingMode === 'amount') return undefined;
	const lineItems =
		form.lineItemsInput === 'json'
			? lineItemsFromJson(form.lineItemsJson, fieldError)
			: lineItemsFromFields(form.lineItems?.items ?? [], fieldError);
	if (lineItems.length === 0) throw fieldError("'Line Items' are empty: add at least one");
	return lineItems;
}

/** Converts cents to the unit that the gateway is sent. A percentage is the same in any unit. */
function inUnit(
	value: FixedOrPercent | undefined,
	centsPerUnit: number,
): FixedOrPercent | undefined {
	if (value?.type !== 'fixed') return value;
	return { ...value, amount: value.amount / centsPerUnit };
}

function pricingOf(
	{ amount, pricing }: Form,
	lineItems: PaylinkLineItem[] | undefined,
	centsPerUnit: number,
): PaylinkPricing {
	const { methodVerifyOrProcess, tip, tax, shipping, discountCodes } = pricing;
	return withoutEmpty({
		methodVerifyOrProcess: methodVerifyOrProcess || 'process',
		amount: amount && amount / centsPerUnit,
		// Always in cents: the document says so of a price. It gives no unit for the other amounts.
		lineItems,
		// The type is always sent, since a default of the gateway might read cents as percent.
		tip: inUnit(tip, centsPerUnit)?.amount,
		tipType: tip?.type,
		tax: inUnit(tax, centsPerUnit)?.amount,
		taxType: tax?.type,
		shipping: shipping && shipping / centsPerUnit,
		discountCodes,
	});
}

/** The error message for a combination of fields that cannot work; undefined if there is none. */
function wrongCombination(
	{ customer, linkOptions }: Form,
	pricing: PaylinkPricing,
	dynamic: DynamicData = {},
): string | undefined {
	const { customerId, customerPaymentId } = customer;
	const { disableCard, disableAch, disableCustomAddress, disableCustomPayment, validUntil } =
		linkOptions;
	const bothFilled = (one: string, other: string) =>
		`'${one}' and '${other}' are both filled in: remove one of them`;
	/** Each message, with what it is about. */
	const problems: Readonly<Record<string, unknown>> = {
		// Verifying a card needs no amount.
		[`'${amountField.displayName}' must be at least 0.01, not 0`]:
			pricing.amount === 0 && pricing.methodVerifyOrProcess === 'process',
		[bothFilled(tipField.displayName, cartTip.displayName)]:
			pricing.tip !== undefined && dynamic.tip,
		[bothFilled('Discount Codes', cartDiscountCodes.displayName)]:
			pricing.discountCodes && dynamic.discountCodes,
		"'Disable Card' and 'Disable ACH' are both on, so nobody could pay: switch one off":
			disableCard && disableAch,
		"'Saved Payment Method' needs an 'Existing Customer'": !customerId && customerPaymentId,
		"'Disable Custom Payment' needs an 'Existing Customer'": !customerId && disableCustomPayment,
		"'Disable Custom Address' needs at least one field of 'Customer', such as 'Address'":
			disableCustomAddress && isEmpty(withoutEmpty(customer)),
		"'Valid Until' is in the past: choose a later date":
			validUntil && Date.parse(validUntil) <= Date.now(),
	};
	return Object.keys(problems).find((message) => problems[message]);
}

export const create = operation({
	name: 'Create',
	action: 'Create paylink',
	description: 'Create a link to a payment page that you can send to a customer',
	fields,
	run: async (form, ctx) => {
		const fieldError: FieldError = (message) => ctx.fieldError(message, NOTHING_SENT);
		const { customerId, customerPaymentId, ...prefilled } = form.customer;
		const { disableAch, disableCard, onFailureUrl, onSuccessUrl, ...sameName } = form.linkOptions;
		const lineItems = lineItemsOf(form, fieldError);
		const centsPerUnit = form.options.sendAmountsAs === 'major' ? 100 : 1;
		const pricing = pricingOf(form, lineItems, centsPerUnit);
		const tip = inUnit(form.dynamicData.tip, centsPerUnit);
		const dynamic = readAdjustments({ ...form.dynamicData, tip });
		const wrong = wrongCombination(form, pricing, dynamic);
		if (wrong !== undefined) throw fieldError(wrong);
		const request: PaylinkForm = {
			pricing,
			...withoutEmpty({
				...sameName,
				meta: dynamic && { dynamic },
				disableACH: disableAch,
				disableCC: disableCard,
				onFailureURL: onFailureUrl,
				onSuccessURL: onSuccessUrl,
				referenceID: form.referenceId,
				customerID: customerId && (await idOfCustomer(ctx, customerId)),
				customerPaymentID: customerPaymentId?.value,
				prefilledAddress: withoutEmpty(prefilled),
			}),
		};
		const { data } = await ctx.client.call('createCheckoutData', { form: request });
		// As entered: the gateway adds tax and fees and takes off discounts.
		const cents = form.amount ?? subtotal(lineItems ?? []);
		return {
			url: data.url,
			amountFormatted: cents === undefined ? null : formatDollars(cents),
			referenceID: form.referenceId || null,
			amount: cents === undefined ? null : majorUnitsOf(cents, CART_CURRENCY),
			payLinkID: data.payLinkID,
			token: data.token,
			groupID: data.groupID,
			paymentData: data.paymentData,
		};
	},
});
