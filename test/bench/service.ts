import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { time } from './frame';
import type { Order, Report } from './server';

/** What a process beside the bench is started with. */
export const ROOMY = [...process.execArgv, '--max-old-space-size=6144'];

/** The sandbox's process as the bench uses it: gives it orders, and asks what a task has cost it. */
export class Service {
	private readonly child = fork(join(__dirname, 'server.ts'), { execArgv: ROOMY });

	constructor() {
		this.child.once('exit', (code) => {
			if (code !== 0) throw new Error('The sandbox has ended');
		});
	}

	async ask(order: Order = {}): Promise<Report> {
		this.child.send(order);
		const [report] = await once(this.child, 'message');
		return report;
	}

	/** As `ask`, after a reset. */
	async fresh(order: Order = {}): Promise<Report> {
		return await this.ask({ ...order, reset: true });
	}

	/** What a task costs the gateway, and how long it takes. */
	async tally(task: () => Promise<unknown>) {
		const before = await this.ask();
		const ms = await time(task);
		const after = await this.ask();
		return {
			ms,
			requests: after.requests - before.requests,
			/** Of them, how many were refused with a 429. */
			refused: after.refused - before.refused,
			/** Of answer bodies. */
			bytes: after.bytes - before.bytes,
			maxInFlight: after.maxInFlight,
		};
	}
}
