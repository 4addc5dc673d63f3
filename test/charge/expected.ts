import { DAY } from '../durations';
import { CENTS } from './chargeGateway';
import type { Answer, Kind, Listed } from './chargeGateway';
import { clock } from './processes';
import type { Process } from './processes';

/**
 * What must hold in the small world, decided from what really happened: which charges were sent, by
 * which process, and what the list of events showed. This file does not know how a charge is made.
 */

export const LOOK_BACK_DAYS = 30;
const LOOK_BACK = LOOK_BACK_DAYS * DAY;
/** A charge without an outcome blocks its reference for this long. */
const BLOCKS_FOR = 30 * DAY;
/** The names of a lock are those of periods of ten days, so it can last for one period longer. */
export const LOCKS_FOR = 40 * DAY;

/** A charge that a process has sent. */
export interface Sent {
	readonly transaction: string;
	readonly at: number;
	readonly by: Process;
	readonly answer: Answer;
	readonly execution: string;
}

/** What a charge or Get Status returned, or the message of its error. */
export interface Outcome {
	readonly result?: Readonly<Record<string, unknown>>;
	readonly error?: string;
}

/** What the list shows of the reference within the look-back. */
export interface Shown {
	/** Transactions that were paid. The next two are those of them that were taken back later. */
	readonly paid: readonly string[];
	readonly refunded: ReadonlySet<string>;
	readonly returned: ReadonlySet<string>;
	/** Failures of transactions that were never paid. */
	readonly failures: readonly Listed[];
}

export function shownBy(rows: readonly Listed[]): Shown {
	const recent = rows.filter(({ kind, at }) => kind !== 'other' && at >= clock.now() - LOOK_BACK);
	const ofKind = (wanted: Kind) => recent.filter(({ kind }) => kind === wanted);
	const paid = ofKind('success').map(({ transaction }) => transaction);
	const failures = ofKind('failure');
	const isPaid = ({ transaction }: Listed) => paid.includes(transaction);
	return {
		paid,
		refunded: new Set(ofKind('refund').map(({ transaction }) => transaction)),
		returned: new Set(failures.filter(isPaid).map(({ transaction }) => transaction)),
		failures: failures.filter((row) => !isPaid(row)),
	};
}

/** Payments that were neither refunded nor returned. */
export const keptOf = ({ paid, refunded, returned }: Shown): string[] =>
	paid.filter((each) => !refunded.has(each) && !returned.has(each));

const isLost = (answer: Answer) => answer === 'answerLost' || answer === 'requestLost';

const isRecent = ({ at }: Sent) => clock.now() - at < BLOCKS_FOR;

/** Whether the customer was charged, or may have been. */
export function mayBeCharged({ answer, transaction }: Sent, rows: readonly Listed[]): boolean {
	const hasFailed = rows.some((row) => row.kind === 'failure' && row.transaction === transaction);
	return answer !== 'refused' && !(answer === 'pending' && hasFailed);
}

/**
 * Whether a charge may keep a process from charging. Only the process that sent it sees that it failed,
 * and only as long as it remembers the charge: a pending charge of A that shows as failed does not block
 * A, but may block B for 40 days.
 */
function mayBlock(sent: Sent, process: Process, rows: readonly Listed[]): boolean {
	if (sent.answer === 'refused' || clock.now() - sent.at > LOCKS_FOR) return false;
	return sent.by !== process || !isRecent(sent) || mayBeCharged(sent, rows);
}

/** A call of Charge and its outcome. */
export interface Charge {
	readonly process: Process;
	readonly execution: string;
	readonly earlier: readonly Sent[];
	readonly sentNow: readonly Sent[];
	/** When it began, and when it ended. */
	readonly before: Shown;
	readonly after: Shown;
	readonly rows: readonly Listed[];
	readonly hasStoreFailed: boolean;
	readonly outcome: Outcome;
}

/** No customer is charged twice, every report is true, and nothing is blocked without a reason. */
export function faultsOfCharge(charge: Charge): string[] {
	return [...moneyFaults(charge), ...reportFaults(charge), ...blockFaults(charge)].map(
		(fault) => `${fault} (${JSON.stringify(charge.outcome)})`,
	);
}

function moneyFaults({ earlier, sentNow, before, rows }: Charge): string[] {
	if (sentNow.length === 0) return [];
	const open = earlier.find((sent) => mayBeCharged(sent, rows) && isRecent(sent));
	return [
		...(sentNow.length > 1 ? ['one charge sent two requests'] : []),
		...(open ? [`charged again, and the first was ${open.answer}`] : []),
		...(before.paid.length > 0 ? ['charged although the list showed a payment'] : []),
	];
}

function blockFaults({ process, earlier, sentNow, before, after, rows, hasStoreFailed }: Charge) {
	const isPaid = before.paid.length > 0 || after.paid.length > 0;
	const isFree = !isPaid && !earlier.some((sent) => mayBlock(sent, process, rows));
	return isFree && !hasStoreFailed && sentNow.length === 0 ? ['blocked for no reason'] : [];
}

function reportFaults(charge: Charge): string[] {
	const { result } = charge.outcome;
	const [sent] = charge.sentNow;
	if (result?.charged === true)
		return isChargedRight(charge) ? [] : ['wrongly reported as charged'];
	if (result?.charged === null)
		return isPendingRight(charge) ? [] : ['wrongly reported as pending'];
	if (result) return notChargedFaults(charge, result.outcome);
	return sent ? errorFaults(charge, sent) : blockedFaults(charge);
}

function isChargedRight({ process, execution, earlier, sentNow, outcome }: Charge): boolean {
	const isOwn = (sent: Sent) =>
		sent.by === process && sent.execution === execution && sent.answer === 'captured';
	const isRight = sentNow[0]?.answer === 'captured' || earlier.some(isOwn);
	return isRight && outcome.result?.amount === CENTS / 100;
}

function isPendingRight({ process, earlier, sentNow, rows }: Charge): boolean {
	const isOpen = (sent: Sent) =>
		sent.by === process && sent.answer === 'pending' && mayBeCharged(sent, rows);
	return sentNow[0]?.answer === 'pending' || earlier.some(isOpen);
}

function notChargedFaults(charge: Charge, outcome: unknown): string[] {
	const { process, earlier, sentNow, before, after } = charge;
	const isOwn = ({ by, answer }: Sent) => by === process && answer === 'captured';
	const isPaid = before.paid.length > 0 || after.paid.length > 0 || earlier.some(isOwn);
	const isKept = keptOf(after).length > 0;
	return [
		...(sentNow.length > 0 ? ['wrongly reported as not charged'] : []),
		...(isPaid ? [] : ['wrongly reported as paid before']),
		...(outcome === 'refunded' && after.refunded.size === 0
			? ['wrongly reported as refunded']
			: []),
		...(outcome === 'returned' && after.returned.size === 0
			? ['wrongly reported as returned']
			: []),
		...(outcome !== 'alreadyPaid' && isKept ? ['a payment is kept and not reported'] : []),
	];
}

/** The error of a charge that was sent. */
function errorFaults({ outcome: { error = '' } }: Charge, { answer }: Sent): string[] {
	if (answer === 'refused') return /declined/.test(error) ? [] : ['not reported as refused'];
	const isRight = isLost(answer) && /not known/.test(error);
	return isRight ? [] : [`wrong error for the answer ${answer}`];
}

/** The error of a charge that was not sent. */
function blockedFaults(charge: Charge): string[] {
	const { process, earlier, before, after, rows, hasStoreFailed } = charge;
	const { error = '' } = charge.outcome;
	if (/Nothing more was charged/.test(error)) {
		// Each payment is as much as the cart costs, so one that is kept pays exactly that.
		const isPaidExactly = [before, after].every((shown) => keptOf(shown).length === 1);
		return isPaidExactly ? ['wrongly reported that another amount was paid'] : [];
	}
	if (/not known/.test(error)) {
		const blocking = earlier.filter((sent) => mayBlock(sent, process, rows));
		const isKnown = (sent: Sent) => sent.by === process && !isLost(sent.answer) && isRecent(sent);
		if (blocking.length === 0) return ['wrongly reported that a charge was sent'];
		return blocking.every(isKnown) ? ['wrongly reported that the outcome is unknown'] : [];
	}
	const isStore = hasStoreFailed && /Nothing was charged: n8n's database/.test(error);
	return isStore ? [] : ['failed with an unexpected error'];
}

/** The outcomes that Get Status may report in a process. */
export function statusesOf(
	process: Process,
	shown: Shown,
	sent: readonly Sent[],
	rows: readonly Listed[],
) {
	const lasting = shown.paid.filter((each) => !shown.returned.has(each));
	if (lasting.length > 0) {
		const refunded = lasting.filter((each) => shown.refunded.has(each));
		if (refunded.length === 0) return ['succeeded'];
		return [refunded.length === lasting.length ? 'refunded' : 'partiallyRefunded'];
	}
	// The document has no word for a payment that was refunded and returned.
	if (shown.paid.some((each) => shown.refunded.has(each))) return ['refunded', 'returned'];
	if (shown.paid.length > 0) return ['returned'];
	const open = sent.filter(
		(each) => each.by === process && isRecent(each) && mayBeCharged(each, rows),
	);
	const lastFailure = Math.max(-Infinity, ...shown.failures.map(({ at }) => at));
	if (open.some(({ answer }) => answer === 'captured')) return ['succeeded'];
	if (open.some(({ at }) => at > lastFailure)) return ['pending'];
	if (shown.failures.length > 0) return open.length > 0 ? ['failed', 'pending'] : ['failed'];
	return ['notFound'];
}
