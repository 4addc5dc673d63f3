import type { INodeParameters } from 'n8n-workflow';

import { REFUSAL_GAP } from '../../../nodes/PaymentsGateway/charge/sentCharges';
import type { AgentOptions, RunOptions, RunResult } from '../../engine';
import { engine, output, withoutDeduplicationStore } from '../../engine';
import { ChargeLedger } from '../../reliability/chargeLedger';
import { tally } from '../../reliability/tally';
import type { CartInput, EventInput } from '../../sandbox';
import { useNode } from '../../useNode';

/** Shared by the tests of Payment → Charge: a customer is charged once, or not at all. */

export const CHARGE = 'createTokenizedManualEntry';
export const REFERENCE = 'ORDER-7731';
export const CARD = { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' };
export const ACH = {
	accountNumber: '000123456789',
	routingNumber: '110000000',
	accountType: 'CHECKING',
	accountHolderType: 'PERSONAL',
};

/** Expected of `counts()`. `nothingCharged`: no request to charge was sent. */
export const nothingSent = { requests: 0, chargeRequests: 0, charges: 0 };
export const nothingCharged = expect.objectContaining({ chargeRequests: 0, charges: 0 });
export const chargedOnce = expect.objectContaining({ chargeRequests: 1, charges: 1 });

export const continueOnFail = { onError: 'continueRegularOutput' as const };
export const retry = { retryOnFail: true, maxTries: 3 };

/** The message of an unknown outcome: what not to do, and where to look. */
export const unknown = (reference = REFERENCE) =>
	new RegExp(
		`^It is not known whether this payment was charged .*Do not send it again; use Payment → Get Status with the reference "${reference}"`,
	);
export const UNKNOWN = unknown();
/** No error message contains this. */
export const GARBLED = /undefined|NaN|\[object/;

/** The message and the description of the error that ended a run. */
export const errorText = ({ error }: RunResult) => `${error?.message}\n${error?.description ?? ''}`;

export const parametersOf = (more: INodeParameters): INodeParameters => ({
	resource: 'payment',
	operation: 'charge',
	customerConsent: true,
	card: { details: CARD },
	...more,
});

/** A moment this many seconds from now. */
export const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/** Runs while the machine's clock is ahead: the names of locks depend on it. */
export const withClockAhead = async <T>(ms: number, run: () => Promise<T>): Promise<T> => {
	const now = Date.now.bind(Date);
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
	return await run().finally(() => clock.mockRestore());
};

/** Runs charges, by the node or by an agent. After each test, `checkLedger` runs. */
export function useCharges() {
	const { sandbox, credentials, run, advancePerformanceNow } = useNode();
	const ledger = new ChargeLedger(sandbox);
	// The gateway starts over with each test, so n8n must forget the last test's charges.
	beforeEach(() => engine.restart());
	afterEach(withoutDeduplicationStore);
	afterEach(checkLedger);

	/** Compares what the gateway has charged since the last call with what the runs reported. */
	function checkLedger(): void {
		const balance = ledger.balance();
		ledger.startOver();
		tally('charges', balance);
		expect(balance).toMatchObject({ neverMade: 0, doubled: 0, unclear: 0, falseAlarms: 0 });
	}

	let running = 0;
	async function runCharge(more: INodeParameters = {}, options: Partial<RunOptions> = {}) {
		const parameters = parametersOf({ paymentData: more.paymentData ?? cart(), ...more });
		// A run that begins alone waits for no refusal of an earlier run.
		if (running === 0) advancePerformanceNow(REFUSAL_GAP);
		running += 1;
		const result = await run(parameters, options).finally(() => (running -= 1));
		ledger.note({ ...options, parameters, result });
		return result;
	}

	async function runAgentCharge(options: Pick<AgentOptions, 'parameters' | 'args' | 'via'>) {
		const result = await engine.agentRun({ credentials: credentials(), ...options });
		ledger.note({ parameters: options.parameters, items: [options.args ?? {}], result });
		return result;
	}

	const cart = (more: CartInput = {}) => sandbox.addCart({ referenceID: REFERENCE, ...more });

	return {
		sandbox,
		credentials,
		/** Runs any operation. */
		runNode: run,
		/** Runs Charge, with a new cart unless one is given. Returns the run, even if it failed. */
		runCharge,
		/** Lets an AI agent call Charge as its tool. */
		runAgentCharge,
		/** Starts over within a test: with an empty gateway, and n8n after a restart. */
		startOver: () => {
			checkLedger();
			sandbox.reset();
			engine.restart();
		},
		/** Adds a cart with the common reference. Returns its payment data. */
		cart,
		/** Runs Charge, which must not fail. Returns its items. */
		charge: async (...given: Parameters<typeof runCharge>) => output(await runCharge(...given)),
		/** Runs Charge, which must fail. Returns the text of its error. */
		chargeError: async (...given: Parameters<typeof runCharge>) => {
			const text = errorText(await runCharge(...given));
			expect(text).not.toMatch(GARBLED);
			return text;
		},
		/** Adds an event of the common reference. */
		event: (type: string, more: EventInput = {}) =>
			sandbox.addEvent({ type: `payment_${type}`, referenceID: REFERENCE, ...more }),
		/** How many requests were sent, how many of them to charge, and how many charges were made. */
		counts: () => ({
			requests: sandbox.requests.length,
			chargeRequests: sandbox.requestsTo(CHARGE).length,
			charges: sandbox.charges.length,
		}),
	};
}
