import type { INodeParameters } from 'n8n-workflow';

import { withinLimit } from '../../nodes/PaymentsGateway/gateway/timeLimit';
import type { Fault } from '../sandbox';
import { shortenLimit } from '../timeLimits';
import { useNode } from '../useNode';

const { sandbox, run } = useNode();

const never = new Promise<never>(() => {});

const running = new AbortController().signal;

describe('a task', () => {
	test('that is done in time gives what it has, and leaves its signal alone', async () => {
		let given: AbortSignal | undefined;
		const done = withinLimit(20, running, async (signal) => {
			given = signal;
			return await Promise.resolve('done');
		});
		expect(await done).toBe('done');
		await new Promise((resolve) => setTimeout(resolve, 60));
		expect(given?.aborted).toBe(false);
	});

	test('that fails, fails as it is', async () => {
		const failure = new Error('No connection');
		await expect(withinLimit(1_000, running, () => Promise.reject(failure))).rejects.toBe(failure);
	});

	test('that takes too long is given up, and told so', async () => {
		let given: AbortSignal | undefined;
		const late = withinLimit(20.5, running, async (signal) => {
			given = signal;
			return await never;
		});
		await expect(late).rejects.toMatchObject({ code: 'ETIMEDOUT' });
		expect(given?.aborted).toBe(true);
	});

	test('that fails after its time was up disturbs nobody', async () => {
		const unhandled = jest.fn();
		process.on('unhandledRejection', unhandled);
		const late = withinLimit(10, running, async () => {
			await new Promise((resolve) => setTimeout(resolve, 40));
			throw new Error('Too late');
		});
		await expect(late).rejects.toMatchObject({ code: 'ETIMEDOUT' });
		await new Promise((resolve) => setTimeout(resolve, 80));
		process.off('unhandledRejection', unhandled);
		expect(unhandled).not.toHaveBeenCalled();
	});

	test('is told when the execution is cancelled, and ends as it likes', async () => {
		const cancel = new AbortController();
		const cancelled = withinLimit(
			1_000,
			cancel.signal,
			async (signal) =>
				await new Promise((_, reject) => {
					signal.addEventListener('abort', () => reject(new Error('Canceled')));
				}),
		);
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

		const customer = { __rl: true, mode: 'id', value: 'cus_1' };
		const operations: Array<[string, number, number, INodeParameters]> = [
			['a read', 30_000, 3, { resource: 'customer', operation: 'get', customerId: customer }],
			['a write', 60_000, 1, { resource: 'customer', operation: 'delete', customerId: customer }],
		];

		test.each(operations)('ends %s after its time limit', async (_, limit, tries, parameters) => {
			sandbox.addCustomer({ id: 'cus_1' });
			withLimitOf(limit, { times: Infinity });
			const { error } = await run(parameters);
			// As long as it really took.
			expect(error?.message).toMatch(/^The gateway did not answer within \d(\.\d)? seconds$/);
			expect(sandbox.requests).toHaveLength(tries);
			await connectionsClosed();
		});

		test('leaves a charge unknown after its time limit, and its place to others', async () => {
			// A reference of its own: what this process has sent is not sent again.
			const referenceID = `ORDER-${drip}`;
			const item = () => ({ cart: sandbox.addCart({ referenceID, amount: 1_900 }) });
			withLimitOf(120_000, { on: 'createTokenizedManualEntry' });
			const { error } = await run(
				{
					resource: 'payment',
					operation: 'commit',
					customerConsent: true,
					paymentData: '={{ $json.cart }}',
					card: { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } },
				},
				{ items: [item()] },
			);
			expect(error?.message).toMatch(/It is not known whether this payment was charged/);
			expect(sandbox.requestsTo('createTokenizedManualEntry')).toHaveLength(1);
			expect(sandbox.charges).toHaveLength(1);
			await connectionsClosed();
		});
	},
);
