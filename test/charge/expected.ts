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

type Result = Readonly<Record<string, unknown>>;

/** What a charge or Get Status returned, or the message of its error. */
export interface Outcome {
	readonly result?: Result;
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

/** What can be wrong, and whether it is. */
type Faults = Readonly<Record<string, boolean>>;

/** No customer is charged twice, every report is true, and nothing is blocked without a reason. */
export function faultsOfCharge(charge: Charge): string[] {
	const { result, error = '' } = charge.outcome;
	const report = result ? resultFaults(charge, result) : errorFaults(charge, error);
	return Object.entries({ ...moneyFaults(charge), ...report })
		.filter(([, isWrong]) => isWrong)
		.map(([fault]) => `${fault} (${JSON.stringify(charge.outcome)})`);
}

function moneyFaults(charge: Charge): Faults {
	const { process, earlier, sentNow, before, after, rows, hasStoreFailed } = charge;
	const isSent = sentNow.length > 0;
	const open = earlier.find((sent) => mayBeCharged(sent, rows) && isRecent(sent));
	const isPaid = before.paid.length > 0 || after.paid.length > 0;
	const isFree = !isPaid && !earlier.some((sent) => mayBlock(sent, process, rows));
	return {
		'one charge sent two requests': sentNow.length > 1,
		[`charged again, and the first was ${open?.answer}`]: isSent && open !== undefined,
		'charged although the list showed a payment': isSent && before.paid.length > 0,
		'blocked for no reason': isFree && !hasStoreFailed && !isSent,
	};
}

function resultFaults(charge: Charge, { charged, outcome, amount }: Result): Faults {
	const { process, execution, earlier, sentNow, before, after, rows } = charge;
	const answer = sentNow[0]?.answer;
	const own = earlier.filter(({ by }) => by === process);
	const captured = own.filter((sent) => sent.answer === 'captured');
	if (charged === true) {
		const isCharged =
			answer === 'captured' || captured.some((sent) => sent.execution === execution);
		return { 'wrongly reported as charged': !isCharged || amount !== CENTS / 100 };
	}
	if (charged === null) {
		const isOpen = (sent: Sent) => sent.answer === 'pending' && mayBeCharged(sent, rows);
		return { 'wrongly reported as pending': answer !== 'pending' && !own.some(isOpen) };
	}
	const isPaid = before.paid.length > 0 || after.paid.length > 0 || captured.length > 0;
	return {
		'wrongly reported as not charged': sentNow.length > 0,
		'wrongly reported as paid before': !isPaid,
		'wrongly reported as refunded': outcome === 'refunded' && after.refunded.size === 0,
		'wrongly reported as returned': outcome === 'returned' && after.returned.size === 0,
		'a payment is kept and not reported': outcome !== 'alreadyPaid' && keptOf(after).length > 0,
	};
}

function errorFaults(charge: Charge, error: string): Faults {
	const { process, earlier, sentNow, before, after, rows, hasStoreFailed } = charge;
	const isUnknown = /not known/.test(error);
	const [sent] = sentNow;
	if (sent) {
		const { answer } = sent;
		const isRight = answer === 'refused' ? /declined/.test(error) : isLost(answer) && isUnknown;
		return { [`wrong error for the answer ${answer}`]: !isRight };
	}
	if (isUnknown) {
		const blocking = earlier.filter((each) => mayBlock(each, process, rows));
		const isKnown = (each: Sent) => each.by === process && !isLost(each.answer) && isRecent(each);
		return { 'wrongly reported that the outcome is unknown': blocking.every(isKnown) };
	}
	if (/Nothing more was charged/.test(error)) {
		// Each payment is as much as the cart costs, so one that is kept pays exactly that.
		const isPaidExactly = [before, after].every((shown) => keptOf(shown).length === 1);
		return { 'wrongly reported that another amount was paid': isPaidExactly };
	}
	const isStore = hasStoreFailed && /Nothing was charged: n8n's database/.test(error);
	return { 'failed with an unexpected error': !isStore };
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
