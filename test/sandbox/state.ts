import { randomBytes } from 'node:crypto';
import type {
	Cart,
	PaylinkForm,
	PaylinkLineItem,
	Product,
	WebhookEvent,
} from '../../nodes/PaymentsGateway/wire';
import { type CartLine, computeCart, plainCart, type StoredCart } from './cart';
import { Customers, type StoredCustomer } from './customer';
import { EventLog } from './event';
import { identifier } from './identifier';
import { Refusal } from './refusal';
import type { Occurrence } from './transaction';

/**
 * All that the sandbox remembers: customers, products, carts, paylinks, charges and events. A reset
 * starts a new state; `kept()` writes one to text for a later start.
 */

/** A charge that was really made. */
export interface Charge {
	transactionID: string;
	amount: number;
	referenceID: string;
	paymentData: string;
	via: 'api' | 'page';
	at: string;
}

/** A payment with what has been refunded of it. */
export interface Capture {
	occurrence: Occurrence;
	cart: Cart;
	refunded: number;
}

export interface StoredPaylink {
	payLinkID: string;
	groupID: string;
	url: string;
	paymentData: string;
	referenceID: string;
	form: PaylinkForm;
	status: 'open' | 'paid' | 'partly refunded' | 'refunded';
	/** Empty until it is paid. */
	transactionID: string;
}

export type StoredProduct = CartLine['product'] & { id: string };

/** What is left out of a cart gets a sensible value; the three permissions are true. */
export interface CartInput extends Partial<Omit<StoredCart, 'paymentData' | 'lineItems'>> {
	/** By product ID, or with a product of their own. The quantity is 1 when left out. */
	lineItems?: Array<Partial<PaylinkLineItem>>;
}

/** Raised whenever a state of before could not be read any more. */
const FORMAT = 2;

interface Kept {
	format: number;
	customers: StoredCustomer[];
	products: StoredProduct[];
	carts: StoredCart[];
	paylinks: StoredPaylink[];
	captures: Capture[];
	charges: Charge[];
	logs: Array<[groupID: string, events: WebhookEvent[]]>;
	samples: number;
}

export class State {
	customers = new Customers();
	readonly products = new Map<string, StoredProduct>();
	readonly carts = new Map<string, StoredCart>();
	readonly paylinks = new Map<string, StoredPaylink>();
	readonly captures = new Map<string, Capture>();
	readonly charges: Charge[] = [];
	readonly logs = new Map<string, EventLog>();
	/** Numbers the samples, so that names and emails differ. */
	private samples = 0;

	nextSample(): number {
		return ++this.samples;
	}

	log(groupID: string): EventLog {
		const log = this.logs.get(groupID) ?? new EventLog();
		this.logs.set(groupID, log);
		return log;
	}

	/** All of it as JSON, from which a later process can go on. */
	kept(): string {
		return JSON.stringify({
			format: FORMAT,
			customers: this.customers.all(),
			products: [...this.products.values()],
			carts: [...this.carts.values()],
			paylinks: [...this.paylinks.values()],
			captures: [...this.captures.values()],
			charges: this.charges,
			logs: [...this.logs].map(([groupID, log]) => [groupID, log.all()]),
			samples: this.samples,
		} satisfies Kept);
	}

	/** Undefined for what an older version has kept. */
	static restored(text: string): State | undefined {
		const kept: Kept = JSON.parse(text);
		if (kept.format !== FORMAT) return undefined;
		const state = new State();
		state.customers = new Customers(kept.customers);
		for (const product of kept.products) state.products.set(product.id, product);
		for (const cart of kept.carts) state.carts.set(cart.paymentData, cart);
		for (const paylink of kept.paylinks) state.paylinks.set(paylink.payLinkID, paylink);
		for (const each of kept.captures) state.captures.set(each.occurrence.transactionID, each);
		state.charges.push(...kept.charges);
		for (const [groupID, events] of kept.logs) {
			for (const event of events) state.log(groupID).add(Object.freeze(event));
		}
		state.samples = kept.samples;
		return state;
	}

	/** Computes it once before it is kept: an unknown code or SKU is an error of the caller. */
	keepCart(input: CartInput): StoredCart {
		const cart: StoredCart = {
			...plainCart,
			// Long and opaque, as what the service calls encrypted.
			paymentData: randomBytes(120).toString('base64url'),
			...input,
			lineItems: (input.lineItems ?? []).map(({ productId, product, amount = 1 }) => ({
				product: productId === undefined ? filled(product) : this.product(productId),
				amount,
			})),
		};
		computeCart(cart);
		this.carts.set(cart.paymentData, cart);
		return cart;
	}

	cart(paymentData: string): StoredCart {
		const cart = this.carts.get(paymentData);
		if (!cart) throw new Refusal(400, 'data.paymentData cannot be decrypted');
		return cart;
	}

	keepProduct({ id = identifier('prod'), ...product }: Product & { id?: string }): StoredProduct {
		const stored = { id, ...filled(product) };
		this.products.set(id, stored);
		return stored;
	}

	private product(productId: string): StoredProduct {
		const product = this.products.get(productId);
		if (!product) throw new Refusal(404, `Product ${productId} not found`);
		return product;
	}
}

function filled(product: Product = {}): CartLine['product'] {
	return {
		...product,
		sku: product.sku || identifier('SKU'),
		name: product.name ?? 'Product',
		description: product.description ?? '',
		price: product.price ?? 1000,
	};
}
