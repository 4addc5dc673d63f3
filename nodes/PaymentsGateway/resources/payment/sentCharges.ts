import type { Note } from './attempts';

/**
 * Remembers every charge that this process has sent, whatever execution, workflow or node sent it,
 * until the service's events show it. It covers the time in which they lag behind; after a restart
 * of n8n its deduplication store does.
 */
export interface SentCharge {
	/** Hashes of its payment data and its reference. */
	readonly names: readonly string[];
	readonly referenceID: string;
	/** Payments that its reference showed before; Infinity where nobody has looked. */
	readonly payments: number;
	note: Note;
}

const MOST = 10_000;
/** Without an event for so long, a charge is forgotten. */
const LONGEST = 72 * 60 * 60 * 1000;

/** The oldest first, each with the time when it was sent. */
const sent = new Map<SentCharge, number>();
const byName = new Map<string, Set<SentCharge>>();

export function forgetCharge(charge: SentCharge): void {
	sent.delete(charge);
	for (const name of charge.names) {
		const charges = byName.get(name);
		charges?.delete(charge);
		if (charges?.size === 0) byName.delete(name);
	}
}

export function rememberCharge(charge: SentCharge): void {
	sent.set(charge, performance.now());
	for (const name of charge.names) {
		byName.set(name, (byName.get(name) ?? new Set()).add(charge));
	}
	for (const [oldest, at] of sent) {
		if (sent.size <= MOST && performance.now() - at < LONGEST) break;
		forgetCharge(oldest);
	}
}

/** The charges that were sent under any of these names. */
export function chargesSent(names: readonly string[]): SentCharge[] {
	const found = names.flatMap((name) => [...(byName.get(name) ?? [])]);
	return [...new Set(found)].filter((charge) => {
		const isOld = performance.now() - (sent.get(charge) ?? -Infinity) >= LONGEST;
		if (isOld) forgetCharge(charge);
		return !isOld;
	});
}
