import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Command, Report } from './server';

/**
 * The sandbox in its own process (`server.ts`), so that its work does not count as the package's. It
 * executes commands, and reports what a task cost the gateway.
 */
export class Gateway {
	private readonly child = fork(join(__dirname, 'server.ts'), { execArgv: process.execArgv });

	async send(command: Command = {}): Promise<Report> {
		this.child.send(command);
		const [report] = await once(this.child, 'message');
		return report;
	}

	async cost(task: () => Promise<unknown>) {
		const before = await this.send();
		const started = performance.now();
		await task();
		const ms = performance.now() - started;
		const { requests, answerBytes, refused429, maxInFlight } = await this.send();
		return {
			ms,
			requests: requests - before.requests,
			answerBytes: answerBytes - before.answerBytes,
			refused429: refused429 - before.refused429,
			maxInFlight,
		};
	}
}
