/**
 * Lets one poll of a trigger run at a time. n8n lets polls overlap: two Poll Times can fire
 * together, and a slow poll can outlast the start of the next. A poll that never ends loses its
 * lease.
 */

/** By trigger, the poll that runs, and when its lease expires. */
const running = new Map<string, { expires: number }>();

/** Undefined while another poll of the trigger runs. */
export function acquireLease(trigger: string, durationMs: number) {
	// The monotonic clock: a wall clock that is set back would lock the trigger out.
	const now = performance.now();
	if (now < (running.get(trigger)?.expires ?? 0)) return undefined;
	const poll = { expires: now + durationMs };
	running.set(trigger, poll);
	/** Whether no later poll has taken over since. */
	const isHeld = () => running.get(trigger) === poll;
	const release = () => {
		if (isHeld()) running.delete(trigger);
	};
	return { isHeld, release };
}
