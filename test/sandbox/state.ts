import { randomBytes } from 'node:crypto';
import type { Cart, PaylinkForm, PaylinkLineItem, Product } from '../../nodes/PaymentsGateway/wire';
import { type CartLine, computeCart, StoredCart } from './cart';
import { Customers } from './customer';
import { EventLog } from './event';
import { identifier } from './identifier';
import type { Settlement } from './paymentMethod';
import { Refusal } from './refusal';
import type { Occurrence } from './transaction';

/**
 * All that the sandbox remembers: customers, products, carts, paylinks, charges and events. A reset
 * starts a new state.
 */

/** A charge that was really made, pending ones included. */
export interface Charge extends Settlement {
	transactionID: string;
	amount: number;
	referenceID: string;
	paymentData: string;
	via: 'api' | 'page';
	occurrence: Occurrence;
	cart: Cart;
	isRefunded: boolean;
}

export interface StoredPaylink {
	payLinkID: string;
	groupID: string;
	url: string;
	paymentData: string;
	referenceID: string;
	form: PaylinkForm;
}

export type StoredProduct = CartLine['product'] & { id: string };

/** What is left out gets a sensible value. */
export interface CartInput extends Partial<Omit<StoredCart, 'paymentData' | 'lineItems'>> {
	/** By product ID, or with a product of their own. The quantity is 1 when left out. */
	lineItems?: Array<Partial<PaylinkLineItem>>;
}

export class State {
	readonly customers = new Customers();
	readonly products = new Map<string, StoredProduct>();
	readonly carts = new Map<string, StoredCart>();
	readonly paylinks = new Map<string, StoredPaylink>();
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

	/** Computes it once before it is kept: an unknown code or SKU is an error of the caller. */
	keepCart({ lineItems = [], ...input }: CartInput): StoredCart {
		const lines = lineItems.map(({ productId, product, amount = 1 }) => ({
			product: productId === undefined ? filled(product) : this.product(productId),
			amount,
		}));
		// Long and opaque, as what the gateway calls encrypted.
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
	const { sku = '', name = 'Product', description = '', price = 1000 } = product;
	return { ...product, sku: sku || identifier('SKU'), name, description, price };
}
