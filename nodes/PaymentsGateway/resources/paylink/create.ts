import type {
	AmountType,
	DynamicData,
	PaylinkForm,
	PaylinkLineItem,
	PaylinkPricing,
} from '../../wire';
import { amountOf, amountOrPercentageOf } from '../../form/amount';
import type { AsSent } from '../../form/amount';
import { adjustments } from '../../form/adjustments';
import { checkedEmail } from '../../form/email';
import { filledIn, isEmpty } from '../../form/filledIn';
import { CART_TIP, discountCodes } from '../../form/fields/cart';
import { operation } from '../../operation/operation';
import type { FieldError } from '../../form/fieldError';
import type { Parameters } from '../../form/field';
import { formatDollars, majorOf } from '../../output/money';
import { customerID } from '../customer/find';
import { fields, MONEY } from './fields';
import { lineItemsFromFields, lineItemsFromJson, subtotal } from './lineItems';

/**
 * Creates a paylink: makes the request from the form, refuses combinations that cannot work, and
 * returns the link with what it is for. The form is in `fields.ts`; line items are read in
 * `lineItems.ts`.
 */

type Filled = Parameters<typeof fields>;

/** What is paid for: one sum, or products, whose prices are cents by the gateway's document. */
interface Sold {
	cents?: number;
	lineItems?: PaylinkLineItem[];
}

function soldOf(filled: Filled, fieldError: FieldError): Sold {
	if (filled.pricingMode === 'amount') {
		// Only what is paid must be more than nothing; to verify a card needs no amount.
		const least = (filled.pricing.methodVerifyOrProcess ?? 'process') === 'process' ? 1 : 0;
		return { cents: amountOf(MONEY.amount, filled.amount ?? '', fieldError, { least }) };
	}
	const lineItems =
		filled.lineItemsInput === 'json'
			? lineItemsFromJson(filled.lineItemsJson, fieldError)
			: lineItemsFromFields(filled.lineItems?.items ?? [], fieldError);
	if (lineItems.length === 0) throw fieldError("'Line Items' are empty: add at least one");
	return { lineItems };
}

function pricingOf(
	{ pricing }: Filled,
	{ cents, lineItems }: Sold,
	asSent: AsSent,
	fieldError: FieldError,
): PaylinkPricing {
	const { methodVerifyOrProcess = 'process', tip, tax, shipping, discountCodes } = pricing;
	// The type is always sent, since a default of the gateway might read the cents as percent.
	const { tipType = tip ? 'fixed' : undefined, taxType = tax ? 'fixed' : undefined } = pricing;
	const read = (label: string, typed: string | undefined, type: AmountType = 'fixed') =>
		typed ? amountOrPercentageOf(label, typed, type, fieldError, asSent) : undefined;
	return filledIn({
		methodVerifyOrProcess,
		amount: cents === undefined ? undefined : asSent(cents),
		lineItems,
		tip: read(MONEY.tip, tip, tipType),
		tipType,
		tax: read(MONEY.tax, tax, taxType),
		taxType,
		shipping: shipping && asSent(amountOf(MONEY.shipping, shipping, fieldError)),
		discountCodes,
	});
}

/** Combinations that cannot work, refused before anything is sent. */
function guardCombinations(
	{ customer, linkOptions }: Filled,
	pricing: PaylinkPricing,
	dynamic: DynamicData = {},
	fieldError: FieldError,
): void {
	const hasCustomer = customer.customerId !== undefined;
	const { disableCard, disableAch, disableCustomAddress, disableCustomPayment, validUntil } =
		linkOptions;
	const needsCustomer = (label: string) => `'${label}' needs an 'Existing Customer'`;
	const both = (one: string, other: string) =>
		`'${one}' and '${other}' are both filled in: remove one of them`;
	const hasTwoCodes = pricing.discountCodes && dynamic.discountCodes;
	const wrong: Array<[unknown, string]> = [
		[pricing.tip !== undefined && dynamic.tip, both(MONEY.tip, CART_TIP)],
		[hasTwoCodes, both('Discount Codes', discountCodes.displayName)],
		[
			disableCard && disableAch,
			"'Disable Card' and 'Disable ACH' are both on, so nobody could pay",
		],
		[customer.customerPaymentId && !hasCustomer, needsCustomer('Saved Payment Method')],
		[disableCustomPayment && !hasCustomer, needsCustomer('Disable Custom Payment')],
		[
			disableCustomAddress && isEmpty(filledIn(customer)),
			"'Disable Custom Address' needs an 'Address' or an 'Existing Customer'",
		],
		[
			validUntil !== undefined && Date.parse(validUntil) <= Date.now(),
			"'Valid Until' lies in the past",
		],
	];
	for (const [isWrong, words] of wrong) if (isWrong) throw fieldError(words);
}

export const create = operation({
	name: 'Create',
	action: 'Create paylink',
	description: 'Create a link to a payment page that you can send to a customer',
	fields,
	run: async (filled, work) => {
		const { client, fieldError } = work;
		const { customerId, customerPaymentId, email, ...prefilled } = filled.customer;
		const { disableAch, disableCard, onFailureUrl, onSuccessUrl, ...sameName } = filled.linkOptions;
		const checked = email && checkedEmail(email, fieldError);
		const sold = soldOf(filled, fieldError);
		const asSent: AsSent = (cents) =>
			filled.options.sendAmountsAs === 'major' ? majorOf(cents, 'USD') : cents;
		const pricing = pricingOf(filled, sold, asSent, fieldError);
		const dynamic = adjustments(filled.dynamicData, fieldError, asSent);
		guardCombinations(filled, pricing, dynamic, fieldError);
		const form: PaylinkForm = {
			pricing,
			...filledIn({
				...sameName,
				meta: dynamic && { dynamic },
				disableACH: disableAch,
				disableCC: disableCard,
				onFailureURL: onFailureUrl,
				onSuccessURL: onSuccessUrl,
				referenceID: filled.referenceId,
				customerID: customerId && (await customerID(work, customerId)),
				customerPaymentID: customerPaymentId?.value,
				prefilledAddress: filledIn({ ...prefilled, email: checked }),
			}),
		};
		const answer = await client.call('createCheckoutData', { form });
		const { payLinkID, url, paymentData, token, groupID } = answer.data;
		// What was entered: tax, fees and discounts are the gateway's to add.
		const cents = sold.cents ?? subtotal(sold.lineItems ?? []);
		return {
			url,
			amountFormatted: cents === undefined ? null : formatDollars(cents),
			referenceID: filled.referenceId || null,
			amount: cents === undefined ? null : majorOf(cents, 'USD'),
			payLinkID,
			token,
			groupID,
			paymentData,
		};
	},
});
