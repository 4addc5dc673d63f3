import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { nodeCredentials } from '../sandbox/world';
import { Child } from './child';
import type { Order, Report, Tally } from './server';

/** The sandbox process as the bench uses it: gives it orders, and asks what a task has cost it. */

export class Service {
	private readonly sandbox = new Child<Order, Report>('server.ts');
	private merchants = 0;

	async tell(order: Order): Promise<Report> {
		return await this.sandbox.ask(order);
	}

	/** As `tell`, after a reset. */
	async fresh(order: Order = {}): Promise<Report> {
		return await this.tell({ ...order, reset: true });
	}

	async credentials(): Promise<ICredentialDataDecryptedObject> {
		return nodeCredentials(await this.tell({}));
	}

	/**
	 * As of a merchant that this process has never met, so that nothing is known of the service's pace.
	 * Only for customers and payment methods: the group ID is none that the service knows.
	 */
	async newMerchant(): Promise<ICredentialDataDecryptedObject> {
		return { ...(await this.credentials()), groupId: `grp_new_${++this.merchants}` };
	}

	/** What a task costs the service. */
	async tally<T>(task: () => Promise<T>): Promise<Tally & { result: T }> {
		const before = await this.tell({});
		const result = await task();
		const after = await this.tell({});
		if (after.bytes === before.bytes) throw new Error('The service has counted no byte');
		return {
			result,
			requests: after.requests - before.requests,
			refused: after.refused - before.refused,
			bytes: after.bytes - before.bytes,
			maxInFlight: after.maxInFlight,
		};
	}

	close(): void {
		this.sandbox.close();
	}
}
