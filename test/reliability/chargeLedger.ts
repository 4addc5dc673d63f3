import type { IDataObject } from 'n8n-workflow';

import type { AgentResult, RunOptions } from '../engine';
import type { Sandbox } from '../sandbox';

/**
 * Compares the charges that a test of charges ran with those that the sandbox made and those that the
 * node reported, for docs/reliability.md.
 */

/** An answer with such a status refuses the charge, unless it contains CAPTURED. */
const REFUSALS = [400, 401, 402, 403, 404, 405, 422, 429];
const DECLINED = /"status":"(declined|failed|refused|rejected|voided)"/i;

function isRefusal({ status = 0, answer = '' }: { status?: number; answer?: string }): boolean {
	const isCaptured = /"status":"captured"/i.test(answer);
	return !isCaptured && (REFUSALS.includes(status) || (status < 300 && DECLINED.test(answer)));
}

interface Run extends Pick<RunOptions, 'parameters' | 'items'> {
	result: AgentResult;
}

interface Request {
	key: string;
	isRefused: boolean;
	transactionID: string;
}

const isCharged = ({ charged }: IDataObject) => charged === true;
const isString = (value: unknown): value is string => typeof value === 'string';

/** The error messages of a run and its items, and an agent's answer. */
function messagesOf({ result: { items, error, answer } }: Run): string[] {
	return [...items.map((item: IDataObject) => item.error), error?.message, answer].filter(isString);
}

function hasMessage(runs: readonly Run[], pattern: RegExp): boolean {
	return runs.flatMap(messagesOf).some((message) => pattern.test(message));
}

const isReportedUnknown = (runs: readonly Run[]) =>
	hasMessage(runs, /not known whether this payment was charged/);

/** How many requests the output names: charges that were made, and pending transactions. */
function countReported(
	runs: readonly Run[],
	requests: readonly Request[],
	made: readonly string[],
): number {
	const outputs = runs.flatMap(({ result }) => result.items);
	const isInOutput = (id: string) => outputs.some(({ transactionID }) => transactionID === id);
	// The gateway answered with a transaction that it has not charged yet, and the node reported it.
	const isPending = ({ transactionID: id, isRefused }: Request) =>
		!isRefused && !made.includes(id) && isInOutput(id);
	return made.filter(isInOutput).length + requests.filter(isPending).length;
}

const ZERO_COUNTS = {
	requests: 0,
	/** Requests not reported, because n8n discarded the output that would have reported them. */
	unshown: 0,
	/** Charges beyond those allowed. */
	doubled: 0,
	/** Requests neither reported nor reported as unknown. */
	unclear: 0,
	/** Charges reported as unknown, though each request was refused or none was sent. */
	falseAlarms: 0,
};

/** The charges of a test. What the sandbox has received and charged counts as the truth. */
export class ChargeLedger {
	private runs: Run[] = [];

	constructor(private readonly sandbox: Sandbox) {}

	startOver(): void {
		this.runs = [];
	}

	note(run: Run): void {
		this.runs.push(run);
	}

	balance() {
		const made: unknown[] = this.sandbox.charges.map(({ transactionID }) => transactionID);
		const reported = this.runs.flatMap(({ result }) => result.items).filter(isCharged);
		const neverMade = reported.filter(({ transactionID }) => !made.includes(transactionID)).length;
		const counts = { ...ZERO_COUNTS, neverMade };
		const keys = [
			...this.runs.flatMap((run) => this.chargeKeysOf(run)),
			...this.requests.map(({ key }) => key),
		];
		for (const key of new Set(keys)) this.addCharge(key, counts);
		return counts;
	}

	private get requests(): Request[] {
		return this.sandbox.requestsTo('createTokenizedManualEntry').map((request) => ({
			key: this.chargeKey(request.body.data.paymentData),
			isRefused: isRefusal(request),
			transactionID: /"transactionID":"([^"]+)"/.exec(request.answer ?? '')?.[1] ?? '',
		}));
	}

	/** What is charged only once: a reference or, without one, a cart. */
	private chargeKey(paymentData: unknown): string {
		const cart = this.sandbox.carts.find((each) => each.paymentData === paymentData);
		return cart?.referenceID.trim() || String(paymentData);
	}

	private chargeKeysOf({ parameters: { paymentData }, items = [{}] }: Run): string[] {
		const isLiteral = isString(paymentData) && !paymentData.startsWith('=');
		return items.map(({ cart }) => this.chargeKey(isLiteral ? paymentData : cart));
	}

	/** Adds the counts of one charge. */
	private addCharge(key: string, counts: typeof ZERO_COUNTS): void {
		const runs = this.runs.filter((run) => this.chargeKeysOf(run).includes(key));
		const requests = this.requests.filter((request) => request.key === key);
		const made = this.sandbox.charges
			.filter(({ paymentData }) => this.chargeKey(paymentData) === key)
			.map(({ transactionID }) => transactionID);
		const open = requests.filter(({ isRefused }) => !isRefused).length;
		const unreported = open - countReported(runs, requests, made);
		// "Another execution is charging" also counts: it tells the user where to look.
		const isReported =
			isReportedUnknown(runs) || hasMessage(runs, /^Another execution is charging/);
		counts.requests += requests.length;
		if (!isReported) counts[this.isUnshown(runs, key) ? 'unshown' : 'unclear'] += unreported;
		counts.doubled += Math.max(0, made.length - this.allowedCharges(runs, key));
		if (isReportedUnknown(runs) && open === 0) counts.falseAlarms++;
	}

	/** n8n shows no output of a run that it ended because of another item, or that was cancelled. */
	private isUnshown(runs: readonly Run[], key: string): boolean {
		return runs.some((run) => {
			const { error, status } = run.result;
			const endedBy = this.chargeKeysOf(run)[error?.context?.itemIndex ?? -1];
			return status !== 'success' && endedBy !== key;
		});
	}

	/** One charge, and one for each item that allows repeats. */
	private allowedCharges(runs: readonly Run[], key: string): number {
		const allowRepeat = runs.flatMap((run) =>
			this.chargeKeysOf(run)
				.filter((each) => each === key)
				.map(() => Object(run.parameters.options).allowRepeatCharge === true),
		);
		return allowRepeat.filter(Boolean).length + (allowRepeat.includes(false) ? 1 : 0);
	}
}
