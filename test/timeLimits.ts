/**
 * Lets a time limit of the node expire soon after the gateway began to answer, so that no test waits
 * two minutes for it.
 */
export function shortenLimit(milliseconds: number): {
	expireSoon(after?: number): void;
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
		expireSoon(after = 50) {
			// Requests that start after this call keep their limit.
			const underWay = limits.splice(0);
			setTimeout(() => underWay.forEach((ours) => ours.abort()), after);
		},
		restore: () => spy.mockRestore(),
	};
}
