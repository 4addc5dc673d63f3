import type { Ach, Card, CustomerForm } from './customer';

/**
 * Carts and payments, in the gateway's own spelling, and what the words of a status mean. Amounts are
 * whole numbers of cents.
 */

interface WithStatus {
	status: string;
}

/** The gateway says that a charge went through. */
export function isCaptured({ status }: WithStatus): boolean {
	return status.toUpperCase() === 'CAPTURED';
}

/** The gateway says that no money moved. */
export function isDeclined({ status }: WithStatus): boolean {
	return /^(declined|failed|refused|rejected|voided)$/i.test(status);
}

/** Words for a charge that has moved money, or may yet. */
const STANDS =
	/captured|pending|submitted|authori[sz]ed|process(?!or)|accepted|approved|settl|succe|complete|paid|on.?hold|(?<![a-z])held|review|requires.?capture|received|queue|initiat|^unknown$|time.?out/i;

/** Such as PROCESSOR_DECLINED, NOT_AUTHORIZED and UNSUCCESSFUL, in which one of them stands. */
const FALLS =
	/declin|fail|refus|reject|denied|error|void|invalid|incomplete|cancel|block|exceed|cannot|disappr|prepaid|unavail|non(paid|capt)|un(a|paid|succ|proc|sett|capt)|(?<![a-z])not?(?![a-z])/i;

/** The gateway says of a charge that it went through, or may. */
export function mayStand({ status }: WithStatus): boolean {
	return STANDS.test(status) && !FALLS.test(status);
}

/** Also as REFUND_PENDING and IN_REVIEW. */
const NOT_DONE =
	/pending|processing|in[ _-]?progress|queued|scheduled|awaiting|review|^(?:requested|initiated|received|submitted|voided|cancell?ed|denied|expired)$/i;

/**
 * A refund that is under way, or was called off. Of one that says voided nobody can tell whether it
 * was, or its payment.
 */
export function isRefundNotDone({ status }: WithStatus): boolean {
	return NOT_DONE.test(status);
}

/** A payment that was called off, or a refund of it. */
export function isVoid({ status }: WithStatus): boolean {
	return /^(?:void|cancel)/i.test(status);
}

/** The money of a refund has not gone back, or not yet. */
export function hasNotGoneBack(refund: WithStatus): boolean {
	return isRefundNotDone(refund) || FALLS.test(refund.status);
}

const SAYS_CHARGED =
	/\bduplicate\W*$|duplicated? (?:transaction|payment|charge|order|sale|request|reference|invoice)|\b(?:already|was|been|previously) (?:been )?(?:fully |successfully )?(?:paid|charged|captured|processed|settled|completed|succeeded|confirmed)\b|\balready (?:been )?(?:made|received|submitted)\b|\b(?:transaction|payment|charge)\b.{0,99}\balready exists\b|\b(?:invoice|order) is paid\b|\bidempotency\b/i;

/** As in "You have not been charged"; by "not been charged again" it was. */
const NOT_DONE_YET =
	/(?:\b(?:not|never|nothing|no (?:charges?|payments?|transactions?|money|funds))|n['’]t)(?: has| have)?(?: already| previously| yet)? (?:was|were|been)\b(?! \w+ (?:again|twice)\b)/gi;

/** Words of a refusal, or a code such as DUPLICATE_TRANSACTION, by which it was charged before. */
export function saysCharged(words: string): boolean {
	return SAYS_CHARGED.test(words.replaceAll('_', ' ').replace(NOT_DONE_YET, ''));
}

const ONLY_FAILED =
	/^(?:(?:the |this |your )?(?:payment|transaction|charge|card)[ _]?)?(?:was |has been |is )?(?:declined?|failed|failure|error|denied|rejected|refused|unsuccessful)\W*$/i;

/** Words that say no more than that it failed: what stands beside them says why. */
export function saysOnlyFailed(words: string): boolean {
	return ONLY_FAILED.test(words);
}

export type PaymentType = 'card' | 'ach';

export type AmountType = 'fixed' | 'percentage';

export interface DynamicData {
	paymentType?: PaymentType;
	discountCodes?: string[];
	tip?: { amount: number; type: AmountType };
	quantityAmounts?: Array<{ id: string; quantity: number }>;
}

export interface LineItem {
	product: { sku: string; name: string; description: string; price: number };
	/** How many of them. */
	amount: number;
	total: number;
}

export interface Cart {
	breakdown: {
		subtotal: number;
		discount: number;
		tax: number;
		shipping: number;
		fees: number;
		tip: number;
		total: number;
	};
	lineItems: LineItem[];
	discountBreakdown: unknown[];
	allowEdit: boolean;
	allowExtraDiscount: boolean;
	allowTip: boolean;
	referenceID: string;
	onSuccessUrl: string;
	onFailureUrl: string;
}

export interface CustomerInfo extends Omit<CustomerForm, 'phone'> {
	paymentType: PaymentType;
	/** Some gateways want a bank account here: Charge → ACH Details Key. */
	card?: Card | Ach;
	ach?: Ach;
}
