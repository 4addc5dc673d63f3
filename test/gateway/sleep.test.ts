import { getEventListeners } from 'node:events';

import { sleepUntilAborted } from '../../nodes/PaymentsGateway/gateway/sleep';

// n8n-workflow 1.120 (n8n 1.123) accepts a signal here and ignores it.
jest.mock('n8n-workflow', () => ({
	sleep: async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms)),
}));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Starts a wait. `isOver` turns true when it ends. */
function startWait(ms: number, signal?: AbortSignal): { isOver: boolean } {
	const wait = { isOver: false };
	void sleepUntilAborted(ms, signal).then(() => (wait.isOver = true));
	return wait;
}

test.each([
	['a signal', new AbortController().signal],
	['no signal', undefined],
])('a wait with %s ends after its time', async (_, signal) => {
	const wait = startWait(1_000, signal);
	await jest.advanceTimersByTimeAsync(999);
	expect(wait.isOver).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(wait.isOver).toBe(true);
});

test('a wait ends when its signal aborts, even if n8n ignores the signal', async () => {
	const controller = new AbortController();
	const early = startWait(60_000, controller.signal);
	await jest.advanceTimersByTimeAsync(10);
	expect(early.isOver).toBe(false);
	controller.abort();
	const late = startWait(60_000, controller.signal);
	await jest.advanceTimersByTimeAsync(0);
	expect([early.isOver, late.isOver]).toEqual([true, true]);
});

test('twenty waits for one signal add no listener to it, since Node warns of more than ten', async () => {
	const { signal } = new AbortController();
	const waits = Array.from({ length: 20 }, () => startWait(1_000, signal));
	expect(getEventListeners(signal, 'abort')).toHaveLength(0);
	await jest.advanceTimersByTimeAsync(1_000);
	expect(waits.every(({ isOver }) => isOver)).toBe(true);
});

test('a wait that is over leaves no listener behind', async () => {
	const { signal } = new AbortController();
	const derived = jest.spyOn(AbortSignal, 'any');
	startWait(1_000, signal);
	const own = derived.mock.results[0]?.value as AbortSignal;
	expect(getEventListeners(own, 'abort')).toHaveLength(1);
	await jest.advanceTimersByTimeAsync(1_000);
	expect(getEventListeners(own, 'abort')).toHaveLength(0);
});
