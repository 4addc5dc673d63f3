import type { Cart, PaylinkForm, Product, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import type { StoredCart } from './cart';
import { Customers } from './customer';
import type { KeptCustomer } from './customer';
import { EventLog, webhookEvent } from './event';
import { sealedPaymentData } from './identifier';
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

/** A transaction with what is left of it to refund. */
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
	status: 'open' | 'paid' | 'partiallyRefunded' | 'refunded';
	/** Empty until it is paid. */
	transactionID: string;
}

export interface StoredProduct extends Product {
	id: string;
	sku: string;
	name: string;
	description: string;
	price: number;
}

interface Kept {
	customers: KeptCustomer[];
	products: Array<[string, StoredProduct]>;
	carts: Array<[string, StoredCart]>;
	paylinks: Array<[string, StoredPaylink]>;
	captures: Array<[string, Capture]>;
	charges: Charge[];
	logs: Array<[string, WebhookEvent[]]>;
	samples: number;
}

export class State {
	readonly customers = new Customers();
	readonly products = new Map<string, StoredProduct>();
	readonly carts = new Map<string, StoredCart>();
	readonly paylinks = new Map<string, StoredPaylink>();
	readonly captures = new Map<string, Capture>();
	readonly charges: Charge[] = [];
	private readonly logs = new Map<string, EventLog>();
	/** Numbers the samples, so that names and emails differ. */
	private samples = 0;

	nextSample(): number {
		return ++this.samples;
	}

	log(groupID: string): EventLog {
		const known = this.logs.get(groupID);
		if (known) return known;
		const log = new EventLog();
		this.logs.set(groupID, log);
		return log;
	}

	allLogs(): EventLog[] {
		return [...this.logs.values()];
	}

	/** All of it as JSON, from which a later process can go on. */
	kept(): string {
		return JSON.stringify({
			customers: this.customers.kept(),
			products: [...this.products],
			carts: [...this.carts],
			paylinks: [...this.paylinks],
			captures: [...this.captures],
			charges: this.charges,
			logs: [...this.logs].map(([groupID, log]) => [groupID, log.all()]),
			samples: this.samples,
		} satisfies Kept);
	}

	static restored(text: string): State {
		const kept: Kept = JSON.parse(text);
		const state = new State();
		state.customers.restore(kept.customers);
		for (const [id, product] of kept.products) state.products.set(id, product);
		for (const [id, cart] of kept.carts) state.carts.set(id, cart);
		for (const [id, paylink] of kept.paylinks) state.paylinks.set(id, paylink);
		for (const [id, capture] of kept.captures) state.captures.set(id, capture);
		state.charges.push(...kept.charges);
		for (const [groupID, events] of kept.logs) {
			for (const event of events) state.log(groupID).add(webhookEvent(event));
		}
		state.samples = kept.samples;
		return state;
	}

	record(groupID: string, event: WebhookEvent): WebhookEvent {
		this.log(groupID).record(event);
		return event;
	}

	keepCart(cart: Omit<StoredCart, 'paymentData'>): StoredCart {
		const kept = { ...cart, paymentData: sealedPaymentData() };
		this.carts.set(kept.paymentData, kept);
		return kept;
	}

	cart(paymentData: string): StoredCart {
		const cart = this.carts.get(paymentData);
		if (!cart) throw new Refusal(400, 'data.paymentData cannot be decrypted');
		return cart;
	}

	product(productId: string): StoredProduct {
		const product = this.products.get(productId);
		if (!product) throw new Refusal(404, `Product ${productId} not found`);
		return product;
	}
}
