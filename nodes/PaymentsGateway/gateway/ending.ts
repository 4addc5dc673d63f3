/**
 * Tells whatever is under way that the run is over. One listener serves all of it: Node warns in
 * n8n's log as soon as a signal has more than ten.
 */
export class Ending {
	private readonly tasks = new Set<AbortController>();

	constructor(private readonly over: AbortSignal | undefined) {
		over?.addEventListener(
			'abort',
			() => {
				for (const task of this.tasks) task.abort(over.reason);
			},
			{ once: true },
		);
	}

	get isOver(): boolean {
		return this.over?.aborted ?? false;
	}

	/** The task is given a signal of its own, which aborts when the run is over. */
	async during<T>(task: (ending: AbortSignal) => Promise<T>): Promise<T> {
		const ending = new AbortController();
		if (this.isOver) ending.abort(this.over?.reason);
		this.tasks.add(ending);
		try {
			return await task(ending.signal);
		} finally {
			this.tasks.delete(ending);
		}
	}
}
