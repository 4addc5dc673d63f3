import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { nodeCredentials } from '../sandbox';
import { time } from './frame';
import type { Order, Report, Tally } from './server';

/** What a process beside the bench is started with. */
export const ROOMY = [...process.execArgv, '--max-old-space-size=6144'];

/** The sandbox's process as the bench uses it: gives it orders, and asks what a task has cost it. */
export class Service {
	private readonly child = fork(join(__dirname, 'server.ts'), { execArgv: ROOMY });
	private known: ICredentialDataDecryptedObject | undefined;
	private merchants = 0;

	constructor() {
		this.child.once('exit', (code) => {
			if (code !== 0) throw new Error('The sandbox has ended');
		});
	}

	async ask(order: Order = {}): Promise<Report> {
		this.child.send(order);
		const [report] = (await once(this.child, 'message')) as [Report];
		return report;
	}

	/** As `ask`, after a reset. */
	async fresh(order: Order = {}): Promise<Report> {
		return await this.ask({ ...order, reset: true });
	}

	async credentials(): Promise<ICredentialDataDecryptedObject> {
		return (this.known ??= nodeCredentials(await this.ask()));
	}

	/**
	 * As of a merchant that this process has never met, so that nothing is known of the service's pace.
	 * Only for customers and payment methods: the group ID is none that the service knows.
	 */
	async newMerchant(): Promise<ICredentialDataDecryptedObject> {
		return { ...(await this.credentials()), groupId: `grp_new_${++this.merchants}` };
	}

	/** What a task costs the service, and how long it takes. */
	async tally(task: () => Promise<unknown>): Promise<Tally & { ms: number }> {
		const before = await this.ask();
		const ms = await time(task);
		const after = await this.ask();
		const spent = (what: keyof Tally) => after[what] - before[what];
		const [requests, refused, bytes] = [spent('requests'), spent('refused'), spent('bytes')];
		return { ms, requests, refused, bytes, maxInFlight: after.maxInFlight };
	}
}
