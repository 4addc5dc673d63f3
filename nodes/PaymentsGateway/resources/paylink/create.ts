import type { DynamicData, PaylinkForm, PaylinkPricing } from '../../wire';
import { amountOf, percentageOf } from '../../form/amount';
import type { AmountUnit } from '../../form/amount';
import { adjustments } from '../../form/adjustments';
import { filledIn, isEmpty } from '../../form/filledIn';
import { cartAdjustmentsWithType } from '../../form/fields/cart';
import { guardFound } from '../../form/written';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';
import type { Work } from '../../operation/operation';
import type { Complain } from '../../form/complain';
import type { Parameters } from '../../form/field';
import { formatDollars } from '../../output/money';
import {
	amount,
	amountUnit,
	customer,
	lineItems,
	lineItemsInput,
	lineItemsJson,
	linkOptions,
	pricing,
	pricingMode,
	referenceId,
} from './fields';
import { lineItemsFromFields, lineItemsFromJson, subtotal } from './lineItems';

/**
 * Creates a paylink: makes the request from the form, refuses combinations that cannot work, and
 * returns the link with its amount where that is known. The form is in `fields.ts`; line items are
 * read in `lineItems.ts`.
 */

const fields = [
	amountUnit,
	pricingMode,
	...amount,
	lineItemsInput,
	lineItems,
	lineItemsJson,
	referenceId,
	customer,
	pricing,
	linkOptions,
	{ ...cartAdjustmentsWithType, displayName: 'Cart Adjustments (Advanced)' },
] as const;

type Filled = Parameters<typeof fields>;

const MAJOR_UNITS = 'Set "Amount Unit" to Major Units to enter dollars';

function pricingOf(filled: Filled, work: Work): PaylinkPricing {
	const { complain } = work;
	const { amountUnit: unit, pricing } = filled;
	guardFound(work, {
		path: 'pricing.methodVerifyOrProcess',
		label: 'Processing Method',
		value: pricing.methodVerifyOrProcess ?? '',
		advice: 'Remove the field to take the payment at once.',
	});
	const named = unit === 'major' ? 'Dollars' : 'Cents';
	const money = (label: string, typed: string, least = 0) =>
		amountOf(label, typed, complain, { unit, least, advice: MAJOR_UNITS });
	const either = (label: string, typed: string, type: 'fixed' | 'percentage' | undefined) =>
		type === 'percentage' ? percentageOf(label, typed, complain) : money(label, typed);
	const { tip, tax, shipping } = filledIn(pricing);
	const { discountCodes = [] } = pricing;
	// The type is always sent, since a default of the service might read the cents as percent.
	const { tipType = tip === undefined ? undefined : 'fixed' } = pricing;
	const { taxType = tax === undefined ? undefined : 'fixed' } = pricing;
	return {
		methodVerifyOrProcess: pricing.methodVerifyOrProcess || 'process',
		...(filled.pricingMode === 'amount'
			? { amount: money(`Amount (${named})`, filled.amount ?? '', 1) }
			: { lineItems: lineItemsOf(filled, unit, complain) }),
		...(tip === undefined ? {} : { tip: either(`Tip (${named} or Percent)`, tip, tipType) }),
		...(tax === undefined ? {} : { tax: either(`Tax (${named} or Percent)`, tax, taxType) }),
		...(shipping === undefined ? {} : { shipping: money(`Shipping (${named})`, shipping) }),
		...filledIn({ tipType, taxType }),
		...(discountCodes.length === 0 ? {} : { discountCodes }),
	};
}

function lineItemsOf(filled: Filled, unit: AmountUnit, complain: Complain) {
	return filled.lineItemsInput === 'json'
		? lineItemsFromJson(filled.lineItemsJson, complain)
		: lineItemsFromFields(filled.lineItems?.items ?? [], unit, complain);
}

/** Combinations that cannot work, refused before anything is sent. */
function guardCombinations({ customer, linkOptions: link }: Filled, complain: Complain): void {
	if (link.disableCard && link.disableAch) {
		throw complain('"Disable Card" and "Disable ACH" are both on, so nobody could pay');
	}
	if (customer.customerPaymentId && !customer.customerId) {
		throw complain('"Saved Payment Method" needs an "Existing Customer"');
	}
	if (link.disableCustomPayment && !customer.customerPaymentId) {
		throw complain('"Disable Custom Payment" needs a "Saved Payment Method"');
	}
	if (link.disableCustomAddress && isEmpty(filledIn(customer.prefilledAddress?.details ?? {}))) {
		throw complain('"Disable Custom Address" needs a "Prefilled Address"');
	}
	if (link.validUntil !== undefined && Date.parse(link.validUntil) <= Date.now()) {
		throw complain(`"Valid Until" lies in the past: ${link.validUntil}`);
	}
}

/** What the link will ask for; undefined where only the service knows it: with tax, a code, a tip. */
function knownAmount(
	{ amount, lineItems = [], ...rest }: PaylinkPricing,
	dynamic: DynamicData = {},
): number | undefined {
	const changes = [rest.tip, rest.tax, rest.shipping, rest.discountCodes];
	const adjusted = [dynamic.tip, dynamic.discountCodes, dynamic.quantityAmounts];
	if ([...changes, ...adjusted].some(Boolean)) return undefined;
	return amount ?? subtotal(lineItems);
}

export const create = operation({
	name: 'Create',
	action: 'Create a paylink',
	description: 'Create a link to a payment page that you can send to a customer',
	fields,
	run: async (filled, work) => {
		const { customer, linkOptions: link } = filled;
		const pricing = pricingOf(filled, work);
		const dynamic = adjustments(filled.dynamicData, work.complain);
		guardCombinations(filled, work.complain);
		const address = filledIn(customer.prefilledAddress?.details ?? {});
		const { disableCard, disableAch, onSuccessUrl, onFailureUrl, ...sameName } = link;
		const data: PaylinkForm = {
			pricing,
			...(dynamic === undefined ? {} : { meta: { dynamic } }),
			...filledIn({
				...sameName,
				disableCC: disableCard,
				disableACH: disableAch,
				onSuccessURL: onSuccessUrl,
				onFailureURL: onFailureUrl,
				referenceID: filled.referenceId,
				customerPaymentID: customer.customerPaymentId?.value,
			}),
			...(customer.customerId ? { customerID: await customerID(work, customer.customerId) } : {}),
			...(isEmpty(address) ? {} : { prefilledAddress: address }),
		};
		const answer = await work.client.call('createCheckoutData', { form: data });
		const { payLinkID, url, paymentData, token, groupID } = answer.data;
		const amount = knownAmount(pricing, dynamic);
		return {
			payLinkID,
			url,
			paymentData,
			token,
			groupID,
			...filledIn({ referenceID: filled.referenceId }),
			...(amount === undefined ? {} : { amount, amountFormatted: formatDollars(amount) }),
		};
	},
});
