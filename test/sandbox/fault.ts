import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import type { RecordedRequest } from './request';

/**
 * Faults that a test scripts: a status, a broken connection, a delay, a changed answer. They wait
 * in a queue, and each request takes those that match it.
 */

export interface Fault {
	/** Default: any API endpoint. */
	on?: Endpoint | readonly Endpoint[];
	/** Skips that many matching requests first, whatever else happens to them. */
	after?: number;
	/** Default 1. Infinity makes a standing fault. */
	times?: number;
	when?: (request: RecordedRequest) => boolean;

	/** Answers this instead of doing the work. A status without a body gets an error body. */
	status?: number;
	/** An object goes out as JSON, a string as it is. Without a status: 200. */
	body?: unknown;
	headers?: Record<string, string>;
	/** Milliseconds before the answer, after the work; Infinity hangs until the caller has gone. */
	delay?: number;
	/** Does the work and then never ends its answer: a byte now and then, in its headers or after. */
	drip?: 'headers' | 'body';
	/** Destroys the connection before or after the work is done. */
	drop?: 'before' | 'after';
	/** With a status or body: does the work, and then answers that. */
	workFirst?: boolean;
	/** Rewrites a successful answer; the status stays 200. */
	answer?: (answer: unknown) => unknown;
	/** Runs before the work. */
	run?: () => void;
}

/** With counters: requests still to skip, requests still to hit. */
type Queued = Fault & { after: number; times: number };

function matches({ on, when }: Fault, request: RecordedRequest): boolean {
	const endpoints: readonly string[] = [on ?? request.endpoint].flat();
	return endpoints.includes(request.endpoint) && (when?.(request) ?? true);
}

/** A fault that leaves the answer alone applies together with one that changes it. */
function isBackground({ times, status, body, drip, drop, answer }: Fault): boolean {
	const changes = [status, body, drip, drop, answer];
	return times === Infinity && changes.every((change) => change === undefined);
}

export class FaultQueue {
	private queue: Queued[] = [];

	add(fault: Fault): void {
		this.queue.push({ after: 0, times: 1, ...fault });
	}

	clear(): void {
		this.queue = [];
	}

	/**
	 * The faults of this request: `main`, the first that is due, and in `all` also every standing one
	 * that only delays, adds headers or runs something.
	 */
	take(request: RecordedRequest): { main: Fault; all: Fault[] } {
		const matching = this.queue.filter((fault) => matches(fault, request));
		for (const fault of matching) fault.after -= 1;
		const due = matching.filter(({ after }) => after < 0);
		const main = due.find((fault) => !isBackground(fault));
		if (main) main.times -= 1;
		this.queue = this.queue.filter(({ times }) => times > 0);
		return { main: main ?? {}, all: due.filter((each) => each === main || isBackground(each)) };
	}
}
