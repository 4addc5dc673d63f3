import { HOUR } from '../durations';

/** The default of Look Back. */
export const LOOK_BACK = 72 * HOUR;

/** Among how many of the newest rows a late event must appear to be promised: see docs/limits.md. */
const PROMISED_ROWS = 1_000;

/** Which events a trigger has to fire, and which it has fired. */
export class Ledger {
	/** Must fire, once. */
	readonly promised = new Set<string>();
	/** Beyond the promise: may fire, once. */
	readonly optional = new Set<string>();
	/** In order. */
	readonly fired: string[] = [];
	/** The first watermark: no event from before it has to fire. */
	start = 0;
	/** The events that were removed from the list before they fired. */
	private readonly removed = new Set<string>();

	/** An event is listed that is not dated now. `rank`: how many rows are above it. */
	addDated(id: string, { time, now, rank }: { time: number; now: number; rank: number }): void {
		const isInTime = time >= now - LOOK_BACK && time >= this.start && rank < PROMISED_ROWS;
		(isInTime ? this.promised : this.optional).add(id);
	}

	/** An event is removed from the list. If no poll has fired it, none has to. */
	remove(id: string): void {
		if (this.fired.includes(id)) return;
		this.removed.add(id);
		if (this.promised.delete(id)) this.optional.add(id);
	}

	/** What is wrong. All lists are empty if nothing is. */
	faults() {
		const firedIds = new Set<string>();
		const doubled: string[] = [];
		for (const id of this.fired) {
			if (firedIds.has(id)) doubled.push(id);
			firedIds.add(id);
		}
		const lost = [...this.promised].filter((id) => !firedIds.has(id));
		const wrong = [...firedIds].filter((id) => !this.promised.has(id) && !this.optional.has(id));
		return { doubled, lost, wrong };
	}

	/** For docs/reliability.md. */
	counts() {
		const { doubled, lost, wrong } = this.faults();
		const firedIds = new Set(this.fired);
		const unfired = [...this.optional].filter((id) => !firedIds.has(id));
		const purgedUnseen = unfired.filter((id) => this.removed.has(id)).length;
		return {
			listed: this.promised.size + this.optional.size,
			purgedUnseen,
			tooLate: unfired.length - purgedUnseen,
			fired: firedIds.size,
			lost: lost.length,
			doubled: doubled.length,
			wrong: wrong.length,
		};
	}
}
