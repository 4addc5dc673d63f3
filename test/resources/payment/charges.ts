import type { INodeParameters } from 'n8n-workflow';

import type { AgentOptions, RunOptions, RunResult } from '../../engine';
import { engine, output, withoutDeduplicationStore } from '../../engine';
import { ChargeLedger } from '../../reliability/chargeLedger';
import { tally } from '../../reliability/tally';
import type { CartInput, EventInput } from '../../sandbox';
import { useNode } from '../../useNode';

/** What the tests of Payment → Charge have in common: a customer is charged once, or not at all. */

export const COMMIT = 'createTokenizedManualEntry';
export const REFERENCE = 'ORDER-7731';
export const CARD = { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' };
export const ACH = {
	accountNumber: '000123456789',
	routingNumber: '110000000',
	accountType: 'CHECKING',
	accountHolderType: 'PERSONAL',
};

export const nothingSent = { requests: 0, commits: 0, charges: 0 };
export const nothingCharged = expect.objectContaining({ commits: 0, charges: 0 });
export const once = expect.objectContaining({ commits: 1, charges: 1 });

export const goOn = { onError: 'continueRegularOutput' as const };
export const retry = { retryOnFail: true, maxTries: 3 };

/** Says that nobody knows, what not to do, and where to look. */
export const unknown = (reference = REFERENCE) =>
	new RegExp(
		`^It is not known whether this payment was charged .*Do not send it again; use Payment → Get Status with the reference "${reference}"`,
	);
export const UNKNOWN = unknown();
/** What no message to a person holds. */
export const GARBLED = /undefined|NaN|\[object/;

export const words = ({ error }: RunResult) => `${error?.message}\n${error?.description ?? ''}`;

export const parametersOf = (more: INodeParameters): INodeParameters => ({
	resource: 'payment',
	operation: 'charge',
	customerConsent: true,
	card: { details: CARD },
	...more,
});

/** Charges by the node or by an agent, and after each test settles what the gateway has charged. */
export function useCharges() {
	const { sandbox, credentials, run } = useNode();
	const ledger = new ChargeLedger(sandbox);
	// The gateway starts over with each test, so what was charged in the last one must be forgotten.
	beforeEach(() => engine.restart());
	afterEach(withoutDeduplicationStore);
	afterEach(settle);

	/** Compares what has happened since the last time with what was said of it. */
	function settle(): void {
		const balance = ledger.balance();
		ledger.startOver();
		tally('charges', balance);
		expect(balance).toMatchObject({ lost: 0, doubled: 0, unclear: 0, falseAlarms: 0 });
	}

	/** Of a cart that was made for it, unless it is told which. */
	async function commit(more: INodeParameters = {}, options: Partial<RunOptions> = {}) {
		const parameters = parametersOf({ paymentData: more.paymentData ?? cart(), ...more });
		const result = await run(parameters, options);
		ledger.note({ ...options, parameters, result });
		return result;
	}

	async function agentCommit(options: Pick<AgentOptions, 'parameters' | 'args' | 'via'>) {
		const result = await engine.agentRun({ credentials: credentials(), ...options });
		ledger.note({ parameters: options.parameters, items: [options.args ?? {}], result });
		return result;
	}

	const cart = (more: CartInput = {}) => sandbox.addCart({ referenceID: REFERENCE, ...more });

	return {
		sandbox,
		credentials,
		/** Any operation. */
		runNode: run,
		commit,
		agentCommit,
		startOver: () => {
			settle();
			sandbox.reset();
			engine.restart();
		},
		cart,
		/** The items of a charge that must not fail. */
		charge: async (...given: Parameters<typeof commit>) => output(await commit(...given)),
		/** What is said where it does. */
		refusal: async (...given: Parameters<typeof commit>) => {
			const said = words(await commit(...given));
			expect(said).not.toMatch(GARBLED);
			return said;
		},
		event: (type: string, more: EventInput = {}) =>
			sandbox.addEvent({ type: `payment_${type}`, referenceID: REFERENCE, ...more }),
		/** What left for the gateway, and what it has really charged. */
		seen: () => ({
			requests: sandbox.requests.length,
			commits: sandbox.requestsTo(COMMIT).length,
			charges: sandbox.charges.length,
		}),
	};
}
