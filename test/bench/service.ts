import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { nodeCredentials } from '../sandbox/world';
import type { Order, Report, Tally } from './server';

/** The sandbox process as the bench uses it: gives it orders, and asks what a task has cost it. */

type Answer = { id: number } & ({ report: Report } | { error: string });

export class Service {
	private readonly waiting = new Map<number, (answer: Answer) => void>();
	private orders = 0;
	private merchants = 0;

	private constructor(private readonly child: ChildProcess) {
		child.on('message', (answer: Answer) => {
			this.waiting.get(answer.id)?.(answer);
			this.waiting.delete(answer.id);
		});
		child.on('exit', (code) => {
			for (const [id, tell] of this.waiting) {
				tell({ id, error: `The sandbox process ended with ${code ?? 'a signal'}` });
			}
		});
	}

	static async start(): Promise<Service> {
		const execArgv = [...process.execArgv, '--max-old-space-size=6144'];
		const service = new Service(fork(join(__dirname, 'server.ts'), { execArgv }));
		await service.tell({});
		return service;
	}

	async tell(order: Order): Promise<Report> {
		const id = ++this.orders;
		const answer = await new Promise<Answer>((resolve, reject) => {
			this.waiting.set(id, resolve);
			this.child.send({ id, order }, (error) => error && reject(error));
		});
		if ('error' in answer) throw new Error(answer.error);
		return answer.report;
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
		this.child.disconnect();
	}
}
