import type { IDataObject } from 'n8n-workflow';

import type { RunOptions, RunResult } from '../engine';
import type { Sandbox } from '../sandbox';

/**
 * Balances what was asked for in a test of charges with what the sandbox has charged and what the
 * node has said, for docs/reliability.md.
 */

/** With these a charge is refused, unless the answer says CAPTURED. */
const REFUSALS = [400, 401, 402, 403, 404, 405, 422, 429];
const DECLINED = /"status":"(declined|failed|refused|rejected|voided)"/i;

function isRefusal({ status = 0, answer = '' }: { status?: number; answer?: string }): boolean {
	const isCaptured = /"status":"captured"/i.test(answer);
	return !isCaptured && (REFUSALS.includes(status) || (status < 300 && DECLINED.test(answer)));
}

interface Run extends Pick<RunOptions, 'parameters' | 'items'> {
	result: RunResult & { answer?: string };
}

const isCharged = ({ charged }: IDataObject) => charged === true;
const isString = (value: unknown): value is string => typeof value === 'string';

/** All that a run has said in words. */
function wordsOf({ result: { items, error, answer } }: Run): string[] {
	return [...items.map((item: IDataObject) => item.error), error?.message, answer].filter(isString);
}

/** A false alarm is "not known" of what was plainly refused or not sent. */
const NOTHING = { requests: 0, unshown: 0, doubled: 0, unclear: 0, falseAlarms: 0 };

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
		const asked = this.runs.flatMap((run) => this.duesOf(run));
		const made: unknown[] = this.sandbox.charges.map(({ transactionID }) => transactionID);
		const told = this.runs.flatMap(({ result }) => result.items).filter(isCharged);
		const requested = this.requests.map(({ due }) => due);
		const all = { ...NOTHING };
		for (const due of new Set([...asked, ...requested])) this.settle(due, all);
		const lost = told.filter(({ transactionID }) => !made.includes(transactionID)).length;
		return { ...all, lost };
	}

	private get requests() {
		return this.sandbox.requestsTo('createTokenizedManualEntry').map((request) => ({
			due: this.dueOf(request.body.data.paymentData),
			isRefused: isRefusal(request),
			transactionID: /"transactionID":"([^"]+)"/.exec(request.answer ?? '')?.[1] ?? '',
		}));
	}

	/** What is charged once: a reference or, without one, a cart. */
	private dueOf(paymentData: unknown): string {
		const cart = this.sandbox.carts.find((each) => each.paymentData === paymentData);
		return cart?.referenceID.trim() || String(paymentData);
	}

	private duesOf({ parameters: { paymentData }, items = [{}] }: Run): string[] {
		const isWritten = isString(paymentData) && !paymentData.startsWith('=');
		return items.map(({ cart }) => this.dueOf(isWritten ? paymentData : cart));
	}

	/** Adds what became of one due. */
	private settle(due: string, all: typeof NOTHING): void {
		const runs = this.runs.filter((run) => this.duesOf(run).includes(due));
		const requests = this.requests.filter((request) => request.due === due);
		const made = this.sandbox.charges
			.filter(({ paymentData }) => this.dueOf(paymentData) === due)
			.map(({ transactionID }) => transactionID);

		const outputs = runs.flatMap(({ result }) => result.items);
		const isIn = (items: IDataObject[]) => (id: string) =>
			items.some(({ transactionID }) => transactionID === id);
		const told = made.filter(isIn(outputs)).length;
		const refused = requests.filter(({ isRefused }) => isRefused).length;
		// The gateway has named it, and so has the node, but it has yet to charge it.
		const pending = requests.filter(
			({ transactionID: id, isRefused }) => !isRefused && !made.includes(id) && isIn(outputs)(id),
		).length;
		const untold = requests.length - refused - told - pending;

		const words = runs.flatMap(wordsOf);
		const isSaid = (what: RegExp) => words.some((each) => what.test(each));
		const isSaidUnknown = isSaid(/not known whether this payment was charged/);
		// What another execution is charging, or has, is told with where to look.
		const isToldUnknown = isSaidUnknown || isSaid(/^Another execution is charging/);
		// n8n shows no output of a run that it ended because of another item, or that was cancelled.
		const isUnshown = runs.some((run) => {
			const { error, status } = run.result;
			return status !== 'success' && this.duesOf(run)[error?.context?.itemIndex ?? -1] !== due;
		});
		const timesAsked = (among: Run[]) =>
			among.flatMap((run) => this.duesOf(run)).filter((each) => each === due).length;
		const repeats = timesAsked(
			runs.filter(({ parameters: { options } }) => Object(options).allowRepeatCharge === true),
		);
		const allowed = repeats + (timesAsked(runs) > repeats ? 1 : 0);

		all.requests += requests.length;
		if (!isToldUnknown) all[isUnshown ? 'unshown' : 'unclear'] += untold;
		all.doubled += Math.max(0, made.length - allowed);
		if (isSaidUnknown && refused === requests.length) all.falseAlarms++;
	}
}
