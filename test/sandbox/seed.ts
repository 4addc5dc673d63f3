import type { Instrument, PaylinkForm, Product } from '../../nodes/PaymentsGateway/wire';
import { payPaylink } from './checkout';
import { createPaylink } from './paylink';
import { refundPayment, takePayment } from './payment';
import { DECLINED_CARD_TOKEN } from './paymentMethod';
import { payerOf } from './transaction';
import { credentials, type World } from './world';

/**
 * Customers, products, paylinks and some days of payments to begin with. The demo and `npm run
 * sandbox -- --seed` start from it.
 */

const HOUR = 3_600_000;

const people: ReadonlyArray<[name: string, city: string, state: string, zip: string]> = [
	['Amara Okafor', 'Portland', 'OR', '97205'],
	['Ben Castellano', 'Austin', 'TX', '78701'],
	['Chiara Lindqvist', 'Madison', 'WI', '53703'],
	['Daniel Abrams', 'Boulder', 'CO', '80302'],
	['Elena Petrova', 'Seattle', 'WA', '98101'],
	['Farid Haddad', 'Dearborn', 'MI', '48126'],
	['Grace Whitfield', 'Savannah', 'GA', '31401'],
	['Hiro Tanaka', 'Edison', 'NJ', '08817'],
];

const terms = { recurringMode: 'MONTHLY', recurringInterval: 1, recurringFrequency: 1 };
const trial = { recurringTotalCycles: 12, recurringTrialDays: 7, recurringSetupFee: 0 };
const monthly = { isRecurring: true, ...terms, ...trial, recurringRefundable: false };

const products: ReadonlyArray<
	[id: string, sku: string, name: string, text: string, price: number, terms?: Product]
> = [
	['prod_coffee', 'COFFEE-1LB', 'House Blend Coffee', 'One pound, whole beans', 1850],
	['prod_mug', 'MUG-BLUE', 'Blue Mug', 'Stoneware, 12 oz', 1400],
	['prod_workshop', 'WORKSHOP', 'Barista Workshop', 'Saturday morning, one seat', 9500],
	['prod_club', 'CLUB-MONTHLY', 'Coffee Club', 'A new roast every month', 1000, monthly],
];

const card = (cardToken: string): Instrument => ({
	card: { cardToken, cvc: '123', expiryDate: '12/39' },
});
const account: Instrument = {
	ach: { accountNumber: '000123456705', routingNumber: '110000000' },
};
const instruments: readonly Instrument[] = [
	...['tok_visa_4242', 'tok_mastercard_4444', 'tok_amex_0005'].map(card),
	account,
];

const customerID = (index: number): string => `cus_${1001 + index}`;

function seedCustomers({ state }: World): void {
	for (const [index, [nameOnCard, billingCity, billingState, billingZip]] of people.entries()) {
		const mailbox = nameOnCard.toLowerCase().replace(' ', '.');
		const form = {
			...{ nameOnCard, billingCity, billingState, billingZip, billingCountry: 'US' },
			email: `${mailbox}@example.com`,
			phone: `+1 555 01${String(index).padStart(2, '0')}`,
			billingAddress: `${100 + index * 7} Maple Street`,
		};
		state.customers.add({ ...form, ...instruments[index % 4] }, customerID(index));
	}
	state.customers.addMethod(customerID(0), account);
	state.customers.addMethod(customerID(1), card(DECLINED_CARD_TOKEN));
}

function keepOrder({ state }: World, number: number, productIds: string[], customer = '') {
	return state.keepCart({
		referenceID: `ORDER-${number}`,
		lineItems: productIds.map((productId) => ({ productId })),
		tax: { percentage: 8.5 },
		shipping: 500,
		surcharge: { card: { percentage: 2 } },
		customerID: customer,
	});
}

/** Five days of payments, oldest first: every eighth declined, every tenth refunded. */
function seedHistory(world: World, now: number): void {
	const { state, clock } = world;
	for (let index = 0; index < 36; index++) {
		clock.set(new Date(now - (36 - index) * 3.3 * HOUR - index * 61_000));
		const customer = state.customers.detail(customerID((index * 3) % people.length));
		const [method] = state.customers.methods(customer.id);
		const [product = ''] = products[index % 3] ?? [];
		if (!method) continue;
		const { transactionID, declined } = takePayment(world, {
			cart: keepOrder(world, 1001 + index, [product], customer.id),
			dynamicData: {},
			payer: payerOf(customer.id, customer),
			...{ method, groupID: credentials.groupID, via: 'api', declines: index % 8 === 3 },
		});
		if (declined !== '' || index % 10 !== 7) continue;
		clock.advance(HOUR);
		refundPayment(world, transactionID, index === 17 ? 1000 : undefined);
	}
}

function seedPaylinks(world: World, now: number): void {
	const [saved] = world.state.customers.methods(customerID(0));
	const place = { address: '142 Maple Street', city: 'Savannah', state: 'GA', zip: '31401' };
	const email = 'grace.whitfield@example.com';
	const grace = { nameOnCard: 'Grace Whitfield', email, ...place, country: 'US' };
	const lines = (...ids: string[]) => ids.map((productId) => ({ productId, amount: 1 }));
	const order = { tax: 8.5, taxType: 'percentage', shipping: 500 } as const;
	const links: Record<string, PaylinkForm> = {
		'INV-2001': { pricing: { amount: 2500 } },
		'ORDER-2002': {
			pricing: { lineItems: lines('prod_coffee', 'prod_mug'), ...order },
			...{ allowTip: true, allowExtraDiscount: true },
		},
		'CLUB-2003': { pricing: { lineItems: lines('prod_club') } },
		'ORDER-2004': {
			pricing: { lineItems: lines('prod_workshop') },
			...{ customerID: customerID(0), customerPaymentID: saved?.cardID ?? '' },
			disableCustomPayment: true,
		},
		'INV-2005': {
			pricing: { amount: 12000 },
			...{ prefilledAddress: grace, disableCustomAddress: true },
		},
		'INV-2006': {
			pricing: { amount: 4000 },
			validUntil: new Date(now - 24 * HOUR).toISOString(),
		},
		'INV-2007': { pricing: { amount: 7500 } },
	};
	const made = Object.entries(links).map(([referenceID, link]) =>
		createPaylink(world, credentials.groupID, { referenceID, ...link }),
	);
	const paid = made.at(-1);
	if (paid) payPaylink(world, paid);
}

/** A small shop with some days of payments. Moves the clock meanwhile, and back in the end. */
export function seedState(world: World): void {
	const { state, clock } = world;
	const now = clock.now().getTime();
	seedCustomers(world);
	for (const [id, sku, name, description, price, terms] of products) {
		state.keepProduct({ id, sku, name, description, price, ...terms });
	}
	seedHistory(world, now);
	clock.set(new Date(now - HOUR));
	seedPaylinks(world, now);
	keepOrder(world, 3001, ['prod_coffee', 'prod_mug']);
	clock.reset();
}
