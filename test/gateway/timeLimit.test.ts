import type { INodeParameters } from 'n8n-workflow';

import { withinLimit } from '../../nodes/PaymentsGateway/gateway/timeLimit';
import type { Fault } from '../sandbox';
import { shortenLimit } from '../timeLimits';
import { useNode } from '../useNode';
import { get } from './asking';

const { sandbox, run } = useNode();

describe('a task', () => {
	test('that fails, fails as it is', async () => {
		const failure = new Error('No connection');
		const failing = withinLimit(1_000, undefined, () => Promise.reject(failure));
		await expect(failing).rejects.toBe(failure);
	});

	test('that takes too long is given up, and disturbs nobody when it fails later', async () => {
		const unhandled = jest.fn();
		process.on('unhandledRejection', unhandled);
		const late = withinLimit(10.5, undefined, async (signal) => {
			await new Promise((resolve) => setTimeout(resolve, 40));
			throw new Error(`Aborted: ${signal.aborted}`);
		});
		await expect(late).rejects.toMatchObject({ code: 'ETIMEDOUT' });
		await new Promise((resolve) => setTimeout(resolve, 60));
		process.off('unhandledRejection', unhandled);
		expect(unhandled).not.toHaveBeenCalled();
	});

	test('is told when the execution is cancelled, and ends as it likes', async () => {
		const cancel = new AbortController();
		const untilAborted = async (signal: AbortSignal) => {
			await new Promise((resolve) => signal.addEventListener('abort', resolve));
			throw new Error('Canceled');
		};
		const cancelled = withinLimit(1_000, cancel.signal, untilAborted);
		cancel.abort();
		await expect(cancelled).rejects.toThrow('Canceled');
	});
});

describe.each<NonNullable<Fault['drip']>>(['headers', 'body', 'nothing'])(
	'an answer that never ends (%s)',
	(drip) => {
		let short: ReturnType<typeof shortenLimit>;
		const withLimitOf = (milliseconds: number, more: Fault = {}) => {
			short = shortenLimit(milliseconds);
			sandbox.fault({ drip, run: () => short.isOverSoon(), ...more });
		};
		afterEach(() => short.restore());

		/** Given up for good: nothing is left open at the service. */
		const connectionsClosed = async () => {
			const isOpen = () => sandbox.requests.some(({ answeredAt }) => answeredAt === undefined);
			while (isOpen()) await new Promise((resolve) => setTimeout(resolve, 5));
		};

		const remove = { ...get, operation: 'delete' };
		test.each<[string, number, number, INodeParameters]>([
			['a read', 30_000, 3, get],
			['a write', 60_000, 1, remove],
		])('ends %s after its time limit', async (_, limit, tries, parameters) => {
			sandbox.addCustomer({ id: 'cus_1' });
			withLimitOf(limit, { times: Infinity });
			const { error } = await run(parameters);
			// As long as it really took.
			expect(error?.message).toMatch(/^The gateway did not answer within \d(\.\d)? seconds$/);
			expect(sandbox.requests).toHaveLength(tries);
			await connectionsClosed();
		});

		test('leaves a charge unknown after its time limit', async () => {
			// A reference of its own: what this process has sent is not sent again.
			const paymentData = sandbox.addCart({ referenceID: `ORDER-${drip}`, amount: 1_900 });
			withLimitOf(120_000, { on: 'createTokenizedManualEntry' });
			const { error } = await run({
				...{ resource: 'payment', operation: 'commit', customerConsent: true },
				paymentData,
				card: { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } },
			});
			expect(error?.message).toMatch(/It is not known whether this payment was charged/);
			expect(sandbox.requestsTo('createTokenizedManualEntry')).toHaveLength(1);
			expect(sandbox.charges).toHaveLength(1);
			await connectionsClosed();
		});
	},
);
