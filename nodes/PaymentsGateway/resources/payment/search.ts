import type { Client } from '../../gateway/client';
import { contentOf } from '../../gateway/pages';
import { referenceOf, unfold } from '../../output/event';
import type { WebhookEvent } from '../../wire';

/**
 * Whether the service's own search for a reference can be relied on. It may know none, find only the newest
 * events, fold cases or answer everything, so it is believed only once it has proved itself in this
 * process: asked for references that the list shows, it found those events, and nothing else. The
 * proof is of a merchant, holds for references that are spelled alike, short and long ones by
 * themselves, and is tried again.
 */

/** A reference, and the events that the list shows of it. */
export type Sightings = Map<string, Set<string>>;

interface Probe {
	reference: string;
	eventIDs: ReadonlySet<string>;
}

interface Trust {
	/** When its probes were last found. */
	at: number;
	probes: Probe[];
	/** The most events that were found of one reference: an answer of more may have been cut. */
	most: number;
	isUseless: boolean;
}

/** What was found, and whether it is whole and holds nothing but what was meant. */
export interface Found {
	events: WebhookEvent[];
	isExact: boolean;
}

const PAGE = { page: 1, pageSize: 100, sort: { field: 'date', order: 'desc' } } as const;
const PROVED_FOR = 60_000;
const USELESS_FOR = 10 * 60_000;
/** How long a list without any reference is taken to have none but on its newest page. */
const BARE_FOR = 10 * 60_000;
const MOST_MERCHANTS = 1_000;
/** What is looked for again when a proof has grown old. */
const MOST_PROBES = 6;
const MOST_TRIED = 50;

const trusts = new Map<string, Trust>();

function keep(scope: string, trust: Trust): void {
	trusts.delete(scope);
	trusts.set(scope, trust);
	for (const oldest of trusts.keys()) {
		if (trusts.size <= MOST_MERCHANTS) break;
		trusts.delete(oldest);
	}
}

/** Some find every reference that contains the wanted one, and that does no harm. */
function isMeant(event: WebhookEvent, reference: string): boolean {
	return referenceOf(unfold(event)).includes(reference);
}

/** Searches once. What cannot be searched for has an empty and no exact answer. */
export async function search(client: Client, reference: string): Promise<Found> {
	const result = await client.attempt('webhookEvents', { page: { ...PAGE, search: reference } });
	if ('error' in result) return { events: [], isExact: false };
	const { data, page } = result.reply.answer;
	const { rows: events } = contentOf(result.reply.answer);
	const isWhole = data.length < PAGE.pageSize && Number(page?.total ?? 0) <= data.length;
	return { events, isExact: isWhole && events.every((event) => isMeant(event, reference)) };
}

async function isFound(client: Client, { reference, eventIDs }: Probe): Promise<boolean> {
	const { events, isExact } = await search(client, reference);
	const found = new Set(events.map(({ eventID }) => eventID));
	return isExact && [...eventIDs].every((id) => found.has(id));
}

/** How a reference is spelled: small and capital letters, digits, and each other character. */
function spelling(reference: string): Set<string> {
	return new Set(reference.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/[0-9]/g, '0'));
}

function isSpelledLike(wanted: string, proved: string): boolean {
	const has = spelling(proved);
	return [...spelling(wanted)].every((character) => has.has(character));
}

/** Some searches take no short words, or cut long ones. Between these lengths all are alike. */
const SHORT = 4;
const LONG = 24;

/** The lengths of the references that are found. */
function lengthsOf(probes: readonly Probe[]): { least: number; most: number } {
	const lengths = probes.map(({ reference }) => reference.length);
	return { least: Math.min(SHORT, ...lengths), most: Math.max(LONG, ...lengths) };
}

export class Search {
	constructor(private readonly client: Client) {}

	/** It was tried not long ago, and is not tried again for a while. */
	get isUseless(): boolean {
		const { trust } = this;
		return trust !== undefined && trust.isUseless && performance.now() - trust.at < USELESS_FOR;
	}

	/** It has been tried on a long list, which perhaps showed no reference to try it with. */
	get isKnown(): boolean {
		const { trust } = this;
		if (!trust || trust.isUseless) return false;
		return trust.probes.length > 0 || performance.now() - trust.at < BARE_FOR;
	}

	/** Whether references like this one are found; after a while its probes are looked for again. */
	async finds(reference: string): Promise<boolean> {
		const { trust } = this;
		if (!trust || trust.isUseless) return false;
		const proved = new Set(trust.probes.flatMap((probe) => [...spelling(probe.reference)]));
		if (![...spelling(reference)].every((character) => proved.has(character))) return false;
		const { least, most } = lengthsOf(trust.probes);
		if (reference.length < least || reference.length > most) return false;
		if (performance.now() - trust.at < PROVED_FOR) return true;
		trusts.delete(this.client.scope);
		for (const probe of trust.probes) if (!(await isFound(this.client, probe))) return false;
		keep(this.client.scope, { ...trust, at: performance.now() });
		return true;
	}

	/** Whether an answer is short enough to be all there is. */
	isShort(count: number): boolean {
		return count < (this.trust?.most ?? 0);
	}

	/**
	 * Tries it with the oldest of the references that the list shows and with the one of most events,
	 * or with the newest that is spelled like `wanted` and as long.
	 */
	async prove(seen: Sightings, wanted?: string): Promise<void> {
		const sightings = [...seen].map(([reference, eventIDs]) => ({ reference, eventIDs }));
		// What is part of other references would find too much.
		const isAlone = ({ reference }: Probe) =>
			sightings.every(
				(other) => other.reference === reference || !other.reference.includes(reference),
			);
		const first = (those: readonly Probe[]) => those.slice(0, MOST_TRIED).find(isAlone);
		const before = this.trust?.isUseless === false ? this.trust : undefined;
		const { least, most } = lengthsOf(before?.probes ?? []);
		const isLike = (word: string) => (other: Probe) =>
			isSpelledLike(word, other.reference) &&
			(word.length >= least || other.reference.length <= word.length) &&
			(word.length <= most || other.reference.length >= word.length);
		const found =
			wanted === undefined
				? [
						first([...sightings].reverse()),
						first([...sightings].sort((a, b) => b.eventIDs.size - a.eventIDs.size)),
					]
				: [first(sightings.filter(isLike(wanted)))];
		const probes = new Set(found.filter((probe) => probe !== undefined));
		let isUseless = false;
		for (const probe of probes) isUseless ||= !(await isFound(this.client, probe));
		const all = [...(before?.probes ?? []), ...probes].slice(0, MOST_PROBES);
		keep(this.client.scope, {
			at: before && before.probes.length > 0 ? before.at : performance.now(),
			probes: all,
			most: Math.max(0, ...all.map(({ eventIDs }) => eventIDs.size)),
			isUseless,
		});
	}

	/** It has missed what the list shows, or answered something else. */
	distrust(): void {
		keep(this.client.scope, { at: performance.now(), probes: [], most: 0, isUseless: true });
	}

	private get trust(): Trust | undefined {
		return trusts.get(this.client.scope);
	}
}
