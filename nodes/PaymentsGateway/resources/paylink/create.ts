import type { DynamicData, PaylinkForm, PaylinkPricing } from '../../wire';
import { amountOf, percentageOf } from '../../form/amount';
import { adjustments } from '../../form/adjustments';
import { checkedEmail } from '../../form/email';
import { filledIn, isEmpty } from '../../form/filledIn';
import { cartAdjustmentsWithType, CART_TIP, discountCodes } from '../../form/fields/cart';
import { optionsOf } from '../../form/fields/options';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';
import type { Complain } from '../../form/complain';
import type { Parameters } from '../../form/field';
import { formatDollars, majorOf } from '../../output/money';
import {
	amount,
	customer,
	lineItems,
	lineItemsInput,
	lineItemsJson,
	linkOptions,
	MONEY,
	pricing,
	pricingMode,
	referenceId,
	sendAmountsAs,
} from './fields';
import { lineItemsFromFields, lineItemsFromJson, subtotal } from './lineItems';

/**
 * Creates a paylink: makes the request from the form, refuses combinations that cannot work, and
 * returns the link with what it is for. The form is in `fields.ts`; line items are read in
 * `lineItems.ts`.
 */

const fields = [
	pricingMode,
	amount,
	lineItemsInput,
	lineItems,
	lineItemsJson,
	referenceId,
	customer,
	pricing,
	linkOptions,
	optionsOf([sendAmountsAs]),
	{ ...cartAdjustmentsWithType, displayName: 'Cart Adjustments (Advanced)' },
] as const;

type Filled = Parameters<typeof fields>;

/** All sums of money are in cents. */
function pricingOf(filled: Filled, complain: Complain): PaylinkPricing {
	const { pricing } = filled;
	const money = (label: string, typed: string, least = 0) =>
		amountOf(label, typed, complain, { least });
	const either = (label: string, typed: string, type: 'fixed' | 'percentage' | undefined) =>
		type === 'percentage' ? percentageOf(label, typed, complain) : money(label, typed);
	const { tip, tax, shipping } = filledIn(pricing);
	const { discountCodes = [] } = pricing;
	// The type is always sent, since a default of the service might read the cents as percent.
	const { tipType = tip === undefined ? undefined : 'fixed' } = pricing;
	const { taxType = tax === undefined ? undefined : 'fixed' } = pricing;
	const methodVerifyOrProcess = pricing.methodVerifyOrProcess ?? 'process';
	// Only what is paid must be more than nothing; to verify a card needs no amount.
	const least = methodVerifyOrProcess === 'process' ? 1 : 0;
	return {
		methodVerifyOrProcess,
		...(filled.pricingMode === 'amount'
			? { amount: money(MONEY.amount, filled.amount ?? '', least) }
			: { lineItems: lineItemsOf(filled, complain) }),
		...(tip === undefined ? {} : { tip: either(MONEY.tip, tip, tipType) }),
		...(tax === undefined ? {} : { tax: either(MONEY.tax, tax, taxType) }),
		...(shipping === undefined ? {} : { shipping: money(MONEY.shipping, shipping) }),
		...filledIn({ tipType, taxType }),
		...(discountCodes.length === 0 ? {} : { discountCodes }),
	};
}

function lineItemsOf(filled: Filled, complain: Complain) {
	return filled.lineItemsInput === 'json'
		? lineItemsFromJson(filled.lineItemsJson, complain)
		: lineItemsFromFields(filled.lineItems?.items ?? [], complain);
}

/** The same pricing with its sums in dollars. Prices of products are cents by the service's document. */
function inDollars({ amount, shipping, tip, tax, ...rest }: PaylinkPricing): PaylinkPricing {
	const dollars = (cents: number | undefined) => cents && majorOf(cents, 'USD');
	return {
		...rest,
		...filledIn({
			amount: dollars(amount),
			shipping: dollars(shipping),
			tip: rest.tipType === 'percentage' ? tip : dollars(tip),
			tax: rest.taxType === 'percentage' ? tax : dollars(tax),
		}),
	};
}

/** Combinations that cannot work, refused before anything is sent. */
function guardCombinations(
	{ customer, linkOptions: link }: Filled,
	pricing: PaylinkPricing,
	dynamic: DynamicData | undefined,
	complain: Complain,
): void {
	if (pricing.tip !== undefined && dynamic?.tip) {
		throw complain(`'${MONEY.tip}' and '${CART_TIP}' are both filled in: remove one of them`);
	}
	if (pricing.discountCodes && dynamic?.discountCodes) {
		throw complain(
			`'Discount Codes' and '${discountCodes.displayName}' are both filled in: remove one of them`,
		);
	}
	if (link.disableCard && link.disableAch) {
		throw complain("'Disable Card' and 'Disable ACH' are both on, so nobody could pay");
	}
	if (customer.customerPaymentId && !customer.customerId) {
		throw complain("'Saved Payment Method' needs an 'Existing Customer'");
	}
	if (link.disableCustomPayment && !customer.customerId) {
		throw complain("'Disable Custom Payment' needs an 'Existing Customer'");
	}
	if (link.disableCustomAddress && isEmpty(filledIn(customer))) {
		throw complain("'Disable Custom Address' needs an 'Address' or an 'Existing Customer'");
	}
	if (link.validUntil !== undefined && Date.parse(link.validUntil) <= Date.now()) {
		throw complain(`'Valid Until' lies in the past: ${link.validUntil}`);
	}
}

export const create = operation({
	name: 'Create',
	action: 'Create paylink',
	description: 'Create a link to a payment page that you can send to a customer',
	fields,
	run: async (filled, work) => {
		const { complain } = work;
		const { customerId, customerPaymentId, email, ...rest } = filled.customer;
		const prefilled = { ...rest, email: email && checkedEmail('Email', email, complain) };
		const pricing = pricingOf(filled, complain);
		const dynamic = adjustments(filled.dynamicData, complain);
		guardCombinations(filled, pricing, dynamic, complain);
		const prefilledAddress = filledIn(prefilled);
		const { disableCard, disableAch, onSuccessUrl, onFailureUrl, ...sameName } = filled.linkOptions;
		const data: PaylinkForm = {
			pricing: filled.options.sendAmountsAs === 'major' ? inDollars(pricing) : pricing,
			...(dynamic === undefined ? {} : { meta: { dynamic } }),
			...filledIn({
				...sameName,
				disableCC: disableCard,
				disableACH: disableAch,
				onSuccessURL: onSuccessUrl,
				onFailureURL: onFailureUrl,
				referenceID: filled.referenceId,
				customerPaymentID: customerPaymentId?.value,
			}),
			...(customerId ? { customerID: await customerID(work, customerId) } : {}),
			...(isEmpty(prefilledAddress) ? {} : { prefilledAddress }),
		};
		const answer = await work.client.call('createCheckoutData', { form: data });
		const { payLinkID, url, paymentData, token, groupID } = answer.data;
		const cents = pricing.amount ?? subtotal(pricing.lineItems ?? []);
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
