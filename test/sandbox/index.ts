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
import { Limiter } from './limiter';
import { payPaylink } from './checkout';
import { createPaylink } from './paylink';
import { refundPayment } from './payment';
import { type RecordedRequest, RequestLog } from './request';
import { seedState } from './seed';
import { createSandboxServer } from './server';
import { type Snapshot, snapshotOf, stateOf } from './snapshot';
import { Settings } from './settings';
import { type CartInput, type Charge, State } from './state';
import { credentials, otherCredentials, type World } from './world';

export type { EventInput } from './event';
export type { Fault } from './fault';
export type { RecordedRequest, RequestBody } from './request';
export type { Settings } from './settings';
export type { Snapshot } from './snapshot';
export type { CartInput, StoredPaylink } from './state';
export { nodeCredentials } from './world';

/**
 * Puts the sandbox together and gives a test its handle: address, credentials, state, faults, clock
 * and log. A test can do here directly what it would otherwise need requests or a browser for.
 */

export interface SandboxOptions {
	/** Default 0: any free one. */
	port?: number;
	/** Starts, and starts over, with customers, products, paylinks and events. */
	seed?: boolean;
	/** Starts with what another sandbox at the same port held, instead of the seed. */
	snapshot?: Snapshot | undefined;
	/** A date to stand still at. Default: real time. */
	clock?: Date | string;
}

export type Sandbox = ReturnType<typeof createSandbox>;

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const sandbox = createSandbox(options);
	await sandbox.listen();
	return sandbox;
}

/** Not started yet: it can be filled, and is reached once it listens. */
export function createSandbox(options: SandboxOptions = {}) {
	const clock = new Clock(options.clock);
	const settings = new Settings();
	const world: World & { url: string } = { state: new State(), settings, clock, url: '' };
	const fresh = () => ({ faults: new FaultQueue(), limiter: new Limiter(), log: new RequestLog() });
	const context = { world, ...fresh() };
	const server = createSandboxServer(context);
	let closed: Promise<void> | undefined;

	function addCustomer({
		id,
		...given
	}: CustomerForm & Instrument & { id?: string } = {}): CustomerDetail {
		const { customers } = world.state;
		const form = { ...sampleCustomer(world.state.nextSample()), ...given };
		return customers.detail(customers.add(form, id).customerID);
	}

	/** In the list at once, whatever its date. */
	function addEvent(input: EventInput = {}): WebhookEvent {
		const { groupID = credentials.groupID, type = 'payment_success' } = input;
		const { date = clock.now().toISOString() } = input;
		const sampled = { ...input, groupID, date };
		const payload = input.payload ?? samplePayload(world.state.nextSample(), type, sampled);
		const event = webhookEvent(type, date, payload, input.eventID);
		const events = world.state.log(groupID);
		// Events that are due come first, so that without a lag the order is that of the calls.
		events.release(settings.eventLag, clock.now());
		events.add(event);
		return event;
	}

	return {
		credentials,
		otherCredentials,
		settings,
		clock,
		/** Without a slash at its end. */
		get url() {
			return world.url;
		},
		async listen() {
			server.listen(options.port ?? 0, '127.0.0.1');
			await once(server, 'listening');
			const address = server.address();
			if (typeof address !== 'object' || address === null) throw new Error('No port to listen on');
			world.url = `http://127.0.0.1:${address.port}`;
			// Not earlier, because the address is part of every paylink.
			if (options.snapshot) world.state = stateOf(options.snapshot, clock.now());
			else if (options.seed) seedState(world);
		},
		/** Back to the start: state, faults, log, clock and settings. */
		reset() {
			Object.assign(context, fresh());
			clock.reset();
			Object.assign(settings, new Settings());
			world.state = new State();
			if (options.seed) seedState(world);
		},
		close() {
			closed ??= new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			});
			return closed;
		},

		fault: (fault: Fault) => context.faults.add(fault),
		clearFaults: () => context.faults.clear(),
		/** Every API request in the order of arrival; those of the pay page are not among them. */
		get requests(): readonly RecordedRequest[] {
			return context.log.requests;
		},
		/** Typed as the package should have sent them. */
		requestsTo: <E extends Endpoint>(endpoint: E) => context.log.to(endpoint),
		/** Most API requests seen open at once. */
		get maxInFlight() {
			return context.log.maxInFlight;
		},
		/** What was really charged, pending payments included. */
		get charges(): readonly Charge[] {
			return world.state.charges;
		},

		addCustomer,
		addCustomers: (count: number) => Array.from({ length: count }, () => addCustomer()),
		/** As the endpoint does where it merges, without a request. */
		updateCustomer: (id: string, form: CustomerForm) => world.state.customers.update(id, form),
		removeCustomer: (id: string) => world.state.customers.remove(id),
		/** Whether the list of customers goes on to show them as they are now. */
		holdCustomerList: (isHeld: boolean) => world.state.customers.holdList(isHeld),
		addPaymentMethod: (id: string, instrument: Instrument & { setAsDefault?: boolean }) =>
			world.state.customers.addMethod(id, instrument, instrument.setAsDefault),
		/** Answers the encrypted payment data. */
		addCart: (cart: CartInput = {}) => world.state.keepCart(cart).paymentData,
		/** As the endpoint does, without a request. */
		addPaylink: (form: PaylinkForm) => createPaylink(world, credentials.groupID, form),
		addEvent,
		/** Without `make`: a second apart, the last one now. */
		addEvents(count: number, make?: (index: number) => EventInput) {
			const first = clock.now().getTime() - (count - 1) * 1000;
			const dated = (index: number) => ({ date: new Date(first + index * 1000).toISOString() });
			return Array.from({ length: count }, (_, index) => addEvent((make ?? dated)(index)));
		},
		clearEvents: () => world.state.logs.clear(),
		/** Presses a button of the pay page as it opens, without a browser. */
		pay(payLinkID: string, { outcome = 'paid' }: { outcome?: 'paid' | 'declined' } = {}) {
			const paylink = world.state.paylinks.get(payLinkID);
			if (!paylink) throw new Error(`There is no paylink ${payLinkID}`);
			const { event } = payPaylink(world, paylink, { declines: outcome === 'declined' });
			if (!event) throw new Error(`The payment of ${payLinkID} stays pending: it has no event`);
			return event;
		},
		/** All that it holds, for the `snapshot` of a later one. */
		snapshot: () => snapshotOf(world.state),
		refund: (transactionID: string) => refundPayment(world, transactionID),

		/** In order of arrival, and last those that still lag. Without the other group's. */
		get events() {
			const log = world.state.log(credentials.groupID);
			log.happen(clock.now());
			return log.all();
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
