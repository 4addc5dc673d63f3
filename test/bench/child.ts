import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import { wordsOf } from '../report/command';

/** A process beside the bench, and its side of the talk: one order after another, each answered. */

type Said<Answer> = { answer: Answer } | { error: string };

export class Child<Order extends object, Answer> {
	private readonly child: ChildProcess;

	constructor(file: string, ...flags: string[]) {
		const execArgv = [...process.execArgv, '--max-old-space-size=6144', ...flags];
		this.child = fork(join(__dirname, file), { execArgv });
	}

	async ask(order: Order): Promise<Answer> {
		return await new Promise((resolve, reject) => {
			const gone = (code: number | null) =>
				reject(new Error(`The process beside the bench ended with ${code ?? 'a signal'}`));
			this.child.once('exit', gone);
			this.child.once('message', (said: Said<Answer>) => {
				this.child.off('exit', gone);
				if ('error' in said) reject(new Error(said.error));
				else resolve(said.answer);
			});
			this.child.send(order, (error) => error && reject(error));
		});
	}

	close(): void {
		this.child.disconnect();
	}
}

/** In that process: answers each order. However the bench ends, the process ends with it. */
export function answer<Order, Answer>(work: (order: Order) => Answer | Promise<Answer>): void {
	process.on('message', async (order: Order) => {
		try {
			process.send?.({ answer: await work(order) });
		} catch (error) {
			process.send?.({ error: wordsOf(error) });
		}
	});
	process.on('disconnect', () => process.exit(0));
}
