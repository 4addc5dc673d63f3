/**
 * Lets a time limit of the node be over soon after the gateway began to answer, so that no test
 * waits two minutes for it.
 */
export function shortenLimit(milliseconds: number): {
	isOverSoon(after?: number): void;
	restore(): void;
} {
	const { timeout } = AbortSignal;
	const limits: AbortController[] = [];
	const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation((asked) => {
		if (asked !== milliseconds) return timeout.call(AbortSignal, asked);
		const ours = new AbortController();
		limits.push(ours);
		return ours.signal;
	});
	return {
		isOverSoon(after = 50) {
			// Not of a request that leaves only now.
			const underWay = limits.splice(0);
			setTimeout(() => underWay.forEach((ours) => ours.abort()), after);
		},
		restore: () => spy.mockRestore(),
	};
}
