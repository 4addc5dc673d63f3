import type { Instrument, PaylinkForm, Product } from '../../nodes/PaymentsGateway/wire';
import { createPaylink, payPaylink } from './paylink';
import { refundPayment, takePayment } from './payment';
import {
	CARD_TOKEN,
	createMethod,
	DECLINED_CARD_TOKEN,
	ROUTING_NUMBER,
	TEST_CARD,
} from './paymentMethod';
import { transactionPayer } from './transaction';
import { credentials, type World } from './world';

/**
 * A small shop to begin with: customers, products, paylinks, five days of payments, and invoices. The
 * demo and `npm run sandbox -- --seed` start from it.
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

const products: ReadonlyArray<Product & { id: string; price: number }> = [
	{ id: 'prod_coffee', name: 'House Blend Coffee', description: 'One pound', price: 1850 },
	{ id: 'prod_mug', name: 'Blue Mug', description: 'Stoneware, 12 oz', price: 1400 },
	{ id: 'prod_workshop', name: 'Barista Workshop', description: 'One seat', price: 9500 },
	{
		id: 'prod_club',
		name: 'Coffee Club',
		description: 'A new roast',
		price: 1000,
		isRecurring: true,
		recurringMode: 'MONTHLY',
	},
];

const card = (cardToken: string): Instrument => ({
	card: { ...TEST_CARD, cardToken, cvc: '123' },
});
const account: Instrument = {
	ach: { accountNumber: '000123456705', routingNumber: ROUTING_NUMBER },
};
const instruments: readonly Instrument[] = [
	card(CARD_TOKEN),
	card('tok_mastercard_4444'),
	card('tok_amex_0005'),
	account,
];

const customerID = (index: number): string => `cus_${1001 + index}`;

function seedCustomers({ state }: World): void {
	for (const [index, [nameOnCard, billingCity, billingState, billingZip]] of people.entries()) {
		const given = {
			...instruments[index % 4],
			nameOnCard,
			email: `${nameOnCard.toLowerCase().replace(' ', '.')}@example.com`,
			phone: `+1 555 01${String(index).padStart(2, '0')}`,
			billingAddress: `${100 + index * 7} Maple Street`,
			billingCity,
			billingState,
			billingZip,
			billingCountry: 'US',
		};
		state.customers.add(given, customerID(index));
	}
	state.customers.addMethod(customerID(0), account);
	state.customers.addMethod(customerID(1), card(DECLINED_CARD_TOKEN));
}

function storeOrder({ state }: World, number: number, productIds: string[], customer = '') {
	return state.storeCart({
		referenceID: `ORDER-${number}`,
		lineItems: productIds.map((productId) => ({ productId })),
		tax: { percentage: 8.5 },
		shipping: 500,
		surcharge: { card: { percentage: 2 } },
		customerID: customer,
	});
}

/** Oldest first: every eighth is declined, every tenth refunded unless declined. */
function seedHistory(world: World, now: number): void {
	const { state, clock } = world;
	for (let index = 0; index < 36; index++) {
		clock.set(new Date(now - (36 - index) * 3.3 * HOUR - index * 61_000));
		const customer = state.customers.detail(customerID((index * 3) % people.length));
		const { transactionID, declineMessage } = takePayment(world, {
			cart: storeOrder(world, 1001 + index, [products[index % 3]?.id ?? ''], customer.id),
			dynamicData: {},
			payer: transactionPayer(customer.id, customer),
			method: createMethod(instruments[index % 4] ?? account),
			groupID: credentials.groupID,
			via: 'api',
			forceDecline: index % 8 === 3,
		});
		if (declineMessage !== '' || index % 10 !== 7) continue;
		clock.advance(HOUR);
		refundPayment(world, transactionID);
	}
}

/** Prefills the page for Grace, who pays the invoices. */
function prefillGrace({ state }: World) {
	const { nameOnCard, email } = state.customers.detail(customerID(6));
	return { nameOnCard, email };
}

/** Payments for the invoices of workflow 11, in cents. INV-3002 is left out: nobody paid it. */
const invoicePayments: ReadonlyArray<[string, number, 'paid' | 'declined' | 'refunded']> = [
	['INV-3001', 12000, 'paid'],
	['INV-3003', 4990, 'paid'],
	['INV-3003', 4990, 'paid'],
	['INV-3004', 5800, 'paid'],
	['INV-3005', 3000, 'refunded'],
	['INV-3006', 6000, 'declined'],
];

function seedInvoices(world: World, now: number): void {
	world.clock.set(new Date(now - 30 * HOUR));
	const prefilledAddress = prefillGrace(world);
	for (const [referenceID, amount, outcome] of invoicePayments) {
		world.clock.advance(HOUR);
		const form = { pricing: { amount }, referenceID, prefilledAddress };
		const paylink = createPaylink(world, credentials.groupID, form);
		const forceDecline = outcome === 'declined';
		const { transactionID } = payPaylink(world, paylink, { forceDecline });
		if (outcome === 'refunded') refundPayment(world, transactionID);
	}
}

function seedPaylinks(world: World): void {
	const [saved] = world.state.customers.methods(customerID(0));
	const lines = (...ids: string[]) => ids.map((productId) => ({ productId, amount: 1 }));
	const extras = { tax: 8.5, taxType: 'percentage', shipping: 500 } as const;
	const links: Record<string, PaylinkForm> = {
		'INV-2001': { pricing: { amount: 2500 } },
		'ORDER-2002': { pricing: { lineItems: lines('prod_coffee', 'prod_mug'), ...extras } },
		'CLUB-2003': { pricing: { lineItems: lines('prod_club') } },
		'ORDER-2004': {
			pricing: { lineItems: lines('prod_workshop') },
			customerID: customerID(0),
			customerPaymentID: saved?.cardID ?? '',
			disableCustomPayment: true,
		},
		'INV-2005': { pricing: { amount: 12000 }, prefilledAddress: prefillGrace(world) },
	};
	for (const [referenceID, link] of Object.entries(links)) {
		createPaylink(world, credentials.groupID, { referenceID, ...link });
	}
}

/** Moves the clock while it runs, then resets it to its start. */
export function seedState(world: World): void {
	const now = world.clock.now().getTime();
	seedCustomers(world);
	for (const product of products) world.state.storeProduct(product);
	seedHistory(world, now);
	seedInvoices(world, now);
	world.clock.reset();
	seedPaylinks(world);
	// An unpaid cart: cli.ts prints its payment data.
	storeOrder(world, 3001, ['prod_coffee', 'prod_mug']);
}
