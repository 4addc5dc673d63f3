import type { INodeParameters } from 'n8n-workflow';

import { withinLimit } from '../../nodes/PaymentsGateway/gateway/timeLimit';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import type { Fault } from '../sandbox';
import { shortenLimit } from '../timeLimits';
import { useNode } from '../useNode';
import { commit, get } from './asking';

const { sandbox, run } = useNode();

describe('a task', () => {
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
		const charge = () => ({
			...commit,
			// A reference of its own: what this process has sent is not sent again.
			paymentData: sandbox.addCart({ referenceID: `ORDER-${drip}`, amount: 1_900 }),
		});
		// As long as it really took.
		const WITHIN = /^The gateway did not answer within [\d.]*[1-9][\d.]* seconds$/;
		const UNKNOWN = /It is not known whether this payment was charged/;

		test.each<[Endpoint, number, number, () => INodeParameters, RegExp]>([
			['customer', 30_000, 3, () => get, WITHIN],
			['deleteCustomer', 60_000, 1, () => ({ ...get, operation: 'delete' }), WITHIN],
			['createTokenizedManualEntry', 120_000, 1, charge, UNKNOWN],
		])('of %s ends after %i ms, in %i tries', async (on, limit, tries, parameters, words) => {
			const short = shortenLimit(limit);
			sandbox.addCustomer({ id: 'cus_1' });
			sandbox.fault({ on, drip, run: () => short.isOverSoon(), times: Infinity });
			const { error } = await run(parameters());
			short.restore();
			expect(error?.message).toMatch(words);
			expect(sandbox.requestsTo(on)).toHaveLength(tries);
			// Given up for good: nothing is left open at the service.
			const isOpen = () => sandbox.requests.some(({ answeredAt }) => answeredAt === undefined);
			while (isOpen()) await new Promise((resolve) => setTimeout(resolve, 5));
		});
	},
);
