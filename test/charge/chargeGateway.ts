import { NodeApiError } from 'n8n-workflow';

import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import type { PageRequest, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { standIn } from '../engine/instance';
import { cutPage } from '../gateway/servedList';
import { clock } from './processes';

/**
 * A gateway in memory: carts of $25 with one reference, charges, and the list of events, two rows a
 * page. `nextAnswer` decides how it answers the next charge.
 */

export const REFERENCE = 'R';
export const CENTS = 2_500;
const ROWS_PER_PAGE = 2;

/** A charge whose answer is lost was captured; one whose request is lost never reached the gateway. */
export type Answer = 'captured' | 'pending' | 'refused' | 'answerLost' | 'requestLost';

/** What an event reports. `other`: another customer has paid. */
export type Kind = 'success' | 'failure' | 'refund' | 'other';

export interface Listed {
	readonly kind: Kind;
	/** The transaction that it is about. */
	readonly transaction: string;
	readonly at: number;
	readonly event: WebhookEvent;
}

const TYPES = {
	success: { type: 'payment_success', record: 'transaction', status: 'CAPTURED' },
	other: { type: 'payment_success', record: 'transaction', status: 'CAPTURED' },
	failure: { type: 'payment_failed', record: 'transaction', status: 'FAILED' },
	refund: { type: 'payment_refund', record: 'refund', status: 'REVERSED' },
} as const;

/** A charge without an answer, or one that was refused. */
class FailedCharge {
	readonly error: NodeApiError;

	constructor(readonly notCarriedOut: boolean) {
		const message = notCarriedOut ? 'The card was declined' : 'No answer in time';
		this.error = new NodeApiError({ name: 'Charge' } as never, { message });
	}
}

export class ChargeGateway {
	/** The newest first. */
	rows: readonly Listed[] = [];
	private charges: string[] = [];
	nextAnswer: Answer = 'captured';
	/** Runs after the next page of events is cut. */
	afterNextPage: (() => void) | undefined;
	private made = 0;

	/** Lists an event dated this many milliseconds ago. */
	list(kind: Kind, transaction: string, ago = 0): void {
		const at = clock.now() - ago;
		const { type, record, status } = TYPES[kind];
		const eventID = `event-${++this.made}`;
		const fields = {
			id: kind === 'refund' ? `refund-of-${transaction}` : transaction,
			...(kind === 'refund' && { parentTransactionId: transaction }),
			status,
			amount: CENTS,
			currency: 'USD',
			referenceID: kind === 'other' ? eventID : REFERENCE,
		};
		const payload = JSON.stringify({ [record]: fields });
		const event = { eventID, type, date: new Date(at).toISOString(), payload };
		const above = this.rows.filter((row) => row.at > at);
		const below = this.rows.slice(above.length);
		this.rows = [...above, { kind, transaction, at, event }, ...below];
	}

	/** The transactions of the charges sent since the last call. */
	takeCharges(): string[] {
		const { charges } = this;
		this.charges = [];
		return charges;
	}

	removeOldest(): void {
		this.rows = this.rows.slice(0, -1);
	}

	/** The gateway's client in one run of a process. `onPage` runs after each page of events. */
	client(onPage: () => void): Client {
		const waiting: Array<() => void> = [];
		const attempt: Client['attempt'] = async (endpoint, data) => {
			// The last of several concurrent requests is answered first.
			await new Promise<void>((resolve) => {
				waiting.push(resolve);
				void Promise.resolve().then(() => waiting.pop()?.());
			});
			const answer = this.answerTo(endpoint, data);
			if (answer instanceof FailedCharge) return answer;
			if (endpoint === 'webhookEvents') onPage();
			// The Date header has no milliseconds.
			const date = Math.floor(clock.now() / 1000) * 1000;
			return { reply: { answer: answer as never, body: answer, date } };
		};
		return standIn<Client>('client', {
			environment: 'sandbox',
			scope: 'merchant',
			parallel: 8,
			mask: createMask([]),
			attempt,
			call: async (endpoint, data) => {
				const result = await attempt(endpoint, data);
				if ('error' in result) throw result.error;
				return result.reply.answer;
			},
		});
	}

	private answerTo(endpoint: string, data: unknown): object {
		switch (endpoint) {
			case 'computeTokenizedCheckout':
				return { breakdown: { total: CENTS }, referenceID: REFERENCE };
			case 'createTokenizedManualEntry':
				return this.charge();
			case 'webhookEvents':
				return this.page((data as { page: PageRequest }).page);
			default:
				throw new Error(`The gateway of this test has no ${endpoint}`);
		}
	}

	private charge(): object {
		const answer = this.nextAnswer;
		const transactionID = `transaction-${++this.made}`;
		this.charges.push(transactionID);
		if (answer === 'captured') return { transactionID, status: 'CAPTURED' };
		if (answer === 'pending') return { transactionID, status: 'PENDING' };
		return new FailedCharge(answer === 'refused');
	}

	private page(request: PageRequest): object {
		const rows = request.sort?.order === 'asc' ? [...this.rows].reverse() : this.rows;
		const page = cutPage(rows, request, { rowsPerPage: ROWS_PER_PAGE }) ?? [];
		const answer = { data: page.map(({ event }) => event), page: { total: rows.length } };
		const { afterNextPage } = this;
		this.afterNextPage = undefined;
		afterNextPage?.();
		return answer;
	}
}
