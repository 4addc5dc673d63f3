import { randomBytes } from 'node:crypto';
import type {
	Paylink,
	PaylinkForm,
	PaylinkLineItem,
	Product,
} from '../../nodes/PaymentsGateway/wire';
import { type CartLine, computeCart, StoredCart } from './cart';
import { Customers } from './customer';
import { EventLog } from './event';
import { identifier } from './identifier';
import type { CaptureTimes } from './paymentMethod';
import { Refusal } from './refusal';
import type { Outcome } from './transaction';

/**
 * The sandbox's data: customers, products, carts, paylinks, charges and events. A reset starts with a
 * new state. `npm start` keeps a snapshot of it until the next start.
 */

/** A charge that was not declined. It may be pending. */
export interface Charge extends Outcome, CaptureTimes {
	paymentData: string;
	via: 'api' | 'page';
	isRefunded: boolean;
}

export interface StoredPaylink extends Omit<Paylink, 'token'> {
	referenceID: string;
	form: PaylinkForm;
}

export type StoredProduct = CartLine['product'] & { id: string };

/** Missing fields get a sensible value. */
export interface CartInput extends Partial<Omit<StoredCart, 'paymentData' | 'lineItems'>> {
	/** By product ID, or with a product of their own. The default quantity is 1. */
	lineItems?: Array<Partial<PaylinkLineItem>>;
}

export type Snapshot = ReturnType<State['snapshot']>;

export class State {
	readonly customers = new Customers();
	readonly products = new Map<string, StoredProduct>();
	readonly carts = new Map<string, StoredCart>();
	readonly paylinks = new Map<string, StoredPaylink>();
	readonly charges: Charge[] = [];
	readonly eventLogs = new Map<string, EventLog>();
	/** Numbers the samples, so that names and emails differ. */
	private samples = 0;

	nextSample(): number {
		return ++this.samples;
	}

	eventLog(groupID: string): EventLog {
		const log = this.eventLogs.get(groupID) ?? new EventLog();
		this.eventLogs.set(groupID, log);
		return log;
	}

	/** Computes the cart before it stores it: an unknown code or SKU is refused here. */
	storeCart({ lineItems = [], ...input }: CartInput): StoredCart {
		const lines = lineItems.map(({ productId, product, amount = 1 }) => ({
			product: productId === undefined ? filled(product) : this.product(productId),
			amount,
		}));
		// Long and opaque, like the gateway's encrypted payment data.
		const paymentData = randomBytes(120).toString('base64url');
		const cart = { ...new StoredCart(), ...input, lineItems: lines, paymentData };
		computeCart(cart);
		this.carts.set(paymentData, cart);
		return cart;
	}

	cart(paymentData: string): StoredCart {
		const cart = this.carts.get(paymentData);
		if (!cart) throw new Refusal(400, 'data.paymentData cannot be decrypted');
		return cart;
	}

	storeProduct({ id, ...product }: Product & { id: string }): void {
		this.products.set(id, { id, ...filled(product) });
	}

	private product(productId: string): StoredProduct {
		const product = this.products.get(productId);
		if (!product) throw new Refusal(404, `Product ${productId} not found`);
		return product;
	}

	/** All data, as JSON can hold it. Events that lag count as listed. */
	snapshot() {
		const eventLogs = [...this.eventLogs].map(
			([groupID, log]) =>
				[groupID, { happened: log.happened(), scheduled: log.scheduled }] as const,
		);
		return {
			customers: this.customers.all(),
			products: [...this.products.values()],
			carts: [...this.carts.values()],
			paylinks: [...this.paylinks.values()],
			charges: this.charges,
			eventLogs: Object.fromEntries(eventLogs),
		};
	}

	/** Events that became due meanwhile happen now, with the date on which they were due. */
	restore({ customers, products, carts, paylinks, charges, eventLogs }: Snapshot, now: Date): void {
		for (const customer of customers) this.customers.store(customer);
		for (const product of products) this.products.set(product.id, product);
		for (const cart of carts) this.carts.set(cart.paymentData, cart);
		for (const paylink of paylinks) this.paylinks.set(paylink.payLinkID, paylink);
		this.charges.push(...charges);
		for (const [groupID, { happened, scheduled }] of Object.entries(eventLogs)) {
			const log = this.eventLog(groupID);
			for (const event of happened) log.add(event);
			for (const event of scheduled) log.record(event, now);
		}
	}
}

function filled(product: Product = {}): CartLine['product'] {
	const { sku = '', name = 'Product', description = '', price = 1000 } = product;
	return { ...product, sku: sku || identifier('SKU'), name, description, price };
}
