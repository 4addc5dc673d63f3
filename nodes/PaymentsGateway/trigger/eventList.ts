import type { Attempt, Reply } from '../gateway/client';
import { isTooLarge, SMALLEST_PAGE } from '../gateway/page';
import type { Content, Reading } from '../gateway/pages';
import {
	contentOf,
	countsMore,
	DEFAULT_SIZE,
	droppedWords,
	ignoresPages,
	isRefusedPage,
	NO_PAGE,
	startReading,
	turnPage,
} from '../gateway/pages';
import type { ListAnswer, WebhookEvent } from '../wire';
import type { PageSize } from './cursor';
import { rowOf } from './ledger';
import type { Clock, Row } from './ledger';
import type { Pace } from './pace';

export type Ask = (page: number, pageSize: number) => Promise<Attempt<ListAnswer<WebhookEvent>>>;
/** An error in the words given, as n8n wants it. */
export type Refuse = (words: string, description: string) => Error;

export interface Page {
	rows: Row[];
	/** What the service counts, where that can be true at all. */
	total: number | undefined;
	isShort: boolean;
	/** Nothing follows, for certain. */
	isLast: boolean;
	/** Nothing on it is new since the walk's first page: the list ends here as well. */
	isRepeat: boolean;
	/** Pages got another size meanwhile, so their numbers mean other rows: walk anew. */
	resized: boolean;
	clock: Clock;
}

interface Fetched extends Content<WebhookEvent> {
	date?: number;
	/** What the service said instead of giving out the page. */
	refusal?: Error;
}

function fetched({ answer, date }: Reply<ListAnswer<WebhookEvent>>): Fetched {
	return { ...contentOf(answer), ...(date === undefined ? {} : { date }) };
}

/** By moment and, since a service may compare dates as text, by text. */
function isNewer(row: Row, than: Row | undefined): boolean {
	if (row.at === undefined || than?.at === undefined) return false;
	return row.at > than.at && row.event.date > than.event.date;
}

/**
 * The service's list of events, newest first, a page at a time.
 *
 * Newest first is the one order in which a list that moves hides nothing: what comes in pushes
 * rows down, to be seen again, and what is purged at the old end moves none. For the same reason
 * the pages of a walk are read one after another, not at once.
 */
export class EventList {
	private reading: Reading;
	/** Rows on the neighbouring pages read last. */
	private readonly seen = new Set<string>();
	/** Rows on the last of them. */
	private above: readonly Row[] = [];
	/** The service has shown that it answers page numbers. */
	private isPaging = false;
	private hasWarned = false;

	constructor(
		private readonly asked: number,
		remembered: PageSize | undefined,
		private readonly ask: Ask,
		private readonly refuse: Refuse,
		readonly pace: Pace,
		private readonly warn: (words: string) => void,
	) {
		const isSame = remembered?.asked === asked;
		this.reading = startReading(
			asked,
			isSame ? { asking: Math.min(remembered.served, asked) } : {},
		);
	}

	/** Rows on a full page. */
	get size(): number {
		return this.reading.size;
	}

	/** To be remembered, where the service does not serve what it is asked for. */
	get served(): PageSize | undefined {
		const { asking, isGuess } = this.reading;
		// Nobody serves fewer than the default; what looks like it is a list of a few rows.
		const isKnown = asking !== this.asked && asking >= DEFAULT_SIZE && !isGuess;
		return isKnown ? { asked: this.asked, served: asking } : undefined;
	}

	async read(page: number): Promise<Page> {
		const { rows: events, date, refusal, ...content } = await this.fetch(page);
		if (content.dropped > 0 && !this.hasWarned) {
			this.hasWarned = true;
			this.warn(droppedWords(content.dropped));
		}
		const rows = events.map(rowOf);
		this.requireOrder(rows);
		if (page !== this.reading.page + 1) {
			this.seen.clear();
			this.above = [];
		}
		const repeated = rows.filter(({ hash }) => this.seen.has(hash)).length;
		const isTooHigh = rows.length + content.dropped < this.size && this.isAbove(rows);
		for (const { hash } of rows) this.seen.add(hash);
		this.above = rows;
		this.reading = turnPage(this.reading, {
			...content,
			number: page,
			rows: rows.length,
			repeated,
			isTooHigh,
		});
		const { total, isFull, isEnd, isRepeat, isResized, isStuck } = this.reading;
		if (refusal !== undefined && countsMore(this.reading)) throw refusal;
		if (isStuck) await this.requirePaging();
		const local = Date.now();
		return {
			rows,
			total,
			isShort: !isFull,
			isLast: isEnd,
			isRepeat,
			resized: isResized,
			clock: { service: date ?? local, local },
		};
	}

	/**
	 * Whether rows come from further up than the page before. Arrivals push down no others than rows
	 * of that page; others show that pages have become smaller.
	 */
	private isAbove(rows: readonly Row[]): boolean {
		const before = new Set(this.above.map(({ hash }) => hash));
		const lowest = [...this.above].reverse().find(({ at }) => at !== undefined);
		return rows.some((row) => !before.has(row.hash) && isNewer(row, lowest));
	}

	/** Two pages were the same: the last one, answered once more, or there are no others to be had. */
	private async requirePaging(): Promise<void> {
		if (this.isPaging) return;
		const isIgnored = await ignoresPages(this.seen.size, async (page, pageSize) => {
			this.pace.count();
			const result = await this.ask(page, pageSize);
			if ('error' in result) throw result.error;
			return contentOf(result.reply.answer).rows.map((event) => rowOf(event).hash);
		});
		if (isIgnored) {
			throw this.refuse(
				'The service answered the same events for two different pages',
				'Without paging, events could be missed, so nothing was fired. The next poll tries again.',
			);
		}
		this.isPaging = true;
	}

	private async fetch(page: number): Promise<Fetched> {
		const { asking } = this.reading;
		this.pace.count();
		let result = await this.ask(page, asking);
		if ('error' in result && page === 1 && isTooLarge(asking, result.error)) {
			this.reading = startReading(this.asked, { ...this.reading, asking: SMALLEST_PAGE });
			this.pace.count();
			result = await this.ask(page, SMALLEST_PAGE);
		}
		if ('reply' in result) return fetched(result.reply);
		if (isRefusedPage(page, result.error)) return { ...NO_PAGE, refusal: result.error };
		throw result.error;
	}

	private requireOrder(rows: readonly Row[]): void {
		let above: Row | undefined;
		for (const row of rows) {
			if (row.at === undefined) continue;
			if (isNewer(row, above)) {
				throw this.refuse(
					'The service did not sort the events by date, newest first',
					'Without that order, events could be missed, so nothing was fired. The next poll tries again.',
				);
			}
			above = row;
		}
	}
}
