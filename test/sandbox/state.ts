import type {
	Cart,
	PaylinkForm,
	Product,
	WebhookEvent,
} from '../../nodes/PaymentsGateway/gateway/types';
import type { StoredCart } from './cart';
import { Customers } from './customer';
import { EventLog } from './event';
import { sealedPaymentData } from './identifier';
import { Refusal } from './refusal';
import type { Occurrence } from './transaction';

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

/** All that the service remembers. A reset starts a new one. */
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
