import type { Limits } from './limiter';

/**
 * How the gateway behaves where the document leaves it open: page sizes, totals, sorting, the delay of
 * events. Tests change the settings freely; a reset restores them.
 */
export class Settings {
	/** Milliseconds added to every API answer. */
	latency = 0;
	/** How many requests it takes; see `limiter.ts`. */
	limits: Limits = {};
	/** A list `pageSize` above it is silently lowered. A fault's `run` can change it at a request. */
	pageSizeCap = Infinity;
	/** A page after the last one gets the last one again. */
	repeatLastPage = false;
	/** A list `pageSize` above it is refused with a 400. */
	rejectPageSizeAbove = Infinity;
	/**
	 * Milliseconds of real time between a payment outcome and its event in the list. Read anew at
	 * every listing: with Infinity nothing shows until it is set lower.
	 */
	eventLag = 0;
	/**
	 * Milliseconds of the sandbox's clock until a bank payment is captured, and as many until it comes
	 * back. With 0 it is captured immediately.
	 */
	bankSettlesAfter = 0;
	/** Every list request gets page 1. */
	ignorePage = false;
	ignoreFilter = false;
	ignoreSearch = false;
	/** Events come by date in this order, whatever sort is asked for. */
	eventOrder: 'asc' | 'desc' | undefined = undefined;
	/** What `page.total` says in place of the count. */
	total: number | undefined = undefined;
	/** An update replaces all eight fields of the form: one that is left out is cleared. */
	updateReplaces = false;
	/** The status with which a charge by the API is answered, whatever its event says. */
	chargeStatus = 'CAPTURED';
}
