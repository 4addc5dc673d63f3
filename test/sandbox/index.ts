import { once } from 'node:events';
import type {
	CustomerDetail,
	CustomerForm,
	Endpoint,
	Instrument,
	PaylinkForm,
	WebhookEvent,
} from '../../nodes/PaymentsGateway/wire';
import { Clock } from './clock';
import { type EventInput, webhookEvent } from './event';
import { type Fault, FaultQueue } from './fault';
import { sampleCustomer, samplePayload } from './sample';
import { TokenBucket } from './tokenBucket';
import { createPaylink, payPaylink } from './paylink';
import { refundPayment } from './payment';
import { type RecordedRequest, RequestLog } from './request';
import { seedState } from './seed';
import { createSandboxServer } from './server';
import { type CartInput, type Charge, type Snapshot, State } from './state';
import { credentials, otherCredentials, Settings, type World } from './world';

export type { EventInput } from './event';
export type { Fault } from './fault';
export type { RecordedRequest, RequestBody } from './request';
export type { CartInput, Snapshot, StoredPaylink } from './state';
export { nodeCredentials, type Settings } from './world';

/**
 * Puts the sandbox together and gives a test its handle: address, credentials, state, faults, clock
 * and log. Through the handle, a test needs no requests and no browser to set things up.
 */

export interface SandboxOptions {
	/** Default 0: any free one. */
	port?: number;
	/** Starts with customers, products, paylinks and events, after a reset too. */
	seed?: boolean;
	/**
	 * Starts with an earlier sandbox's state instead of the seed. Use the same port: the URLs of its
	 * paylinks contain it.
	 */
	snapshot?: Snapshot | undefined;
	/** Stops the clock at this date. Default: real time. */
	clock?: Date | string;
}

/** Missing fields get a sample's. */
type CustomerInput = CustomerForm & Instrument & { id?: string };

export type Sandbox = ReturnType<typeof createSandbox>;

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const sandbox = createSandbox(options);
	await sandbox.listen();
	return sandbox;
}

/**
 * Creates a sandbox that does not listen yet. Call `listen()` before you fill it: paylink URLs need the
 * address, and `seed` and `snapshot` load there.
 */
export function createSandbox(options: SandboxOptions = {}) {
	const clock = new Clock(options.clock);
	const settings = new Settings();
	const world: World = { state: new State(), settings, clock, url: '' };
	const fresh = () => ({
		faults: new FaultQueue(),
		bucket: new TokenBucket(),
		log: new RequestLog(),
	});
	const context = { world, ...fresh() };
	const server = createSandboxServer(context);

	function addCustomer({ id, ...given }: CustomerInput = {}): CustomerDetail {
		const { customers } = world.state;
		const form = { ...sampleCustomer(world.state.nextSample()), ...given };
		return customers.detail(customers.add(form, id).customerID);
	}

	/** Listed immediately, whatever its date and `eventLag`. */
	function addEvent(input: EventInput = {}): WebhookEvent {
		const { groupID = credentials.groupID, type = 'payment_success' } = input;
		const { date = clock.now().toISOString() } = input;
		const withDefaults = { ...input, groupID, date };
		const payload = input.payload ?? samplePayload(world.state.nextSample(), type, withDefaults);
		const event = webhookEvent(type, date, payload, input.eventID);
		const log = world.state.eventLog(groupID);
		// Otherwise this event would be listed before those of earlier payments.
		log.release(settings.eventLag, clock.now());
		log.add(event);
		return event;
	}

	return {
		credentials,
		otherCredentials,
		settings,
		clock,
		get url() {
			return world.url;
		},
		async listen() {
			server.listen(options.port ?? 0, '127.0.0.1');
			await once(server, 'listening');
			world.url = `http://127.0.0.1:${Object(server.address()).port}`;
			if (options.snapshot) world.state.restore(options.snapshot, clock.now());
			else if (options.seed) seedState(world);
		},
		/**
		 * State, faults, log, clock and settings are as in a new sandbox. A `snapshot` is not loaded
		 * again.
		 */
		reset() {
			Object.assign(context, fresh());
			clock.reset();
			Object.assign(settings, new Settings());
			world.state = new State();
			if (options.seed) seedState(world);
		},
		close: async () =>
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),

		fault: (fault: Fault) => context.faults.add(fault),
		clearFaults: () => context.faults.clear(),
		/** API requests in the order of arrival, without those to the pay page. */
		get requests(): readonly RecordedRequest[] {
			return context.log.requests;
		},
		requestsTo: <E extends Endpoint>(endpoint: E) => context.log.to(endpoint),
		/** The most API requests that were open at the same time. */
		get maxInFlight() {
			return context.log.maxInFlight;
		},
		/** Includes pending payments. */
		get charges(): readonly Charge[] {
			return world.state.charges;
		},

		addCustomer,
		addCustomers: (count: number) => Array.from({ length: count }, () => addCustomer()),
		/** Like the endpoint with `updateReplaces` off, without a request. */
		updateCustomer: (id: string, form: CustomerForm) => world.state.customers.update(id, form),
		removeCustomer: (id: string) => world.state.customers.remove(id),
		/** `true` freezes the customer list as it is now; `false` shows the current rows again. */
		freezeCustomerList: (isFrozen: boolean) => world.state.customers.freezeList(isFrozen),
		addPaymentMethod: (id: string, instrument: Instrument & { setAsDefault?: boolean }) =>
			world.state.customers.addMethod(id, instrument, instrument.setAsDefault),
		/** Returns the encrypted payment data. */
		addCart: (cart: CartInput = {}) => world.state.storeCart(cart).paymentData,
		/** Like the endpoint, without a request. */
		addPaylink: (form: PaylinkForm) => createPaylink(world, credentials.groupID, form),
		addEvent,
		/** Without `make`: a second apart, the last one now. */
		addEvents(count: number, make?: (index: number) => EventInput) {
			const first = clock.now().getTime() - (count - 1) * 1000;
			const dated = (index: number) => ({ date: new Date(first + index * 1000).toISOString() });
			return Array.from({ length: count }, (_, index) => addEvent((make ?? dated)(index)));
		},
		clearEvents: () => world.state.eventLogs.clear(),
		/** Pays or declines a paylink as its page would with nothing typed. */
		pay(payLinkID: string, { outcome = 'paid' }: { outcome?: 'paid' | 'declined' } = {}) {
			const paylink = world.state.paylinks.get(payLinkID);
			if (!paylink) throw new Error(`There is no paylink ${payLinkID}`);
			const { event } = payPaylink(world, paylink, { forceDecline: outcome === 'declined' });
			if (!event) throw new Error(`The payment of ${payLinkID} stays pending: it has no event`);
			return event;
		},
		/** For a later sandbox's option `snapshot`. */
		snapshot: () => world.state.snapshot(),
		refund: (transactionID: string) => refundPayment(world, transactionID),

		/** In order of arrival, and last those that still lag. Without the other group's. */
		get events() {
			const log = world.state.eventLog(credentials.groupID);
			log.moveDue(clock.now());
			return log.happened();
		},
		get customers() {
			return world.state.customers.all();
		},
		get paylinks() {
			return [...world.state.paylinks.values()];
		},
		get carts() {
			return [...world.state.carts.values()];
		},
	};
}
