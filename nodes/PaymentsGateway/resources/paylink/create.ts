import type {
	AmountType,
	DynamicData,
	PaylinkForm,
	PaylinkLineItem,
	PaylinkPricing,
} from '../../wire';
import { amountOf, percentageOf } from '../../form/amount';
import { adjustments } from '../../form/adjustments';
import { checkedEmail } from '../../form/email';
import { filledIn, isEmpty } from '../../form/filledIn';
import { CART_TIP, discountCodes } from '../../form/fields/cart';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';
import type { Complain } from '../../form/complain';
import type { Parameters } from '../../form/field';
import { formatDollars, majorOf } from '../../output/money';
import { fields, MONEY } from './fields';
import { lineItemsFromFields, lineItemsFromJson, subtotal } from './lineItems';

/**
 * Creates a paylink: makes the request from the form, refuses combinations that cannot work, and
 * returns the link with what it is for. The form is in `fields.ts`; line items are read in
 * `lineItems.ts`.
 */

type Filled = Parameters<typeof fields>;

/** What is paid for: one sum, or products, whose prices are cents by the service's document. */
function soldOf(filled: Filled, complain: Complain): { cents?: number; items?: PaylinkLineItem[] } {
	if (filled.pricingMode === 'lineItems') {
		const items =
			filled.lineItemsInput === 'json'
				? lineItemsFromJson(filled.lineItemsJson, complain)
				: lineItemsFromFields(filled.lineItems?.items ?? [], complain);
		return { items };
	}
	// Only what is paid must be more than nothing; to verify a card needs no amount.
	const least = (filled.pricing.methodVerifyOrProcess ?? 'process') === 'process' ? 1 : 0;
	return { cents: amountOf(MONEY.amount, filled.amount ?? '', complain, { least }) };
}

function pricingOf(
	{ pricing, options }: Filled,
	{ cents, items }: ReturnType<typeof soldOf>,
	complain: Complain,
): PaylinkPricing {
	const { tip, tax, shipping, discountCodes = [] } = pricing;
	// The type is always sent, since a default of the service might read the cents as percent.
	const { tipType = tip ? 'fixed' : undefined, taxType = tax ? 'fixed' : undefined } = pricing;
	const asSent = (sum: number) => (options.sendAmountsAs === 'major' ? majorOf(sum, 'USD') : sum);
	const money = (label: string, typed: string) => asSent(amountOf(label, typed, complain));
	const either = (label: string, typed: string, type: AmountType | undefined) =>
		type === 'percentage' ? percentageOf(label, typed, complain) : money(label, typed);
	return {
		methodVerifyOrProcess: pricing.methodVerifyOrProcess ?? 'process',
		...(cents !== undefined && { amount: asSent(cents) }),
		...(items && { lineItems: items }),
		...(tip && { tip: either(MONEY.tip, tip, tipType) }),
		...(tipType && { tipType }),
		...(tax && { tax: either(MONEY.tax, tax, taxType) }),
		...(taxType && { taxType }),
		...(shipping && { shipping: money(MONEY.shipping, shipping) }),
		...(discountCodes.length > 0 && { discountCodes }),
	};
}

/** Combinations that cannot work, refused before anything is sent. */
function guardCombinations(
	{ customer, linkOptions }: Filled,
	pricing: PaylinkPricing,
	dynamic: DynamicData | undefined,
	complain: Complain,
): void {
	const { customerId, customerPaymentId } = customer;
	const { disableCard, disableAch, validUntil } = linkOptions;
	const both = (one: string, other: string) =>
		`'${one}' and '${other}' are both filled in: remove one of them`;
	const wrong: Array<[unknown, string]> = [
		[pricing.tip !== undefined && dynamic?.tip, both(MONEY.tip, CART_TIP)],
		[
			pricing.discountCodes && dynamic?.discountCodes,
			both('Discount Codes', discountCodes.displayName),
		],
		[
			disableCard && disableAch,
			"'Disable Card' and 'Disable ACH' are both on, so nobody could pay",
		],
		[customerPaymentId && !customerId, "'Saved Payment Method' needs an 'Existing Customer'"],
		[
			linkOptions.disableCustomPayment && !customerId,
			"'Disable Custom Payment' needs an 'Existing Customer'",
		],
		[
			linkOptions.disableCustomAddress && isEmpty(filledIn(customer)),
			"'Disable Custom Address' needs an 'Address' or an 'Existing Customer'",
		],
		[
			validUntil !== undefined && Date.parse(validUntil) <= Date.now(),
			`'Valid Until' lies in the past: ${validUntil}`,
		],
	];
	const found = wrong.find(([isWrong]) => isWrong);
	if (found) throw complain(found[1]);
}

export const create = operation({
	name: 'Create',
	action: 'Create paylink',
	description: 'Create a link to a payment page that you can send to a customer',
	fields,
	run: async (filled, work) => {
		const { complain } = work;
		const { linkOptions } = filled;
		const { customerId, customerPaymentId, email, ...rest } = filled.customer;
		const prefilledAddress = filledIn({
			...rest,
			email: email && checkedEmail('Email', email, complain),
		});
		const sold = soldOf(filled, complain);
		const pricing = pricingOf(filled, sold, complain);
		const dynamic = adjustments(filled.dynamicData, complain);
		guardCombinations(filled, pricing, dynamic, complain);
		const form: PaylinkForm = {
			pricing,
			...(dynamic && { meta: { dynamic } }),
			...filledIn({
				allowEdit: linkOptions.allowEdit,
				allowExtraDiscount: linkOptions.allowExtraDiscount,
				allowTip: linkOptions.allowTip,
				disableACH: linkOptions.disableAch,
				disableCC: linkOptions.disableCard,
				disableCustomAddress: linkOptions.disableCustomAddress,
				disableCustomPayment: linkOptions.disableCustomPayment,
				disablePreselectCard: linkOptions.disablePreselectCard,
				onFailureURL: linkOptions.onFailureUrl,
				onSuccessURL: linkOptions.onSuccessUrl,
				validUntil: linkOptions.validUntil,
				referenceID: filled.referenceId,
				customerPaymentID: customerPaymentId?.value,
			}),
			...(customerId && { customerID: await customerID(work, customerId) }),
			...(isEmpty(prefilledAddress) ? {} : { prefilledAddress }),
		};
		const answer = await work.client.call('createCheckoutData', { form });
		const { payLinkID, url, paymentData, token, groupID } = answer.data;
		const cents = sold.cents ?? subtotal(sold.items ?? []);
		return {
			payLinkID,
			url,
			paymentData,
			token,
			groupID,
			referenceID: filled.referenceId || null,
			// What was entered: tax, fees and discounts are the service's to add.
			amount: cents === undefined ? null : majorOf(cents, 'USD'),
			amountFormatted: cents === undefined ? null : formatDollars(cents),
		};
	},
});
