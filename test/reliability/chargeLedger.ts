import type { IDataObject } from 'n8n-workflow';

import type { RunOptions, RunResult } from '../engine';
import type { Sandbox } from '../sandbox';
import type { Tallies } from './tally';

/**
 * Balances what was asked for in a test of charges with what the sandbox has charged and what the
 * node has said, for docs/reliability.md.
 */

/** Answers to a charge that prove that nothing was charged, unless they say what became of it. */
const REFUSALS = [400, 401, 402, 403, 404, 405, 422, 429];
/** A transaction that an answer names proves it by its own status. */
const STATED =
	/"transactionID":("[^"]+"|\d+)[^]*"status":|"status":[^]*"transactionID":("[^"]+"|\d+)/;
const DECLINED = /"status":"(declined|failed|refused|rejected|voided)"/i;
const MOVED = /"status":"(captured|pending)"/i;

function isRefusal({ status = 0, answer = '' }: { status?: number; answer?: string }): boolean {
	const isStated = STATED.test(answer);
	if (REFUSALS.includes(status)) return !(isStated && MOVED.test(answer));
	return (isStated || status < 300) && DECLINED.test(answer) && !MOVED.test(answer);
}

interface Run extends Pick<RunOptions, 'parameters' | 'items' | 'settings'> {
	result: RunResult & { answer?: string };
}

type Fate = Pick<
	Tallies['charges'],
	| 'requests'
	| 'refused'
	| 'leftOpen'
	| 'foundOut'
	| 'toldUnknown'
	| 'unshown'
	| 'made'
	| 'doubled'
	| 'unclear'
	| 'falseAlarms'
>;

const isString = (value: unknown): value is string => typeof value === 'string';

function mayRepeat({ parameters: { options } }: Run): boolean {
	return (
		typeof options === 'object' &&
		options !== null &&
		Reflect.get(options, 'allowRepeatCharge') === true
	);
}

/** All that a run has said in words. */
function wordsOf({ result: { items, error, answer } }: Run): string[] {
	return [...items.map((item: IDataObject) => item.error), error?.message, answer].filter(isString);
}

/** The charges of a test. What the sandbox has received and charged counts as the truth. */
export class ChargeLedger {
	private runs: Run[] = [];
	private faults = 0;

	/** Counts the sandbox's faults as they happen. */
	constructor(private readonly sandbox: Sandbox) {
		const { fault } = sandbox;
		sandbox.fault = (scripted) => {
			const run = () => {
				this.faults++;
				scripted.run?.();
			};
			fault({ ...scripted, run });
		};
	}

	startOver(): void {
		this.runs = [];
		this.faults = 0;
	}

	note(run: Run): void {
		this.runs.push(run);
	}

	balance(): Tallies['charges'] {
		const asked = this.runs.flatMap((run) => this.duesOf(run));
		const requested = this.requests.map(({ due }) => due);
		const fates = [...new Set([...asked, ...requested])].map((due) => this.fateOf(due));
		const sum = (name: keyof Fate) => fates.reduce((total, fate) => total + fate[name], 0);
		const { charges } = this.sandbox;
		const told = this.runs
			.flatMap(({ result }) => result.items)
			.filter(({ charged }) => charged === true);
		return {
			scenarios: 1,
			faults: this.faults,
			runs: this.runs.length,
			repeating: this.runs.filter(({ settings }) => settings?.retryOnFail === true).length,
			asked: asked.length,
			requests: sum('requests'),
			refused: sum('refused'),
			leftOpen: sum('leftOpen'),
			foundOut: sum('foundOut'),
			toldUnknown: sum('toldUnknown'),
			unshown: sum('unshown'),
			made: sum('made'),
			lost: told.filter(
				(item) => !charges.some(({ transactionID }) => transactionID === item.transactionID),
			).length,
			doubled: sum('doubled'),
			unclear: sum('unclear'),
			falseAlarms: sum('falseAlarms'),
		};
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

	private fateOf(due: string): Fate {
		const runs = this.runs.filter((run) => this.duesOf(run).includes(due));
		const requests = this.requests.filter((request) => request.due === due);
		const made = this.sandbox.charges
			.filter(({ paymentData }) => this.dueOf(paymentData) === due)
			.map(({ transactionID }) => transactionID);

		const outputs = runs.flatMap(({ result }) => result.items);
		const isIn = (items: IDataObject[]) => (id: string) =>
			items.some(({ transactionID }) => transactionID === id);
		const confirmed = made.filter(isIn(outputs.filter(({ charged }) => charged === true)));
		const foundOut = made.filter(isIn(outputs)).length - confirmed.length;
		const refused = requests.filter(({ isRefused }) => isRefused).length;
		// The service has named it, and so has the node, but it has yet to charge it.
		const pending = requests.filter(
			({ transactionID: id, isRefused }) => !isRefused && !made.includes(id) && isIn(outputs)(id),
		).length;
		const untold = requests.length - refused - confirmed.length - foundOut - pending;

		const words = runs.flatMap(wordsOf);
		const isSaidUnknown = words.some((each) =>
			/not known whether this payment was charged/.test(each),
		);
		// What another execution is charging, or has, is told with where to look.
		const isToldUnknown =
			isSaidUnknown || words.some((each) => /^Another execution is charging/.test(each));
		// n8n shows no output of a run that it ended because of another item, or that was cancelled.
		const isUnshown = runs.some((run) => {
			const { error, status } = run.result;
			const blamed = error?.context?.itemIndex;
			return status !== 'success' && this.duesOf(run)[blamed ?? -1] !== due;
		});
		const [toldUnknown, unshown, unclear] = isToldUnknown
			? [untold, 0, 0]
			: isUnshown
				? [0, untold, 0]
				: [0, 0, untold];

		const asked = runs.flatMap((run) => this.duesOf(run).filter((each) => each === due));
		const repeats = runs
			.filter(mayRepeat)
			.flatMap((run) => this.duesOf(run).filter((each) => each === due)).length;
		const allowed = repeats + (asked.length > repeats ? 1 : 0);
		return {
			requests: requests.length,
			refused,
			leftOpen: foundOut + toldUnknown + unclear,
			foundOut,
			toldUnknown,
			unshown,
			made: made.length,
			doubled: Math.max(0, made.length - allowed),
			unclear,
			falseAlarms: isSaidUnknown && refused === requests.length ? 1 : 0,
		};
	}
}
