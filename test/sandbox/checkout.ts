import type {
	CustomerForm,
	DynamicData,
	PaymentMethod,
	PrefilledAddress,
} from '../../nodes/PaymentsGateway/wire';
import { cents } from './money';
import { standingOf } from './paylink';
import { takePayment } from './payment';
import { methodOf } from './paymentMethod';
import { Refusal } from './refusal';
import type { StoredPaylink } from './state';
import { payerOf } from './transaction';
import type { World } from './world';

/**
 * What happens when somebody pays a paylink: the fields of its form, the payment methods on offer,
 * and the payment itself. The payment page and a test's `pay()` share it.
 */

/** What came from the form. A field that is not there has the value that it opens with. */
export type Typed = ReadonlyMap<string, string>;

type Field = [name: string, label: string, opening: string];

const cardFields: Field[] = [
	['cardNumber', 'Card number', '4242 4242 4242 4242'],
	['expiryDate', 'Expiry (MM/YY)', '12/39'],
	['cvc', 'CVC', '123'],
];
const accountFields: Field[] = [
	['routingNumber', 'Routing number', '110000000'],
	['accountNumber', 'Account number', '000123456789'],
];

const addressFields: Array<[keyof CustomerForm, keyof PrefilledAddress, label: string]> = [
	['nameOnCard', 'nameOnCard', 'Name'],
	['email', 'email', 'Email'],
	['phone', 'phone', 'Phone'],
	['billingCountry', 'country', 'Country'],
	['billingAddress', 'address', 'Address'],
	['billingCity', 'city', 'City'],
	['billingState', 'state', 'State'],
	['billingZip', 'zip', 'ZIP'],
];

/** The fields of the address, which open with what is known of the payer. */
export function addressOf({ state }: World, { form }: StoredPaylink) {
	const { customerID = '', prefilledAddress = {} } = form;
	const customer = state.customers.has(customerID) ? state.customers.detail(customerID) : undefined;
	return addressFields.map(([name, prefilled, label]) => ({
		...{ name, label },
		opening: prefilledAddress[prefilled] ?? customer?.[name] ?? '',
	}));
}

/** A way to pay, as the form offers it. */
export interface Choice {
	/** `card`, `ach`, or the ID of a saved method. */
	value: string;
	saved?: PaymentMethod;
	fields: readonly Field[];
}

/** What the link lets a person choose from. */
export function choicesOf({ state }: World, { form }: StoredPaylink): Choice[] {
	const { customerID = '', customerPaymentID: chosen, disableCustomPayment: isFixed } = form;
	const saved = state.customers.has(customerID) ? state.customers.methods(customerID) : [];
	const choices: Choice[] = saved
		.filter(({ cardID }) => !isFixed || !chosen || cardID === chosen)
		.map((method) => ({ value: method.cardID, saved: method, fields: [] }));
	if (!isFixed) {
		choices.push({ value: 'card', fields: cardFields }, { value: 'ach', fields: accountFields });
	}
	return choices.filter(({ value, saved: method }) =>
		(method?.type ?? value) === 'ach' ? !form.disableACH : !form.disableCC,
	);
}

/** The choice when the page opens; empty for none. */
export function openingChoice(choices: readonly Choice[], { form }: StoredPaylink): string {
	const saved = choices.filter((choice) => choice.saved);
	if (form.disablePreselectCard && saved.length > 0) return '';
	const chosen =
		saved.find(({ value }) => value === form.customerPaymentID) ??
		saved.find((choice) => choice.saved?.isDefault) ??
		choices[0];
	return chosen?.value ?? '';
}

/** The tip and the discount code. */
export function readAdjustments(typed: Typed): DynamicData {
	const tip = (typed.get('tip') ?? '').trim();
	const code = (typed.get('discountCode') ?? '').trim().toUpperCase();
	const amount = cents(tip);
	if (tip !== '' && amount === undefined) {
		throw new Refusal(400, 'The tip must be a number such as 2.50');
	}
	return {
		...(amount !== undefined && { tip: { amount, type: 'fixed' } }),
		...(code !== '' && { discountCodes: [code] }),
	};
}

/** Makes a card token itself: the service's description leaves tokenization out. */
function tokenized(cardNumber: string): string {
	const brands: Record<string, string> = { 3: 'amex', 5: 'mastercard', 6: 'discover' };
	return `tok_${brands[cardNumber.charAt(0)] ?? 'visa'}_${cardNumber.replace(/\D/g, '').slice(-4)}`;
}

function readMethod(world: World, paylink: StoredPaylink, typed: Typed): PaymentMethod {
	const choices = choicesOf(world, paylink);
	const value = typed.get('method') ?? openingChoice(choices, paylink);
	if (value === '') throw new Refusal(400, 'Choose how to pay');
	const choice = choices.find((each) => each.value === value);
	if (!choice) throw new Refusal(400, 'This link cannot be paid in this way');
	if (choice.saved) return choice.saved;
	const { cardNumber, ...details } = Object.fromEntries(
		choice.fields.map(([name, , opening]) => [name, (typed.get(name) ?? opening).trim()]),
	);
	if (cardNumber === undefined) return methodOf({ ach: details });
	return methodOf({ card: { ...details, cardToken: tokenized(cardNumber) } });
}

export function payPaylink(
	world: World,
	paylink: StoredPaylink,
	typed: Typed = new Map(),
	declines = false,
) {
	if (paylink.status !== 'open') throw new Refusal(400, 'This link has been paid already');
	if (standingOf(paylink, world) === 'expired') throw new Refusal(410, 'This link has expired');
	const { form, paymentData, groupID } = paylink;
	const method = readMethod(world, paylink, typed);
	const payer: CustomerForm = {};
	for (const { name, opening } of addressOf(world, paylink)) {
		payer[name] = form.disableCustomAddress ? opening : (typed.get(name) ?? opening).trim();
	}
	return takePayment(world, {
		cart: world.state.cart(paymentData),
		dynamicData: {
			paymentType: method.type === 'ach' ? 'ach' : 'card',
			...readAdjustments(typed),
		},
		payer: payerOf(form.customerID ?? '', payer),
		...{ method, groupID, via: 'page', declines },
	});
}
