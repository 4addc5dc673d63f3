/** Requests that wait for a slot. Those sent most often go first: they have the fewest tries left. */

interface Waiting {
	/** How often the request was sent, the next time included. */
	tries: number;
	deadline: number;
}

type Waiter<Slot> = Waiting & { settle: (slot: Slot | undefined) => void };

export class WaitingQueue<Slot> {
	private waiters: Array<Waiter<Slot>> = [];

	get length(): number {
		return this.waiters.length;
	}

	/** Resolves with a slot; with undefined if the request is turned away or its signal aborts. */
	async wait(request: Waiting, signal?: AbortSignal): Promise<Slot | undefined> {
		return await new Promise((resolve) => {
			// A signal of its own: Node warns if more than ten requests listen to the same one.
			const ownSignal = AbortSignal.any(signal ? [signal] : []);
			const onAbort = () => this.turnAway((other) => other === waiter);
			const settle = (slot: Slot | undefined) => {
				ownSignal.removeEventListener('abort', onAbort);
				resolve(slot);
			};
			const waiter = { ...request, settle };
			ownSignal.addEventListener('abort', onAbort);
			const next = this.waiters.findIndex(({ tries }) => tries < request.tries);
			this.waiters.splice(next < 0 ? this.length : next, 0, waiter);
		});
	}

	admitFirst(open: (request: Waiting) => Slot): void {
		const first = this.waiters.shift();
		first?.settle(open(first));
	}

	turnAway(isTurnedAway: (request: Waiting) => boolean): void {
		const turnedAway = this.waiters.filter(isTurnedAway);
		this.waiters = this.waiters.filter((waiter) => !turnedAway.includes(waiter));
		for (const waiter of turnedAway) waiter.settle(undefined);
	}
}
