import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { wordsOf } from '../report/command';

/** A process beside the bench, and its side of the talk: one order after another, each answered. */

type Said<Answer> = { answer: Answer } | { error: string };

export class Child<Order extends object, Answer> {
	private readonly child;
	private readonly ended;

	constructor(file: string, ...flags: string[]) {
		const execArgv = [...process.execArgv, '--max-old-space-size=6144', ...flags];
		this.child = fork(join(__dirname, file), { execArgv });
		this.ended = once(this.child, 'exit').then(([code]: Array<number | null>) => [
			{ error: `The process beside the bench ended with ${code ?? 'a signal'}` },
		]);
	}

	async ask(order: Order): Promise<Answer> {
		this.child.send(order);
		const heard = await Promise.race([once(this.child, 'message'), this.ended]);
		const [said] = heard as [Said<Answer>];
		if ('error' in said) throw new Error(said.error);
		return said.answer;
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
