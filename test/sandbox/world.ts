import type { Clock } from './clock';
import type { State } from './state';
import type { Limits } from './tokenBucket';

/** What all parts of the sandbox share, with the credentials of its two merchant groups. */

/** A reset replaces the state. */
export interface World {
	state: State;
	settings: Settings;
	readonly clock: Clock;
	url: string;
}

/** Not secret: they open a sandbox and nothing else. */
export const credentials = {
	groupID: 'grp_sandbox',
	headerToken: 'sandbox-header-token',
	privateToken: 'sandbox-private-token',
};

/** A second merchant group with events of its own. Customers belong to the header token alone. */
export const otherCredentials = {
	...credentials,
	groupID: 'grp_other',
	privateToken: 'sandbox-other-private-token',
};

/** The tokens as the fields of this package's credential in n8n. */
export function nodeCredentials(sandbox: { url: string; credentials: typeof credentials }) {
	const { groupID, ...tokens } = sandbox.credentials;
	return { environment: 'sandbox', baseUrl: sandbox.url, groupId: groupID, ...tokens };
}

/**
 * How the gateway behaves where the document leaves it open: page sizes, totals, sorting, the delay of
 * events. Tests change the settings freely, even during a request, by a fault's `run`. A reset restores
 * them.
 */
export class Settings {
	/** Milliseconds added to every API answer except a 429 from `limits`, which skips the faults too. */
	latency = 0;
	/** How many requests the gateway accepts; see `tokenBucket.ts`. */
	limits: Limits = {};
	/** A larger `pageSize` is silently lowered to this. */
	pageSizeCap = Infinity;
	/** A page after the last one is answered with the last one. */
	repeatLastPage = false;
	/** A larger `pageSize` is refused with a 400. */
	rejectPageSizeAbove = Infinity;
	/**
	 * Milliseconds by `performance.now()` between a payment outcome and its event in the list. Read at
	 * every listing: with Infinity nothing shows until it is set lower. For a bank payment the lag
	 * starts when the list or `events` is first read after its capture.
	 */
	eventLag = 0;
	/**
	 * Milliseconds of the sandbox's clock until a bank payment is captured, and as many until it is
	 * returned. With 0 it is captured immediately.
	 */
	bankCapturesAfter = 0;
	/** Every list request is answered with page 1. */
	ignorePage = false;
	ignoreFilter = false;
	ignoreSearch = false;
	/** Events come by date in this order, whatever sort is asked for. */
	eventOrder: 'asc' | 'desc' | undefined = undefined;
	/** The value of `page.total`, instead of the count. */
	total: number | undefined = undefined;
	/** An update replaces all eight fields of the form: missing ones are cleared. */
	updateReplaces = false;
	/** The status that the API returns for a captured charge, whatever its event says. */
	chargeStatus = 'CAPTURED';
}
