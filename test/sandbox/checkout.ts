import type {
	Ach,
	Card,
	DynamicData,
	PaymentType,
	PrefilledAddress,
} from '../../nodes/PaymentsGateway/wire';
import type { Part } from './cart';
import { isExpired } from './paylink';
import { type PaymentOutcome, takePayment } from './payment';
import {
	achInstrument,
	cardInstrument,
	type PayingInstrument,
	type SavedMethod,
} from './paymentMethod';
import { Refusal } from './refusal';
import type { StoredPaylink } from './state';
import type { World } from './world';

/**
 * What happens when somebody pays a paylink: which payment methods are offered, which one is
 * preselected, and the payment itself. The payment page and a test's `pay()` share it.
 */

/** What a person does on the payment page. All of it is optional. */
export interface PageOrder {
	outcome?: 'paid' | 'declined';
	tip?: Part;
	discountCode?: string;
	/** `cardID` of a saved method of the link's customer. */
	savedMethodID?: string;
	card?: Card;
	ach?: Ach;
	/** Says which kind of new method to pay with when no details are given. */
	paymentType?: PaymentType;
	address?: PrefilledAddress;
}

export const testCard: Required<Card> = {
	cardToken: 'tok_visa_4242',
	cvc: '123',
	expiryDate: '12/39',
};
export const testAccount: Required<Ach> = {
	accountNumber: '000123456789',
	routingNumber: '110000000',
	accountType: 'CHECKING',
	accountHolderType: 'PERSONAL',
};

export function findPaylink({ state }: World, payLinkID: string): StoredPaylink {
	const paylink = state.paylinks.get(payLinkID);
	if (!paylink) throw new Refusal(404, `Paylink ${payLinkID} not found`);
	return paylink;
}

/** The saved methods that the link lets a person choose from. */
export function offeredMethods({ state }: World, { form }: StoredPaylink): SavedMethod[] {
	const { customerID, customerPaymentID } = form;
	if (!customerID || !state.customers.has(customerID)) return [];
	return state.customers.methods(customerID).filter(({ method, instrument }) => {
		if (form.disableCustomPayment && customerPaymentID && method.cardID !== customerPaymentID) {
			return false;
		}
		return instrument.type === 'ach' ? !form.disableACH : !form.disableCC;
	});
}

/** The method chosen beforehand, unless the link says that none is. */
export function preselectedMethod(world: World, paylink: StoredPaylink): SavedMethod | undefined {
	const offered = offeredMethods(world, paylink);
	return (
		offered.find(({ method }) => method.cardID === paylink.form.customerPaymentID) ??
		offered.find(({ method }) => method.isDefault) ??
		offered[0]
	);
}

export function newMethodsOffered({ form }: StoredPaylink): PaymentType[] {
	if (form.disableCustomPayment) return [];
	const offered: PaymentType[] = [];
	if (!form.disableCC) offered.push('card');
	if (!form.disableACH) offered.push('ach');
	return offered;
}

/** What the address fields start with. */
export function knownAddress(
	{ state }: World,
	{ form }: StoredPaylink,
): Required<PrefilledAddress> {
	const { customerID = '', prefilledAddress = {} } = form;
	const customer = state.customers.has(customerID) ? state.customers.detail(customerID) : undefined;
	return {
		nameOnCard: prefilledAddress.nameOnCard ?? customer?.nameOnCard ?? '',
		email: prefilledAddress.email ?? customer?.email ?? '',
		phone: prefilledAddress.phone ?? customer?.phone ?? '',
		address: prefilledAddress.address ?? customer?.billingAddress ?? '',
		city: prefilledAddress.city ?? customer?.billingCity ?? '',
		state: prefilledAddress.state ?? customer?.billingState ?? '',
		zip: prefilledAddress.zip ?? customer?.billingZip ?? '',
		country: prefilledAddress.country ?? customer?.billingCountry ?? '',
	};
}

function chosenInstrument(
	world: World,
	paylink: StoredPaylink,
	{ savedMethodID, card, ach, paymentType }: PageOrder,
): PayingInstrument {
	if (savedMethodID !== undefined) {
		const saved = offeredMethods(world, paylink).find(
			({ method }) => method.cardID === savedMethodID,
		);
		if (!saved) throw new Refusal(400, 'This saved payment method cannot be used here');
		return saved.instrument;
	}
	const isNew = card !== undefined || ach !== undefined || paymentType !== undefined;
	const preselected = preselectedMethod(world, paylink);
	if (!isNew && preselected) return preselected.instrument;
	if (paylink.form.disableCustomPayment) {
		throw new Refusal(400, 'Only the saved payment method can be used on this link');
	}
	const offered = newMethodsOffered(paylink);
	const type = ach ? 'ach' : card ? 'card' : (paymentType ?? offered[0]);
	if (type === undefined || !offered.includes(type)) {
		const name = type === 'ach' ? 'a bank account' : 'a card';
		throw new Refusal(400, `This link cannot be paid with ${name}`);
	}
	return type === 'ach' ? achInstrument(ach ?? testAccount) : cardInstrument(card ?? testCard);
}

export function adjustments({ tip, discountCode }: PageOrder): DynamicData {
	return {
		...(tip !== undefined && {
			tip:
				typeof tip === 'number'
					? { amount: tip, type: 'fixed' }
					: { amount: tip.percentage, type: 'percentage' },
		}),
		...(discountCode && { discountCodes: [discountCode] }),
	};
}

export function payPaylink(world: World, payLinkID: string, order: PageOrder): PaymentOutcome {
	const paylink = findPaylink(world, payLinkID);
	if (paylink.status !== 'open') throw new Refusal(409, 'This link has been paid already');
	if (isExpired(paylink, world)) throw new Refusal(410, 'This link has expired');
	const { form } = paylink;
	const known = knownAddress(world, paylink);
	const address = form.disableCustomAddress ? known : { ...known, ...order.address };
	const instrument = chosenInstrument(world, paylink, order);
	return takePayment(world, {
		cart: world.state.cart(paylink.paymentData),
		dynamicData: {
			paymentType: instrument.type === 'ach' ? 'ach' : 'card',
			...adjustments(order),
		},
		payer: {
			customerID: form.customerID ?? '',
			name: address.nameOnCard,
			email: address.email,
			phone: address.phone,
			country: address.country,
			address: [address.address, address.city, address.state, address.zip]
				.filter(Boolean)
				.join(', '),
		},
		instrument,
		groupID: paylink.groupID,
		via: 'page',
		outcome: order.outcome,
	});
}
