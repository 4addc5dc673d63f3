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

const names = [
	...['Amara Okafor', 'Ben Castellano', 'Chiara Lindqvist', 'Daniel Abrams', 'Elena Petrova'],
	...['Farid Haddad', 'Grace Whitfield', 'Hiro Tanaka', 'Ines Carvalho', 'Jonas Weber'],
	...['Keisha Bryant', 'Liam O’Donnell', 'Mei Huang', 'Noah Fischer', 'Olivia Marsh'],
	...['Pablo Reyes', 'Quinn Gallagher', 'Rosa Delgado', 'Samir Patel', 'Tessa Vandermeer'],
	...['Umar Siddiqui', 'Vera Novak', 'Wesley Grant', 'Ximena Torres', 'Yusuf Demir'],
];

/** City, state and ZIP. */
const places = [
	['Portland', 'OR', '97205'],
	['Austin', 'TX', '78701'],
	['Madison', 'WI', '53703'],
	['Boulder', 'CO', '80302'],
	['Seattle', 'WA', '98101'],
	['Dearborn', 'MI', '48126'],
	['Savannah', 'GA', '31401'],
	['Edison', 'NJ', '08817'],
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

const cardTokens = ['tok_visa_4242', 'tok_mastercard_4444', 'tok_amex_0005', 'tok_discover_1117'];

function instrument(index: number): Instrument {
	if (index % 8 === 5) {
		const accountNumber = `00012345${6700 + index}`;
		return { ach: { accountNumber, routingNumber: '110000000' } };
	}
	const month = String((index % 12) + 1).padStart(2, '0');
	const cardToken = cardTokens[index % cardTokens.length] ?? '';
	return { card: { cardToken, cvc: '123', expiryDate: `${month}/${36 + (index % 3)}` } };
}

const customerID = (index: number): string => `cus_${1001 + index}`;

function seedCustomers({ state }: World): void {
	names.forEach((name, index) => {
		const [city = '', region = '', zip = ''] = places[index % places.length] ?? [];
		const mailbox = name
			.toLowerCase()
			.replace(/[^a-z ]/g, '')
			.replace(/ /g, '.');
		const form = {
			nameOnCard: name,
			email: `${mailbox}@example.com`,
			phone: `+1 555 01${String(index).padStart(2, '0')}`,
			billingAddress: `${100 + index * 7} ${index % 2 ? 'Oak' : 'Maple'} Street`,
			billingCity: city,
			billingState: region,
			billingZip: zip,
			billingCountry: 'US',
		};
		state.customers.add({ ...form, ...instrument(index) }, customerID(index));
	});
	state.customers.addMethod(customerID(0), instrument(5));
	state.customers.addMethod(customerID(1), {
		card: { cardToken: DECLINED_CARD_TOKEN, cvc: '123', expiryDate: '12/39' },
	});
}

function keepOrder(
	{ state }: World,
	number: number,
	amounts: Record<string, number>,
	customer = '',
) {
	return state.keepCart({
		referenceID: `ORDER-${number}`,
		lineItems: Object.entries(amounts).map(([productId, amount]) => ({ productId, amount })),
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
		const customer = state.customers.detail(customerID((index * 7) % names.length));
		const [method] = state.customers.methods(customer.id);
		const [product = ''] = products[index % 3] ?? [];
		if (!method) continue;
		const cart = keepOrder(world, 1001 + index, { [product]: 1 + (index % 2) }, customer.id);
		const { transactionID, declined } = takePayment(world, {
			cart,
			dynamicData: {},
			payer: payerOf(customer.id, customer),
			method,
			groupID: credentials.groupID,
			via: 'api',
			declines: index % 8 === 3,
		});
		if (declined !== '' || index % 10 !== 7) continue;
		clock.advance(HOUR);
		refundPayment(world, transactionID, index === 17 ? 1000 : undefined);
	}
}

function seedPaylinks(world: World, now: number): void {
	const [saved] = world.state.customers.methods(customerID(0));
	const [email, phone] = ['grace.whitfield@example.com', '+1 555 0106'];
	const place = { address: '142 Maple Street', city: 'Savannah', state: 'GA', zip: '31401' };
	const grace = { nameOnCard: 'Grace Whitfield', email, phone, ...place, country: 'US' };
	const lines = (...ids: string[]) => ids.map((productId) => ({ productId, amount: 1 }));
	const order = { tax: 8.5, taxType: 'percentage', shipping: 500 } as const;
	const links: PaylinkForm[] = [
		{ referenceID: 'INV-2001', pricing: { amount: 2500 } },
		{
			referenceID: 'ORDER-2002',
			pricing: { lineItems: lines('prod_coffee', 'prod_mug'), ...order },
			...{ allowTip: true, allowExtraDiscount: true },
		},
		{ referenceID: 'CLUB-2003', pricing: { lineItems: lines('prod_club') } },
		{
			referenceID: 'ORDER-2004',
			pricing: { lineItems: lines('prod_workshop') },
			...{ customerID: customerID(0), customerPaymentID: saved?.cardID ?? '' },
			disableCustomPayment: true,
		},
		{
			referenceID: 'INV-2005',
			pricing: { amount: 12000 },
			...{ prefilledAddress: grace, disableCustomAddress: true },
		},
		{
			referenceID: 'INV-2006',
			pricing: { amount: 4000 },
			validUntil: new Date(now - 24 * HOUR).toISOString(),
		},
		{ referenceID: 'INV-2007', pricing: { amount: 7500 } },
	];
	const made = links.map((link) => createPaylink(world, credentials.groupID, link));
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
	keepOrder(world, 3001, { prod_coffee: 1, prod_mug: 1 });
	clock.reset();
}
