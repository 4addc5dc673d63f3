import { readCents, readCentsOrPercentage } from '../../form/amount';
import { isEmpty, withoutEmpty } from '../../form/empty';
import type { Parameters } from '../../form/field';
import type { FieldError } from '../../form/fieldError';
import { cartTip, discountCodes, readAdjustments } from '../../form/fields/cart';
import { operation } from '../../operation/operation';
import { dollarsOf, formatDollars } from '../../output/money';
import type { DynamicData, PaylinkForm, PaylinkLineItem, PaylinkPricing } from '../../wire';
import { customerID } from '../customer/find';
import { fields, MONEY } from './fields';
import { lineItemsFromFields, lineItemsFromJson, subtotal } from './lineItems';

/**
 * Creates a paylink: makes the request from the form, refuses combinations that cannot work, and
 * returns the link with what it is for. The form is in `fields.ts`; line items are read in
 * `lineItems.ts`.
 */

type Form = Parameters<typeof fields>;

/** What is paid for: one sum, or products, whose prices are cents by the gateway's document. */
interface Sold {
	cents?: number;
	lineItems?: PaylinkLineItem[];
}

function soldOf(form: Form, fieldError: FieldError): Sold {
	if (form.pricingMode === 'amount') {
		// Only what is paid must be more than nothing; to verify a card needs no amount.
		const least = (form.pricing.methodVerifyOrProcess || 'process') === 'process' ? 1 : 0;
		return { cents: readCents(MONEY.amount, form.amount ?? '', fieldError, { least }) };
	}
	const lineItems =
		form.lineItemsInput === 'json'
			? lineItemsFromJson(form.lineItemsJson, fieldError)
			: lineItemsFromFields(form.lineItems?.items ?? [], fieldError);
	if (lineItems.length === 0) throw fieldError("'Line Items' are empty: add at least one");
	return { lineItems };
}

/** A sum of cents in the unit that the gateway is to be sent. */
type InUnit = (cents: number) => number;

function pricingOf(
	{ methodVerifyOrProcess, tip, tax, shipping, discountCodes }: Form['pricing'],
	{ cents, lineItems }: Sold,
	inUnit: InUnit,
	fieldError: FieldError,
): PaylinkPricing {
	const read = (label: string, typed: string | undefined) => {
		if (!typed) return undefined;
		const { amount, type } = readCentsOrPercentage(label, typed, fieldError);
		return { amount: type === 'fixed' ? inUnit(amount) : amount, type };
	};
	const [readTip, readTax] = [read(MONEY.tip, tip), read(MONEY.tax, tax)];
	return withoutEmpty({
		methodVerifyOrProcess: methodVerifyOrProcess || 'process',
		amount: cents === undefined ? undefined : inUnit(cents),
		lineItems,
		// The type is always sent, since a default of the gateway might read cents as percent.
		tip: readTip?.amount,
		tipType: readTip?.type,
		tax: readTax?.amount,
		taxType: readTax?.type,
		shipping: shipping && inUnit(readCents(MONEY.shipping, shipping, fieldError)),
		discountCodes,
	});
}

function dynamicOf({ dynamicData }: Form, inUnit: InUnit, fieldError: FieldError) {
	const dynamic = readAdjustments(dynamicData, fieldError);
	if (dynamic?.tip?.type !== 'fixed') return dynamic;
	return { ...dynamic, tip: { ...dynamic.tip, amount: inUnit(dynamic.tip.amount) } };
}

/** Says which combination cannot work; undefined where all of them can. */
function wrongCombination(
	{ customer, linkOptions }: Form,
	pricing: PaylinkPricing,
	dynamic: DynamicData = {},
): string | undefined {
	const { disableCard, disableAch, disableCustomAddress, disableCustomPayment, validUntil } =
		linkOptions;
	const both = (one: string, other: string) =>
		`'${one}' and '${other}' are both filled in: remove one of them`;
	if (pricing.tip !== undefined && dynamic.tip) return both(MONEY.tip, cartTip.displayName);
	if (pricing.discountCodes && dynamic.discountCodes) {
		return both('Discount Codes', discountCodes.displayName);
	}
	if (disableCard && disableAch) {
		return "'Disable Card' and 'Disable ACH' are both on, so nobody could pay";
	}
	if (customer.customerId === undefined) {
		if (customer.customerPaymentId) return "'Saved Payment Method' needs an 'Existing Customer'";
		if (disableCustomPayment) return "'Disable Custom Payment' needs an 'Existing Customer'";
	}
	if (disableCustomAddress && isEmpty(withoutEmpty(customer))) {
		return "'Disable Custom Address' needs an 'Address' or an 'Existing Customer'";
	}
	if (validUntil && Date.parse(validUntil) <= Date.now()) return "'Valid Until' lies in the past";
	return undefined;
}

export const create = operation({
	name: 'Create',
	action: 'Create paylink',
	description: 'Create a link to a payment page that you can send to a customer',
	fields,
	run: async (form, work) => {
		const { client, fieldError } = work;
		const { customerId, customerPaymentId, ...prefilled } = form.customer;
		const { disableAch, disableCard, onFailureUrl, onSuccessUrl, ...sameName } = form.linkOptions;
		const sold = soldOf(form, fieldError);
		const inUnit: InUnit = (cents) =>
			form.options.sendAmountsAs === 'major' ? dollarsOf(cents, 'USD') : cents;
		const pricing = pricingOf(form.pricing, sold, inUnit, fieldError);
		const dynamic = dynamicOf(form, inUnit, fieldError);
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
				customerID: customerId && (await customerID(work, customerId)),
				customerPaymentID: customerPaymentId?.value,
				prefilledAddress: withoutEmpty(prefilled),
			}),
		};
		const answer = await client.call('createCheckoutData', { form: request });
		const { payLinkID, url, paymentData, token, groupID } = answer.data;
		// What was entered: tax, fees and discounts are the gateway's to add.
		const cents = sold.cents ?? subtotal(sold.lineItems ?? []);
		return {
			url,
			amountFormatted: cents === undefined ? null : formatDollars(cents),
			referenceID: form.referenceId || null,
			amount: cents === undefined ? null : dollarsOf(cents, 'USD'),
			payLinkID,
			token,
			groupID,
			paymentData,
		};
	},
});
