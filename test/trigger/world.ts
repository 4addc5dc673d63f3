import { eventHash } from '../../nodes/PaymentsGateway/trigger/keys';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { DAY, HOUR, MINUTE } from '../durations';
import { Ledger } from './ledger';
import type { EventListHabits } from './eventListGateway';
import { EventListGateway } from './eventListGateway';

/**
 * What happens around a trigger. Each public method is an action: storms draw them at random, and
 * scenarios call them one by one. The ledger notes which events have to fire because of it.
 */
export abstract class TriggerWorld {
	readonly gateway: EventListGateway;
	readonly ledger = new Ledger();
	/** By how many milliseconds this machine's clock is fast. */
	protected clockOffset = 0;
	/** Something has happened after which the count does not show all that is missing. */
	protected isCountUnreliable = false;

	/** `Date.now` is this world's until `jest.restoreAllMocks`. */
	constructor(habits: Partial<EventListHabits>) {
		this.gateway = new EventListGateway({ total: 'correct', hasDate: true, ...habits });
		jest.spyOn(Date, 'now').mockImplementation(() => this.gateway.now + this.clockOffset);
	}

	/** The trigger's state as its next poll finds it. */
	abstract get state(): State;

	/** Events from before the activation, the last of them `every` milliseconds ago. */
	listOld(count: number, every = 1_000): void {
		for (let row = count; row > 0; row--) this.gateway.list(this.gateway.now - row * every);
	}

	/**
	 * Two events of each date; with an odd `count`, pages split the pairs. The oldest 60 dates are 50 ms
	 * apart, the others a minute.
	 */
	listOldPairs(count: number): void {
		for (let row = 0; row < count; row++) {
			const isSecond = row % 2 === 1;
			if (!isSecond) this.gateway.now += row < 120 ? 50 : MINUTE;
			this.gateway.list(this.gateway.now);
		}
	}

	/** New events on top, each `every` milliseconds after the one before. */
	arrive(count: number, every = 1): void {
		for (let n = 0; n < count; n++) {
			this.gateway.now += every;
			this.ledger.promised.add(this.gateway.list(this.gateway.now));
		}
	}

	/** New events dated the same whole second. */
	sameSecond(count: number): void {
		this.gateway.now += 1_000 - (this.gateway.now % 1_000);
		this.arrive(count, 0);
	}

	/** Events that appear only now, `hours` after their date. */
	late(count: number, hours: number): void {
		for (let n = 0; n < count; n++) this.listDated(Math.floor(this.gateway.now - hours * HOUR));
	}

	/** An event that is dated in the future. */
	future(hours: number): void {
		this.listDated(this.gateway.now + hours * HOUR);
	}

	/** A row that is not an event. */
	noEvent(rank: number): void {
		this.gateway.listNull(this.timeAt(rank));
	}

	/** The event at a rank is listed again: at the same place, or under the date of now. */
	repeat(rank: number, isNow: boolean): void {
		const event = this.gateway.rows[rank]?.event;
		if (!event) return;
		if (!isNow) this.gateway.list(this.timeAt(rank), event.date, event.eventID);
		// An event that is forgotten, and dated anew, would be a new event.
		else if (eventHash(event) in this.state.seen) {
			this.gateway.list(this.gateway.now, undefined, event.eventID);
		}
	}

	/** The gateway removes all events that are older. */
	purge(keptHours: number): void {
		const { gateway, ledger } = this;
		const from = gateway.now - keptHours * HOUR;
		const kept = gateway.rows.filter(({ time }) => time >= from).length;
		for (const { event } of gateway.removeAllBut(kept)) {
			this.isCountUnreliable = true;
			// A row that is not an event is null.
			ledger.remove(event?.eventID ?? '');
		}
	}

	total(total: EventListHabits['total']): void {
		this.isCountUnreliable = true;
		this.gateway.habits.total = total;
	}

	rowsPerPage(most: number): void {
		const { habits } = this.gateway;
		habits.rowsPerPage = Math.min(most, habits.rowsPerPage ?? Infinity);
	}

	wait(minutes: number): void {
		this.gateway.now += minutes * MINUTE;
	}

	/** This machine's clock is `days` fast. Without Date headers it is not, since the trigger could not notice. */
	clock(days: number): void {
		this.isCountUnreliable = true;
		this.clockOffset = this.gateway.habits.hasDate ? days * DAY : 0;
	}

	/** Lists an event that is not dated now. */
	private listDated(time: number): void {
		const { now, rows, removed } = this.gateway;
		// Removed rows count: they were among the newest when the watermark passed them.
		const rank = [...removed, ...rows].filter((row) => row.time >= time).length;
		this.ledger.addDated(this.gateway.list(time), { time, now, rank });
	}

	private timeAt(rank: number): number {
		const { rows, now } = this.gateway;
		return rows[Math.min(rank, rows.length - 1)]?.time ?? now;
	}
}
