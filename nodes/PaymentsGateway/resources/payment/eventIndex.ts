import type { Client } from '../../gateway/client';
import { createKeyedMutex } from '../../gateway/keyedMutex';
import { list } from '../../gateway/list';
import { pageOf } from '../../gateway/page';
import type { OperationContext } from '../../operation/operation';
import type { PageRequest, WebhookEvent } from '../../wire';
import { momentOf } from '../../wire/moment';
import { eventKey, eventsAbout, paymentEventOf } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * Finds every event of a reference, for Charge and for Get Status. No search of the gateway is asked:
 * the first look-up reads the list as far back as the look-back reaches, and what it found is kept for
 * ten minutes, by merchant. Each later look-up reads from the newest event down, and ends where the
 * gateway's count shows that nothing new lies below. Without a count it goes on for as long as events
 * come late.
 */

const DAY = 24 * 60 * 60 * 1000;
const PAGE = { pageSize: 100, sort: { field: 'date', order: 'desc' as const } };
/** An event shows no later than so long after its date. */
const LATEST = 3 * DAY;
const KEPT_FOR = 10 * 60 * 1000;
/** Events of all merchants together, at about 1.4 kB each. */
const MOST_KEPT = 50_000;

interface Index {
	events: Map<string, PaymentEvent>;
	/** How many the gateway counts in its whole list; undefined where it does not. */
	total: number | undefined;
	/** The look-back that was read. */
	days: number;
	/** When all of it was read, by the clock of this process. */
	readAt: number;
	/** The time of the last reading, in epoch milliseconds. */
	now: number;
}

/** An index, or why events may be missing from it. */
type Reading = Index | { missing: string };

/** By merchant, the one used last at the end. */
const kept = new Map<string, Index>();

/** The readings of a merchant follow one another, so that each can build on the one before. */
const mutex = createKeyedMutex();

/** The next reading of a run, which all of its look-ups share that come before it begins. */
const next = new WeakMap<Client, { days: number; reading: Promise<Reading> }>();

/** All events of a reference within the look-back, the oldest first. An error where some may be missing. */
export async function eventsOf(
	{ client, fieldError }: Pick<OperationContext, 'client' | 'fieldError'>,
	reference: string,
	lookBackDays: number,
): Promise<PaymentEvent[]> {
	const found = await nextReading(client, lookBackDays);
	if ('missing' in found) {
		throw fieldError(
			`Nobody can tell whether the reference "${reference}" was paid: ${found.missing}`,
			`Nothing was changed or charged. Run it again later. Where the gateway gives out no older events, set 'Look Back (Days)' under Options (now ${lookBackDays}) to fewer days.`,
		);
	}
	const since = found.now - lookBackDays * DAY;
	// An event whose date cannot be read is not left out.
	const within = [...found.events.values()].filter(({ at }) => !(at < since));
	return eventsAbout(reference, within);
}

/** One that begins after this was called: a reading under way may have missed what came since. */
async function nextReading(client: Client, days: number): Promise<Reading> {
	const begin = async (): Promise<Reading> => {
		next.delete(client);
		return await read(client, shared.days);
	};
	const shared = next.get(client) ?? { days, reading: mutex.run([client.scope], begin) };
	shared.days = Math.max(shared.days, days);
	next.set(client, shared);
	return await shared.reading;
}

/** Reads what is new and adds it to what is kept; or reads all of the look-back, in place of that. */
async function read(client: Client, wantedDays: number): Promise<Reading> {
	const before = keptOf(client, wantedDays);
	const days = before?.days ?? wantedDays;
	const newKeys = new Set<string>();
	/** The index whose events go on where this reading ends. */
	let joined: Index | undefined;
	let total: number | undefined;
	let now = 0;
	/** Older events are not wanted, in epoch milliseconds. */
	let since = 0;

	const fetch = async (page: PageRequest) => {
		const answered = await client.attempt('webhookEvents', { page });
		if ('error' in answered) throw answered.error;
		const { answer, date = Infinity } = answered.reply;
		// Also where the list has changed, and is read again.
		if (page.page === 1) {
			({ total } = pageOf(answer));
			newKeys.clear();
			// Of two clocks the one that is behind: none that runs ahead shortens the look-back.
			now = Math.min(Date.now(), date);
			joined = total === undefined ? before : undefined;
			since = joined ? joined.now - LATEST : now - days * DAY;
		}
		return answer;
	};
	/** Whether nothing new lies below these rows. */
	const isPast = (rows: readonly WebhookEvent[]) => {
		for (const key of rows.map(eventKey)) if (!before?.events.has(key)) newKeys.add(key);
		if (total !== undefined && total - newKeys.size === before?.total) {
			joined = before;
			return true;
		}
		const isBefore = ({ date }: WebhookEvent) => (momentOf(date) ?? since) < since;
		return rows.length > 0 && rows.every(isBefore);
	};
	const listing = { client, page: PAGE, id: eventKey, shape: paymentEventOf, fetch, isPast };
	const { rows, missing } = await list<WebhookEvent, PaymentEvent>(listing);
	if (isOldestFirst(rows)) return { missing: 'the gateway lists its events with the oldest first' };
	if (missing !== undefined) return { missing };
	const { events, readAt } = joined ?? { events: new Map(), readAt: performance.now() };
	for (const event of rows) events.set(event.eventID, event);
	const index = { events, total, days, now, readAt };
	keep(client, index);
	return index;
}

/** Dates that rise from row to row, by whole seconds, in which gateways may sort. */
function isOldestFirst(rows: readonly PaymentEvent[]): boolean {
	const seconds = rows.map(({ at }) => Math.floor(at / 1000)).filter((second) => !isNaN(second));
	const isRising = seconds.every((second, index) => second >= (seconds[index - 1] ?? second));
	return seconds.length > 2 && isRising && seconds[0] !== seconds.at(-1);
}

/** What is kept of a merchant; undefined where it is too old, or does not reach so far back. */
function keptOf({ scope }: Client, days: number): Index | undefined {
	const found = kept.get(scope);
	const isGood = found && found.days >= days && performance.now() - found.readAt < KEPT_FOR;
	return isGood ? found : undefined;
}

/** Merchants used last have the first claim to the room that there is. */
function keep({ scope }: Client, index: Index): void {
	kept.delete(scope);
	kept.set(scope, index);
	let room = MOST_KEPT;
	for (const [merchant, { events }] of [...kept].reverse()) {
		if (events.size > room) kept.delete(merchant);
		else room -= events.size;
	}
}
