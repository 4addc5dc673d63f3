import type { IncomingHttpHeaders } from 'node:http';
import type { Data, Endpoint } from '../../nodes/PaymentsGateway/wire';

/**
 * The log of API requests. Tests read in it what left the node, how often, and how many requests
 * were open at once.
 */

/** Times are those of `performance.now()`. */
export interface RecordedRequest<Body = unknown> {
	/** The last part of the path, also when there is no such endpoint. */
	endpoint: string;
	method: string;
	path: string;
	headers: IncomingHttpHeaders;
	/** Parsed JSON, or the text where it is none. */
	body: Body;
	/** Undefined while it is open, and for good when the connection broke. */
	status?: number;
	/** The text of the answer, where it has been sent. */
	answer?: string;
	startedAt: number;
	answeredAt?: number;
}

/** The body of a request as the package should send it; what came is for the test to find out. */
export interface RequestBody<E extends Endpoint> {
	groupID?: string;
	token?: string;
	data: Data<E>;
}

export class RequestLog {
	readonly requests: RecordedRequest[] = [];
	private readonly open = new Set<RecordedRequest>();
	maxInFlight = 0;

	opened(request: RecordedRequest): void {
		this.requests.push(request);
		this.open.add(request);
		this.maxInFlight = Math.max(this.maxInFlight, this.open.size);
	}

	/** Counts once: a connection also closes after its answer. */
	closed(request: RecordedRequest, sent?: { status: number; text: string }): void {
		if (!this.open.delete(request)) return;
		request.answeredAt = performance.now();
		if (sent) Object.assign(request, { status: sent.status, answer: sent.text });
	}

	to<E extends Endpoint>(endpoint: E): Array<RecordedRequest<RequestBody<E>>> {
		const isTo = (request: RecordedRequest): request is RecordedRequest<RequestBody<E>> =>
			request.endpoint === endpoint;
		return this.requests.filter(isTo);
	}
}
