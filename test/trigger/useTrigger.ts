import type { INodeParameters } from 'n8n-workflow';

import type { Poller, PollerOptions } from '../engine';
import { engine } from '../engine';
import type { EventInput } from '../sandbox';
import { useSandbox } from '../useSandbox';

/** A sandbox whose events a test makes, and triggers on n8n's engine that watch them. */

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const NOON = Date.UTC(2026, 5, 1, 12);

type Given = Partial<PollerOptions> & { form?: INodeParameters };

export function iso(moment: number): string {
	return new Date(moment).toISOString();
}

export function ids(polled: Awaited<ReturnType<Poller['poll']>>): unknown[] {
	return (polled ?? []).flat().map(({ json }) => json.eventID);
}

export function fired(trigger: Poller): unknown[] {
	return trigger.emitted.flat(2).map(({ json }) => json.eventID);
}

export function expectOnce(trigger: Poller, expected: string[]): void {
	const got = fired(trigger);
	expect(new Set(got).size).toBe(got.length);
	expect([...got].sort()).toEqual([...expected].sort());
}

/** What n8n holds for the trigger in the process. */
export function kept(trigger: Poller): string {
	return JSON.stringify([trigger.memory, trigger.workflowMemory]);
}

/** What n8n has stored for it. */
export function stored(trigger: Poller): string {
	return JSON.stringify([trigger.state, trigger.workflowState]);
}

/** To be called once, at the top of a file. */
export function useTrigger() {
	const { sandbox, credentials, later } = useSandbox({ clock: new Date(NOON) });

	function poller({ form, ...options }: Given = {}): Poller {
		return engine.poller({
			parameters: { ...form },
			credentials: credentials(),
			budgetMs: 20_000,
			...options,
		});
	}

	/** `count` events, `every` apart, the last one at the sandbox's present. */
	function add(count: number, every = SECOND, more: EventInput = {}): string[] {
		const last = sandbox.clock.now().getTime();
		return sandbox
			.addEvents(count, (index) => ({ date: iso(last - (count - 1 - index) * every), ...more }))
			.map(({ eventID }) => eventID);
	}

	function pass(ms = MINUTE): void {
		sandbox.clock.advance(ms);
		later(ms);
	}

	/** How many requests left while something was done. */
	async function requestsOf(work: () => Promise<unknown>): Promise<number> {
		const before = sandbox.requests.length;
		await work();
		return sandbox.requests.length - before;
	}

	/** Polls, a minute apart, until three in a row bring nothing. */
	async function drain(trigger: Poller): Promise<number> {
		let polls = 0;
		for (let quiet = 0; quiet < 3; polls++) {
			pass();
			quiet = (await trigger.poll()) === null ? quiet + 1 : 0;
		}
		return polls - 3;
	}

	/** Activated, with nothing to fire. */
	async function active(given: Given = {}): Promise<Poller> {
		const trigger = poller(given);
		expect(await trigger.activate()).toBeNull();
		pass();
		return trigger;
	}

	return { sandbox, credentials, poller, add, pass, requestsOf, drain, active };
}
