import type { IncomingHttpHeaders } from 'node:http';
import type { Data, Endpoint } from '../../nodes/PaymentsGateway/wire';

/**
 * The log of API requests. Tests read in it what the node sent, how often, and how many requests
 * were open at the same time.
 */

export interface HttpAnswer {
	status: number;
	headers: Record<string, string>;
	text: string;
}

/** Times are those of `performance.now()`. */
export interface RecordedRequest<Body = unknown> {
	/** The last part of the path, even if there is no such endpoint. */
	endpoint: string;
	method: string;
	path: string;
	headers: IncomingHttpHeaders;
	/** Parsed JSON, or the text if it is none. */
	body: Body;
	/** Undefined while the request is open, and for good if the connection broke. */
	status?: number;
	/** The text of the answer, if it was sent. */
	answer?: string;
	startedAt: number;
	/** When it was answered, or when the connection broke. */
	closedAt?: number;
}

/** The body that the package should send. Assumed, not checked. */
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

	/** Only the first call counts: a connection also closes after its answer. */
	closed(request: RecordedRequest, sent?: HttpAnswer): void {
		if (!this.open.delete(request)) return;
		request.closedAt = performance.now();
		if (sent) Object.assign(request, { status: sent.status, answer: sent.text });
	}

	to<E extends Endpoint>(endpoint: E): Array<RecordedRequest<RequestBody<E>>> {
		const isTo = (request: RecordedRequest): request is RecordedRequest<RequestBody<E>> =>
			request.endpoint === endpoint;
		return this.requests.filter(isTo);
	}
}
