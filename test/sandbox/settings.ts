import type { Limits } from './limiter';

/**
 * How the service behaves where real services differ: page sizes, totals, sorting, the delay of
 * events. Tests change the settings freely; a reset restores them.
 */
export interface Settings {
	/** Milliseconds added to every API answer. */
	latency: number;
	/** How many requests it takes; see `limiter.ts`. */
	limits: Limits;
	/** A list `pageSize` above it is silently lowered. A fault's `run` can change it at a request. */
	pageSizeCap: number;
	/** What the answer's `page.pageSize` says: the rows on a full page, what was asked for, or nothing. */
	pageSizeSaid: 'served' | 'asked' | 'nothing';
	/** A page after the last one gets the last one again. */
	repeatLastPage: boolean;
	/** A list `pageSize` above it is refused with a 400. */
	rejectPageSizeAbove: number;
	/**
	 * Milliseconds of real time between a payment outcome and its event in the list. Read anew at
	 * every listing: with Infinity nothing shows until it is set lower.
	 */
	eventLag: number;
	/** Every list request gets page 1. */
	ignorePage: boolean;
	/** Every list comes in the order it has without a `sort`. */
	ignoreSort: boolean;
	ignoreFilter: boolean;
	ignoreSearch: boolean;
	/** `equals` and `neq` ignore upper and lower case. */
	ignoreCase: boolean;
	/** The order of events by date without a `sort`. */
	eventOrder: 'asc' | 'desc';
	/** What `page.total` says; `ofPage` is the number of rows in the answer. */
	total: 'right' | 'zero' | 'text' | 'ofPage' | { constant: number };
	/** Rows that sort equal: in order of arrival, or shuffled anew for every request. */
	tieOrder: 'stable' | 'random';
	/** An update replaces all eight fields of the form: one that is left out is cleared. */
	updateReplaces: boolean;
	/**
	 * What a charge by the API is answered with: the status of its transaction, or 429 for a refusal
	 * before anything is done. With DECLINED, FAILED, REFUSED, REJECTED or VOIDED no money moves.
	 */
	chargeStatus: string | 429;
}

export function defaultSettings(): Settings {
	return {
		latency: 0,
		limits: {},
		pageSizeCap: Infinity,
		pageSizeSaid: 'served',
		repeatLastPage: false,
		rejectPageSizeAbove: Infinity,
		eventLag: 0,
		ignorePage: false,
		ignoreSort: false,
		ignoreFilter: false,
		ignoreSearch: false,
		ignoreCase: false,
		eventOrder: 'desc',
		total: 'right',
		tieOrder: 'stable',
		updateReplaces: false,
		chargeStatus: 'CAPTURED',
	};
}
