import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Order, Report } from './server';

/**
 * The sandbox in its own process (`server.ts`), so that its work does not count as the package's. It
 * takes orders, and reports what a task cost the gateway.
 */
export class Gateway {
	private readonly child = fork(join(__dirname, 'server.ts'), { execArgv: process.execArgv });

	async order(order: Order = {}): Promise<Report> {
		this.child.send(order);
		const [report] = await once(this.child, 'message');
		return report;
	}

	async cost(task: () => Promise<unknown>) {
		const before = await this.order();
		const started = performance.now();
		await task();
		const ms = performance.now() - started;
		const { requests, bytes, refused, mostAtOnce } = await this.order();
		return {
			ms,
			requests: requests - before.requests,
			/** Of answers. */
			bytes: bytes - before.bytes,
			/** With a 429. */
			refused: refused - before.refused,
			mostAtOnce,
		};
	}
}
