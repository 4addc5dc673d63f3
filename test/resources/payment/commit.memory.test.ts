import type { ICheckProcessedContextData, ICheckProcessedOptions } from 'n8n-workflow';

import { DeduplicationStore, log, output, withDeduplicationStore } from '../../engine';
import { foundIn } from '../../reliability/secrets';
import {
	COMMIT,
	REFERENCE,
	CARD,
	UNKNOWN,
	nothingCharged,
	once,
	words,
	useCharges,
} from './charges';

/** What a charge leaves behind, in the execution, in the store and in logs, and what that is good for. */

const { sandbox, commit, cart, paid, seen } = useCharges();

describe('6. what is kept', () => {
	/** The code in quotes, as any hash may hold three digits. */
	const secrets = (paymentData: string) => {
		const { cardToken, cvc, expiryDate } = CARD;
		return [paymentData, REFERENCE, cardToken, expiryDate, JSON.stringify(cvc)];
	};

	test('is hashes, in the contexts and in the store', async () => {
		const store = await withDeduplicationStore();
		const paymentData = cart();
		for (const options of [{}, { allowRepeatCharge: true }]) {
			const run = await commit({ paymentData, options });
			const { contextData } = run.run.data.executionData ?? {};
			const kept = JSON.stringify([contextData, [...store.rows]]);
			expect(Object.keys(contextData?.['node:Payments Gateway'] ?? {})).toHaveLength(1);
			const { privateToken } = sandbox.credentials;
			expect(foundIn(kept, [...secrets(paymentData), privateToken])).toEqual([]);
		}
	});

	test('never are details of a card, be it in results, errors or logs', async () => {
		const paymentData = cart();
		const { cardToken, cvc } = CARD;
		const echo = { status: 422, body: { message: `Bad card ${cardToken}, code ${cvc}` } };
		sandbox.fault({ on: COMMIT, ...echo });
		const run = await commit({ paymentData });
		const told = `${words(run)} ${JSON.stringify(run.error)} ${log.lines.join('\n')}`;
		expect(told).toContain('Bad card');
		expect(foundIn(told, [cardToken])).toEqual([]);
		expect(foundIn(words(run), [cvc])).toEqual([]);
	});

	test.each(['INV 987', '987', 'INV/987/2026'])(
		'never is a reference taken for a security code (%s)',
		async (referenceID) => {
			const run = await commit({ paymentData: cart({ referenceID }) });
			expect(output(run)).toMatchObject([{ charged: true, referenceID }]);
			sandbox.fault({ on: COMMIT, status: 500, body: `Code ${CARD.cvc} is wrong` });
			const lost = await commit({ paymentData: cart({ referenceID: `${referenceID} b` }) });
			expect(lost.error?.message).toContain(`with the reference "${referenceID} b"`);
			expect(lost.error?.message).toContain('Code •••• is wrong');
		},
	);

	test('the store carries it into later executions', async () => {
		await withDeduplicationStore();
		sandbox.settings.eventLag = Infinity;
		output(await commit({ paymentData: cart() }));
		const later = await commit({ paymentData: cart() });
		expect(later.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
		sandbox.settings.eventLag = 0;
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('the store forgets what was plainly refused', async () => {
		await withDeduplicationStore();
		sandbox.fault({ on: COMMIT, status: 402 });
		expect((await commit({ paymentData: cart() })).error).toBeDefined();
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([{ charged: true }]);
	});

	test('the store lets a refunded payment be made anew, once', async () => {
		await withDeduplicationStore();
		output(await commit({ paymentData: cart() }));
		sandbox.refund(sandbox.charges[0]?.transactionID ?? '');
		sandbox.settings.eventLag = 0;
		output(await commit({ paymentData: cart() }));
		// The second payment lags behind, and a repetition of the first event is no new payment.
		const [, , second] = sandbox.events;
		sandbox.removeEvent(second?.eventID ?? '');
		paid({ transactionID: sandbox.charges[0]?.transactionID ?? '' });
		const third = await commit({ paymentData: cart() });
		expect(third.error?.message).toMatch(UNKNOWN);
		expect(sandbox.charges).toHaveLength(2);
	});

	test('a store that fails stops no charge', async () => {
		const store = await withDeduplicationStore();
		store.failure = new Error('The database is away');
		output(await commit({ paymentData: cart() }));
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('two workers whose first rows collide charge once', async () => {
		class Colliding extends DeduplicationStore {
			private calls = 0;

			override async checkProcessedAndRecord(
				items: string[],
				scope: 'node' | 'workflow',
				context: ICheckProcessedContextData,
				options: ICheckProcessedOptions,
			) {
				const answer = await super.checkProcessedAndRecord(items, scope, context, options);
				// The other worker has written the row in between.
				if (++this.calls === 1) throw new Error('UNIQUE constraint failed');
				return answer;
			}
		}
		await withDeduplicationStore(new Colliding());
		const run = await commit({ paymentData: cart() });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(nothingCharged);
	});
});
