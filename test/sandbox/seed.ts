import type { CustomerForm, Instrument, PaylinkForm } from '../../nodes/PaymentsGateway/wire';
import { payPaylink } from './checkout';
import { createPaylink } from './paylink';
import { refundPayment, takePayment } from './payment';
import { DECLINED_CARD_TOKEN } from './paymentMethod';
import type { StoredCart } from './cart';
import type { StoredProduct } from './state';
import { credentials, type World } from './world';

/**
 * Customers, products, paylinks and some days of payments to begin with. The demo and `npm run
 * sandbox -- --seed` start from it.
 */

const HOUR = 3_600_000;

const people: ReadonlyArray<readonly [name: string, city: string, state: string, zip: string]> = [
	['Amara Okafor', 'Portland', 'OR', '97205'],
	['Ben Castellano', 'Austin', 'TX', '78701'],
	['Chiara Lindqvist', 'Madison', 'WI', '53703'],
	['Daniel Abrams', 'Boulder', 'CO', '80302'],
	['Elena Petrova', 'Seattle', 'WA', '98101'],
	['Farid Haddad', 'Dearborn', 'MI', '48126'],
	['Grace Whitfield', 'Savannah', 'GA', '31401'],
	['Hiro Tanaka', 'San Jose', 'CA', '95113'],
	['Ines Carvalho', 'Providence', 'RI', '02903'],
	['Jonas Weber', 'Milwaukee', 'WI', '53202'],
	['Keisha Bryant', 'Atlanta', 'GA', '30303'],
	['Liam O’Donnell', 'Boston', 'MA', '02108'],
	['Mei Huang', 'Oakland', 'CA', '94612'],
	['Noah Fischer', 'Denver', 'CO', '80202'],
	['Olivia Marsh', 'Nashville', 'TN', '37203'],
	['Pablo Reyes', 'Tucson', 'AZ', '85701'],
	['Quinn Gallagher', 'Chicago', 'IL', '60606'],
	['Rosa Delgado', 'El Paso', 'TX', '79901'],
	['Samir Patel', 'Edison', 'NJ', '08817'],
	['Tessa Vandermeer', 'Grand Rapids', 'MI', '49503'],
	['Umar Siddiqui', 'Houston', 'TX', '77002'],
	['Vera Novak', 'Cleveland', 'OH', '44113'],
	['Wesley Grant', 'Raleigh', 'NC', '27601'],
	['Ximena Torres', 'Miami', 'FL', '33130'],
	['Yusuf Demir', 'Brooklyn', 'NY', '11201'],
];

const products: readonly StoredProduct[] = [
	{
		id: 'prod_coffee',
		sku: 'COFFEE-1LB',
		name: 'House Blend Coffee',
		description: 'One pound, whole beans',
		price: 1850,
	},
	{
		id: 'prod_mug',
		sku: 'MUG-BLUE',
		name: 'Blue Mug',
		description: 'Stoneware, 12 oz',
		price: 1400,
	},
	{
		id: 'prod_workshop',
		sku: 'WORKSHOP',
		name: 'Barista Workshop',
		description: 'Saturday morning, one seat',
		price: 9500,
	},
	{
		id: 'prod_club',
		sku: 'CLUB-MONTHLY',
		name: 'Coffee Club',
		description: 'A new roast every month',
		price: 1000,
		isRecurring: true,
		recurringMode: 'MONTHLY',
		recurringInterval: 1,
		recurringFrequency: 1,
		recurringTotalCycles: 12,
		recurringTrialDays: 7,
		recurringSetupFee: 0,
		recurringRefundable: false,
	},
];

const cardTokens = ['tok_visa_4242', 'tok_mastercard_4444', 'tok_amex_0005', 'tok_discover_1117'];

function instrument(index: number): Instrument {
	if (index % 8 === 5) {
		return {
			ach: {
				accountNumber: `00012345${6700 + index}`,
				routingNumber: '110000000',
				accountType: 'CHECKING',
				accountHolderType: 'PERSONAL',
			},
		};
	}
	const month = String((index % 12) + 1).padStart(2, '0');
	return {
		card: {
			cardToken: cardTokens[index % cardTokens.length] ?? 'tok_visa_4242',
			cvc: '123',
			expiryDate: `${month}/${36 + (index % 3)}`,
		},
	};
}

function form(name: string, city: string, state: string, zip: string, index: number): CustomerForm {
	const mailbox = name
		.toLowerCase()
		.replace(/[^a-z ]/g, '')
		.replace(/ /g, '.');
	return {
		nameOnCard: name,
		email: `${mailbox}@example.com`,
		phone: `+1 555 01${String(index).padStart(2, '0')}`,
		billingAddress: `${100 + index * 7} ${index % 2 ? 'Oak' : 'Maple'} Street`,
		billingCity: city,
		billingState: state,
		billingZip: zip,
		billingCountry: 'US',
	};
}

const customerID = (index: number): string => `cus_${1001 + index}`;

function cart(
	world: World,
	referenceID: string,
	lines: ReadonlyArray<readonly [productId: string, amount: number]>,
	customer = '',
): StoredCart {
	return world.state.keepCart({
		referenceID,
		lineItems: lines.map(([id, amount]) => ({ product: world.state.product(id), amount })),
		amount: 0,
		tax: { percentage: 8.5 },
		shipping: 500,
		fees: 0,
		discount: 0,
		tip: 0,
		discountCodes: [],
		surcharge: { card: { percentage: 2 } },
		allowEdit: true,
		allowExtraDiscount: true,
		allowTip: true,
		onSuccessUrl: '',
		onFailureUrl: '',
		customerID: customer,
		preset: {},
	});
}

/** Five days of payments, oldest first: every eighth declined, every tenth refunded. */
function seedHistory(world: World, now: number): void {
	const { state, clock } = world;
	for (let index = 0; index < 36; index++) {
		clock.set(new Date(now - (36 - index) * 3.3 * HOUR - index * 61_000));
		const customer = state.customers.detail(customerID((index * 7) % people.length));
		const [saved] = state.customers.methods(customer.id);
		const product = products[index % 3]?.id ?? 'prod_coffee';
		const lines: Array<[string, number]> = [[product, 1 + (index % 2)]];
		const outcome = takePayment(world, {
			cart: cart(world, `ORDER-${1001 + index}`, lines, customer.id),
			dynamicData: {},
			payer: {
				customerID: customer.id,
				name: customer.nameOnCard,
				email: customer.email,
				phone: customer.phone,
				country: customer.billingCountry,
				address: `${customer.billingAddress}, ${customer.billingCity}`,
			},
			instrument: saved?.instrument ?? {
				type: 'card',
				brand: 'VISA',
				last4: '4242',
				expires: '12/39',
				declined: false,
			},
			groupID: credentials.groupID,
			via: 'api',
			outcome: index % 8 === 3 ? 'declined' : 'paid',
		});
		if (outcome.paid && index % 10 === 7) {
			clock.advance(HOUR);
			const half = index === 17 ? Math.floor(outcome.cart.breakdown.total / 2) : undefined;
			refundPayment(world, outcome.transactionID, half);
		}
	}
}

function seedPaylinks(world: World, now: number): void {
	const { state } = world;
	const [saved] = state.customers.methods(customerID(0));
	const links: PaylinkForm[] = [
		{ referenceID: 'INV-2001', pricing: { amount: 2500 } },
		{
			referenceID: 'ORDER-2002',
			pricing: {
				lineItems: [
					{ productId: 'prod_coffee', amount: 2 },
					{ productId: 'prod_mug', amount: 1 },
				],
				tax: 8.5,
				taxType: 'percentage',
				shipping: 500,
			},
			allowTip: true,
			allowExtraDiscount: true,
		},
		{
			referenceID: 'CLUB-2003',
			pricing: { lineItems: [{ productId: 'prod_club', amount: 1 }] },
		},
		{
			referenceID: 'ORDER-2004',
			pricing: { lineItems: [{ productId: 'prod_workshop', amount: 1 }] },
			customerID: customerID(0),
			customerPaymentID: saved?.method.cardID ?? '',
			disableCustomPayment: true,
		},
		{
			referenceID: 'INV-2005',
			pricing: { amount: 12000 },
			prefilledAddress: {
				nameOnCard: 'Grace Whitfield',
				email: 'grace.whitfield@example.com',
				phone: '+1 555 0106',
				address: '142 Maple Street',
				city: 'Savannah',
				state: 'GA',
				zip: '31401',
				country: 'US',
			},
			disableCustomAddress: true,
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
	if (paid) payPaylink(world, paid.payLinkID, {});
}

/** A small shop with some days of payments. Moves the clock meanwhile, and back in the end. */
export function seedState(world: World): void {
	const { state, clock } = world;
	const now = clock.now().getTime();
	people.forEach(([name, city, region, zip], index) => {
		const customer = form(name, city, region, zip, index);
		state.customers.add(customer, instrument(index), customerID(index));
	});
	state.customers.addMethod(customerID(0), instrument(5));
	state.customers.addMethod(customerID(1), {
		card: { cardToken: DECLINED_CARD_TOKEN, cvc: '123', expiryDate: '12/39' },
	});
	for (const product of products) state.products.set(product.id, product);
	seedHistory(world, now);
	clock.set(new Date(now - HOUR));
	seedPaylinks(world, now);
	cart(world, 'ORDER-3001', [
		['prod_coffee', 1],
		['prod_mug', 1],
	]);
	clock.reset();
}
