import type { Clock } from '../../nodes/PaymentsGateway/gateway/pace';

interface Due {
	at: number;
	run: () => void;
}

/** Time that passes only when nothing else is left to do: minutes are simulated in a moment. */
export class VirtualTime implements Clock {
	private time = 0;
	private readonly due: Due[] = [];

	readonly now = () => this.time;

	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		await new Promise<void>((resolve, reject) => {
			const due: Due = { at: this.time + ms, run: resolve };
			const later = this.due.findIndex(({ at }) => at > due.at);
			this.due.splice(later < 0 ? this.due.length : later, 0, due);
			signal?.addEventListener('abort', () => {
				const index = this.due.indexOf(due);
				if (index >= 0) this.due.splice(index, 1);
				reject(new Error('aborted'));
			});
		});
	};

	async run<T>(task: Promise<T>): Promise<T> {
		let isOver = false;
		const over = () => {
			isOver = true;
		};
		task.then(over, over);
		for (;;) {
			await new Promise((resume) => setImmediate(resume));
			if (isOver) return await task;
			const [next] = this.due;
			if (!next) throw new Error('Somebody waits in vain: nothing happens any more');
			this.time = next.at;
			while (this.due[0] && this.due[0].at <= this.time) this.due.shift()?.run();
		}
	}
}
