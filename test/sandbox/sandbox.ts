import { once } from 'node:events';
import type {
	CustomerDetail,
	CustomerForm,
	Endpoint,
	Instrument,
	PaylinkForm,
	PaymentMethod,
	Product,
	WebhookEvent,
} from '../../nodes/PaymentsGateway/wire';
import type { StoredCart } from './cart';
import { Clock } from './clock';
import { type EventInput, webhookEvent } from './event';
import { type Fault, FaultQueue } from './fault';
import { sampleCustomer, samplePayload } from './sample';
import { Limiter } from './limiter';
import { payPaylink } from './checkout';
import { createPaylink } from './paylink';
import { refundPayment } from './payment';
import { type RecordedRequest, type RequestBody, RequestLog } from './request';
import { seedState } from './seed';
import { createSandboxServer } from './server';
import { defaultSettings, type Settings } from './settings';
import {
	type CartInput,
	type Charge,
	State,
	type StoredPaylink,
	type StoredProduct,
} from './state';
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
	readonly clock: Pick<Clock, 'now' | 'set' | 'advance'>;
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
	/** Presses a button of the payment page as it opens, without a browser. */
	pay(payLinkID: string, button?: { outcome?: 'paid' | 'declined' }): WebhookEvent;
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
	let closed: Promise<void> | undefined;

	function addCustomer({ id, ...given }: CustomerInput = {}): CustomerDetail {
		const { customers } = world.state;
		const form = { ...sampleCustomer(world.state.nextSample()), ...given };
		return customers.detail(customers.add(form, id).customerID);
	}

	function addEvent(input: EventInput = {}): WebhookEvent {
		const { at, groupID = credentials.groupID, type = 'payment_success' } = input;
		const now = clock.now().toISOString();
		const date = Object.hasOwn(input, 'date') ? input.date : now;
		const payload =
			input.payload ?? samplePayload(world.state, type, { groupID, ...input, date: date ?? now });
		const event = webhookEvent(type, date, payload, input.eventID);
		const events = world.state.log(groupID);
		// Events that are due come first, so that without a lag the order is that of the calls.
		events.release(settings.eventLag);
		events.add(event, at);
		return event;
	}

	return {
		credentials,
		otherCredentials,
		settings,
		clock,
		async listen() {
			server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
			await once(server, 'listening');
			const address = server.address();
			if (typeof address !== 'object' || address === null) throw new Error('No port to listen on');
			world.url = `http://127.0.0.1:${address.port}`;
			// Not earlier, because the address is part of every paylink.
			const restored = options.kept === undefined ? undefined : State.restored(options.kept);
			if (restored) world.state = restored;
			else if (options.seed) seedState(world);
		},
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
		fault: (fault) => faults.add(fault),
		clearFaults: () => faults.clear(),
		requestsTo: (endpoint) => log.to(endpoint),

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
		addProduct: (product = {}) => world.state.keepProduct(product),
		addCart: (cart = {}) => world.state.keepCart(cart).paymentData,
		addPaylink: (form) => createPaylink(world, credentials.groupID, form),
		addEvent,
		addEvents(count, make) {
			const last = clock.now().getTime();
			return Array.from({ length: count }, (_, index) => {
				if (make) return addEvent(make(index));
				return addEvent({ date: new Date(last - (count - 1 - index) * 1000).toISOString() });
			});
		},
		removeEvent(eventID) {
			const logs = [...world.state.logs.values()];
			const found = logs.filter((each) => each.remove(eventID));
			if (found.length === 0) throw new Error(`There is no event ${eventID}`);
		},
		pay: (payLinkID, { outcome } = {}) =>
			payPaylink(world, payLinkID, new Map(), outcome === 'declined').event,
		refund: (transactionID, amount) => refundPayment(world, transactionID, amount),

		get url() {
			return world.url;
		},
		get requests() {
			return log.requests;
		},
		get maxInFlight() {
			return log.maxInFlight;
		},
		get charges() {
			return world.state.charges;
		},
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
