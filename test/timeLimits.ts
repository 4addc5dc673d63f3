/**
 * Replaces `AbortSignal.timeout(milliseconds)`: `expireSoon()` aborts the limits that are running,
 * after 50 ms by default, so no test waits for the real time.
 */
export function controlTimeLimit(milliseconds: number): {
	expireSoon(after?: number): void;
	restore(): void;
} {
	const { timeout } = AbortSignal;
	const limits: AbortController[] = [];
	const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation((requested) => {
		if (requested !== milliseconds) return timeout.call(AbortSignal, requested);
		const controller = new AbortController();
		limits.push(controller);
		return controller.signal;
	});
	return {
		expireSoon(after = 50) {
			// Requests that start after this call keep their limit.
			const running = limits.splice(0);
			setTimeout(() => running.forEach((controller) => controller.abort()), after);
		},
		restore: () => spy.mockRestore(),
	};
}
