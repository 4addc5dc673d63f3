import { nodeCredentials, startSandbox } from '../sandbox';
import type { Sandbox, Settings } from '../sandbox';

/** The sandbox's process: executes the commands of `compare.ts`, and reports. */

export interface Command {
	/** Resets the sandbox first. */
	fresh?: boolean;
	settings?: Partial<Settings>;
	customers?: number;
	/** With the references "order-0", "order-1" and so on, the newest last. */
	events?: { count: number; until: 'an hour ago' | 'now' };
	carts?: number;
}

export type Report = ReturnType<typeof execute>;

const HOUR = 3_600_000;

function addEvents(sandbox: Sandbox, { count, until }: NonNullable<Command['events']>): void {
	const newest = Date.now() - (until === 'now' ? 0 : HOUR);
	// 5,000 events five minutes apart fit into a charge's look-back; 10,000 events 20 ms apart fit into
	// the trigger's.
	const every = until === 'now' ? 20 : 300_000;
	sandbox.addEvents(count, (index) => ({
		referenceID: `order-${index}`,
		date: new Date(newest - (count - 1 - index) * every).toISOString(),
	}));
}

function execute(sandbox: Sandbox, { fresh, settings, events, customers = 0, carts = 0 }: Command) {
	if (fresh) sandbox.reset();
	Object.assign(sandbox.settings, settings);
	if (events) addEvents(sandbox, events);
	const { url, requests, maxInFlight } = sandbox;
	return {
		credentials: nodeCredentials(sandbox),
		url,
		customers: sandbox
			.addCustomers(customers)
			.map(({ id, email, nameOnCard }) => ({ id, email, nameOnCard })),
		carts: Array.from({ length: carts }, (_, index) =>
			sandbox.addCart({ referenceID: `cart-${index}`, amount: 2_500 }),
		),
		requests: requests.length,
		refused429: requests.filter(({ status }) => status === 429).length,
		answerBytes: requests.reduce((sum, { answer = '' }) => sum + Buffer.byteLength(answer), 0),
		/** Since the last reset. */
		maxInFlight,
	};
}

const started = startSandbox();
process.on('message', async (command: Command) => process.send?.(execute(await started, command)));
// Ends with the benchmark, even if that is killed.
process.on('disconnect', () => process.exit());
