import type { CustomerForm, DynamicData, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
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

export interface Field {
	name: string;
	label: string;
	/** How many of the six columns it takes. */
	width: number;
	/** What it opens with. */
	value?: string;
	autocomplete?: string;
	/** What it takes, and how that is said. */
	pattern?: RegExp;
	shape?: string;
}

type FieldRow = [string, label: string, width: number, value: string, RegExp?, shape?: string];

function fieldsOf(...rows: FieldRow[]): Field[] {
	return rows.map(([name, label, width, value, pattern = /^/, shape = '']) => {
		return { name, label, width, value, pattern, shape };
	});
}

const digits = /^(\d[ -]?){12,19}$/;
const month = /^(0[1-9]|1[0-2])\/\d{2}$/;
const cardFields = fieldsOf(
	['cardNumber', 'Card number', 6, '4242 4242 4242 4242', digits, 'must have 12 to 19 digits'],
	['expiryDate', 'Expiry (MM/YY)', 3, '12/39', month, 'must be written MM/YY'],
	['cvc', 'CVC', 3, '123'],
);
const accountFields = fieldsOf(
	['routingNumber', 'Routing number', 3, '110000000', /^\d{9}$/, 'must have 9 digits'],
	['accountNumber', 'Account number', 3, '000123456789', /^\d{4,17}$/, 'must have 4 to 17 digits'],
);

type AddressName = keyof NonNullable<StoredPaylink['form']['prefilledAddress']>;

type AddressRow = [AddressName, keyof CustomerForm, label: string, width: number, hint: string];

const addressFields: readonly AddressRow[] = [
	['nameOnCard', 'nameOnCard', 'Name', 3, 'name'],
	['email', 'email', 'Email', 3, 'email'],
	['phone', 'phone', 'Phone', 3, 'tel'],
	['country', 'billingCountry', 'Country', 3, 'country'],
	['address', 'billingAddress', 'Address', 6, 'street-address'],
	['city', 'billingCity', 'City', 2, 'address-level2'],
	['state', 'billingState', 'State', 2, 'address-level1'],
	['zip', 'billingZip', 'ZIP', 2, 'postal-code'],
];

/** The fields of the address with what is known of the payer. */
export function knownAddress({ state }: World, { form }: StoredPaylink) {
	const { customerID = '', prefilledAddress = {} } = form;
	const customer = state.customers.has(customerID) ? state.customers.detail(customerID) : undefined;
	return addressFields.map(([name, ofCustomer, label, width, autocomplete]) => ({
		...{ name, ofCustomer, label, width, autocomplete },
		value: prefilledAddress[name] ?? customer?.[ofCustomer] ?? '',
	}));
}

/** A way to pay, as the form offers it. */
export interface Choice {
	/** The value of its radio button: `card`, `ach` or `saved:` with an ID. */
	value: string;
	saved?: PaymentMethod;
	fields: readonly Field[];
}

/** What the link lets a person choose from. */
export function choicesOf({ state }: World, { form }: StoredPaylink): Choice[] {
	const { customerID = '', customerPaymentID: chosen, disableCustomPayment: isFixed } = form;
	const methods = state.customers.has(customerID) ? state.customers.methods(customerID) : [];
	const saved = methods.filter(({ cardID }) => !isFixed || !chosen || cardID === chosen);
	const choices: Choice[] = saved.map((method) => ({
		value: `saved:${method.cardID}`,
		saved: method,
		fields: [],
	}));
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
		saved.find((choice) => choice.saved?.cardID === form.customerPaymentID) ??
		saved.find((choice) => choice.saved?.isDefault) ??
		choices[0];
	return chosen?.value ?? '';
}

export function valueOf({ name, value = '' }: Field, typed: Typed): string {
	return (typed.get(name) ?? value).trim();
}

/** The tip and the discount code. */
export function readAdjustments(typed: Typed): DynamicData {
	const tip = (typed.get('tip') ?? '').trim();
	const code = (typed.get('discountCode') ?? '').trim().toUpperCase();
	const amount = tip === '' ? undefined : cents(tip);
	if (tip !== '' && amount === undefined) {
		throw new Refusal(400, 'The tip must be a number such as 2.50', 'tip');
	}
	return {
		...(amount !== undefined && { tip: { amount, type: 'fixed' } }),
		...(code !== '' && { discountCodes: [code] }),
	};
}

/** Makes a card token itself: the service's description leaves tokenization out. */
function tokenized(cardNumber: string): string {
	const digits = cardNumber.replace(/\D/g, '');
	const brands: Record<string, string> = { 3: 'amex', 5: 'mastercard', 6: 'discover' };
	return `tok_${brands[digits.charAt(0)] ?? 'visa'}_${digits.slice(-4)}`;
}

function readMethod(world: World, paylink: StoredPaylink, typed: Typed): PaymentMethod {
	const choices = choicesOf(world, paylink);
	const value = typed.get('method') ?? openingChoice(choices, paylink);
	if (value === '') throw new Refusal(400, 'Choose how to pay', 'method');
	const choice = choices.find((each) => each.value === value);
	if (!choice) throw new Refusal(400, 'This link cannot be paid in this way', 'method');
	if (choice.saved) return choice.saved;
	const read: Record<string, string> = {};
	for (const field of choice.fields) {
		const text = valueOf(field, typed);
		if (field.pattern && !field.pattern.test(text)) {
			throw new Refusal(400, `${field.label} ${field.shape}`, field.name);
		}
		read[field.name] = text;
	}
	const { cardNumber = '', ...details } = read;
	return methodOf(
		value === 'ach' ? { ach: details } : { card: { ...details, cardToken: tokenized(cardNumber) } },
	);
}

export function payPaylink(
	world: World,
	paylink: StoredPaylink,
	typed: Typed = new Map(),
	declines = false,
) {
	if (paylink.status !== 'open') throw new Refusal(400, 'This link has been paid already');
	if (standingOf(paylink, world) === 'expired') throw new Refusal(410, 'This link has expired');
	const method = readMethod(world, paylink, typed);
	const isFixed = paylink.form.disableCustomAddress === true;
	const payer: CustomerForm = {};
	for (const field of knownAddress(world, paylink)) {
		payer[field.ofCustomer] = isFixed ? field.value : valueOf(field, typed);
	}
	return takePayment(world, {
		cart: world.state.cart(paylink.paymentData),
		dynamicData: {
			paymentType: method.type === 'ach' ? 'ach' : 'card',
			...readAdjustments(typed),
		},
		payer: payerOf(paylink.form.customerID ?? '', payer),
		method,
		groupID: paylink.groupID,
		via: 'page',
		declines,
	});
}
