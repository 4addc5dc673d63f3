import { once } from 'node:events';
import type {
	CustomerDetail,
	CustomerForm,
	DynamicData,
	Endpoint,
	Instrument,
	PaylinkForm,
	PaymentMethod,
	PaymentType,
	Product,
	WebhookEvent,
} from '../../nodes/PaymentsGateway/wire';
import type { CartLine, Part, StoredCart } from './cart';
import { Clock } from './clock';
import { type EventInput, webhookEvent } from './event';
import { type Fault, FaultQueue } from './fault';
import { identifier } from './identifier';
import { Limiter } from './limiter';
import { createPaylink } from './paylink';
import { refundPayment } from './payment';
import { type PageOrder, payPaylink } from './checkout';
import { cardInstrument } from './paymentMethod';
import { type RecordedRequest, type RequestBody, RequestLog } from './request';
import { seedState } from './seed';
import { createSandboxServer } from './server';
import { defaultSettings, type Settings } from './settings';
import { type Charge, State, type StoredPaylink, type StoredProduct } from './state';
import { samplePayload } from './transaction';
import { type Credentials, credentials, otherCredentials, type World } from './world';

/**
 * Puts the sandbox together and gives a test its handle: address, credentials, state, faults, clock
 * and log. A test can do here directly what it would otherwise need requests or a browser for.
 */

export interface SandboxOptions {
	/** Default 0: any free one. */
	port?: number;
	/** Where to listen. Default: this machine alone. */
	host?: string;
	/** Starts, and starts over, with customers, products, paylinks and events. */
	seed?: boolean;
	/** A date to stand still at. Default: real time. */
	clock?: Date | string;
	/** What `kept()` has said before: goes on from there, and is not seeded again. */
	kept?: string;
}

export interface CustomerInput extends CustomerForm, Instrument {
	id?: string;
}

/** A line item by product ID, or with a product of its own. */
export interface CartLineInput {
	productId?: string;
	product?: Product;
	/** Quantity, default 1. */
	amount?: number;
}

export interface CartInput {
	referenceID?: string;
	lineItems?: CartLineInput[];
	/** The subtotal of a cart without line items. */
	amount?: number;
	tax?: Part;
	shipping?: Part;
	fees?: Part;
	discount?: Part;
	tip?: Part;
	discountCodes?: string[];
	surcharge?: Partial<Record<PaymentType, Part>>;
	/** The three permissions are true when left out. */
	allowEdit?: boolean;
	allowExtraDiscount?: boolean;
	allowTip?: boolean;
	onSuccessUrl?: string;
	onFailureUrl?: string;
	customerID?: string;
	preset?: DynamicData;
}

export interface Sandbox {
	/** Without a slash at its end. */
	readonly url: string;
	readonly credentials: Credentials;
	/** A second merchant group: the same customers, events of its own. */
	readonly otherCredentials: Credentials;
	/** All that the service remembers, for a later sandbox at the same port to go on from. */
	kept(): string;
	/** Back to the start: state, faults, log, clock and settings. Ends requests still open. */
	reset(): void;
	close(): Promise<void>;

	/** Every API request in the order of arrival; those of the payment page are not among them. */
	readonly requests: readonly RecordedRequest[];
	/** Typed as the package should have sent them. */
	requestsTo<E extends Endpoint>(endpoint: E): Array<RecordedRequest<RequestBody<E>>>;
	/** Most API requests seen open at once. */
	readonly maxInFlight: number;
	readonly charges: readonly Charge[];
	readonly settings: Settings;
	readonly clock: Pick<Clock, 'now' | 'set' | 'advance' | 'useReal'>;
	fault(fault: Fault): void;
	clearFaults(): void;

	addCustomer(customer?: CustomerInput): CustomerDetail;
	addCustomers(count: number): CustomerDetail[];
	/** As the endpoint does where it merges, without a request. */
	updateCustomer(customerID: string, form: CustomerForm): CustomerDetail;
	removeCustomer(customerID: string): void;
	/** Whether the list of customers goes on to show them as they are now. */
	holdCustomerList(isHeld: boolean): void;
	addPaymentMethod(
		customerID: string,
		instrument: Instrument & { setAsDefault?: boolean },
	): PaymentMethod;
	addProduct(product?: Product & { id?: string }): StoredProduct;
	/** Answers the encrypted payment data. */
	addCart(cart?: CartInput): string;
	/** As the endpoint does, without a request. */
	addPaylink(form: PaylinkForm): StoredPaylink;
	/** In the list at once, whatever its date. */
	addEvent(event?: EventInput): WebhookEvent;
	/** Without `make`: a second apart, the last one now. */
	addEvents(count: number, make?: (index: number) => EventInput): WebhookEvent[];
	removeEvent(eventID: string): void;
	/** What the payment page does, without a browser. */
	pay(payLinkID: string, order?: PageOrder): WebhookEvent;
	/** The rest of the payment when no amount is given. */
	refund(transactionID: string, amount?: number): WebhookEvent;

	/** In order of arrival, and last those that still lag. Without the other group's. */
	readonly events: WebhookEvent[];
	readonly customers: CustomerDetail[];
	readonly paylinks: StoredPaylink[];
	readonly products: StoredProduct[];
	readonly carts: StoredCart[];
}

/** Not started yet: it can be filled and reached once it listens. */
export interface CreatedSandbox extends Sandbox {
	listen(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const sandbox = createSandbox(options);
	await sandbox.listen();
	return sandbox;
}

export function createSandbox(options: SandboxOptions = {}): CreatedSandbox {
	const clock = new Clock(options.clock);
	const settings = defaultSettings();
	const faults = new FaultQueue();
	let limiter = new Limiter();
	let log = new RequestLog();
	const world: World & { url: string } = { state: new State(), settings, clock, url: '' };

	const server = createSandboxServer(() => ({ world, faults, limiter, log }));

	async function listen(): Promise<void> {
		server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
		await once(server, 'listening');
		const address = server.address();
		if (typeof address !== 'object' || address === null) throw new Error('No port to listen on');
		world.url = `http://127.0.0.1:${address.port}`;
		// Not earlier, because the address is part of every paylink.
		if (options.kept !== undefined) world.state = State.restored(options.kept);
		else if (options.seed) seedState(world);
	}

	function addEvent(input: EventInput = {}): WebhookEvent {
		const { at, groupID = credentials.groupID, type = 'payment_success' } = input;
		const now = clock.now().toISOString();
		const date = Object.hasOwn(input, 'date') ? input.date : now;
		const payload = input.payload ?? sampleFor(input, type, groupID, date ?? now);
		const event = webhookEvent({ eventID: input.eventID, date, type, payload });
		const events = world.state.log(groupID);
		// Events that are due come first, so that without a lag the order is that of the calls.
		events.release(settings.eventLag);
		events.add(event, at);
		return event;
	}

	function sampleFor(input: EventInput, type: string, groupID: string, at: string): object {
		const number = world.state.nextSample();
		return samplePayload(type, {
			transactionID: input.transactionID ?? identifier('txn'),
			amount: input.amount ?? 2500,
			referenceID: input.referenceID ?? '',
			groupID,
			payer: {
				customerID: `cus_sample_${number}`,
				name: `Sample Customer ${number}`,
				email: `sample${number}@example.com`,
				phone: '+1 555 0100',
				country: 'US',
				address: '1 Main Street, Springfield, IL, 62701',
			},
			instrument: cardInstrument({ cardToken: 'tok_visa_4242', expiryDate: '12/39' }),
			createdBy: 'sandbox',
			at,
		});
	}

	function addCustomer(input: CustomerInput = {}): CustomerDetail {
		const number = world.state.nextSample();
		const { id, ...given } = input;
		const form = {
			nameOnCard: `Sample Customer ${number}`,
			email: `customer${number}@example.com`,
			phone: '+1 555 0100',
			billingAddress: `${number} Main Street`,
			billingCity: 'Springfield',
			billingState: 'IL',
			billingZip: '62701',
			billingCountry: 'US',
			...given,
		};
		const { customers } = world.state;
		return customers.detail(customers.add(form, given, id).customerID);
	}

	function cartLine({ productId, product, amount = 1 }: CartLineInput): CartLine {
		const source = productId === undefined ? product : world.state.product(productId);
		return {
			amount,
			product: {
				...source,
				sku: source?.sku ?? identifier('SKU'),
				name: source?.name ?? 'Product',
				description: source?.description ?? '',
				price: source?.price ?? 1000,
			},
		};
	}

	let closed: Promise<void> | undefined;

	return {
		listen,
		get url() {
			return world.url;
		},
		credentials,
		otherCredentials,
		kept: () => world.state.kept(),
		reset() {
			log.endOpen();
			log = new RequestLog();
			faults.clear();
			limiter = new Limiter();
			clock.reset();
			Object.assign(settings, defaultSettings());
			world.state = new State();
			if (options.seed) seedState(world);
		},
		close() {
			closed ??= new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			});
			return closed;
		},
		get requests() {
			return log.requests;
		},
		requestsTo: (endpoint) => log.to(endpoint),
		get maxInFlight() {
			return log.maxInFlight;
		},
		get charges() {
			return world.state.charges;
		},
		settings,
		clock,
		fault: (fault) => faults.add(fault),
		clearFaults: () => faults.clear(),

		addCustomer,
		addCustomers: (count) => Array.from({ length: count }, () => addCustomer()),
		updateCustomer(customerID, form) {
			world.state.customers.update(customerID, form);
			return world.state.customers.detail(customerID);
		},
		removeCustomer: (customerID) => world.state.customers.remove(customerID),
		holdCustomerList: (isHeld) => world.state.customers.holdList(isHeld),
		addPaymentMethod: (customerID, { setAsDefault, ...instrument }) =>
			world.state.customers.addMethod(customerID, instrument, setAsDefault),
		addProduct({ id = identifier('prod'), ...product } = {}) {
			const stored: StoredProduct = { id, ...cartLine({ product }).product };
			world.state.products.set(id, stored);
			return stored;
		},
		addCart(cart = {}) {
			const lineItems = (cart.lineItems ?? []).map(cartLine);
			const { paymentData } = world.state.keepCart({
				referenceID: '',
				amount: 2500,
				tax: 0,
				shipping: 0,
				fees: 0,
				discount: 0,
				tip: 0,
				discountCodes: [],
				surcharge: {},
				allowEdit: true,
				allowExtraDiscount: true,
				allowTip: true,
				onSuccessUrl: '',
				onFailureUrl: '',
				customerID: '',
				preset: {},
				...cart,
				lineItems,
			});
			return paymentData;
		},
		addPaylink: (form) => createPaylink(world, credentials.groupID, form),
		addEvent,
		addEvents(count, make) {
			const last = clock.now().getTime();
			const secondApart = (index: number): EventInput => ({
				date: new Date(last - (count - 1 - index) * 1000).toISOString(),
			});
			return Array.from({ length: count }, (_, index) => {
				const spaced = make ? {} : secondApart(index);
				return addEvent({ ...spaced, ...make?.(index) });
			});
		},
		removeEvent(eventID) {
			const found = world.state.allLogs().filter((each) => each.remove(eventID));
			if (found.length === 0) throw new Error(`There is no event ${eventID}`);
		},
		pay: (payLinkID, order) => payPaylink(world, payLinkID, order ?? {}).event,
		refund: (transactionID, amount) => refundPayment(world, transactionID, amount),

		get events() {
			return world.state.log(credentials.groupID).all();
		},
		get customers() {
			return world.state.customers.details();
		},
		get paylinks() {
			return [...world.state.paylinks.values()];
		},
		get products() {
			return [...world.state.products.values()];
		},
		get carts() {
			return [...world.state.carts.values()];
		},
	};
}
