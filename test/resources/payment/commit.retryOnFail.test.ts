import { output } from '../../engine';
import { COMMIT, UNKNOWN, once, useCharges } from './charges';

/** When n8n runs the node again, what was sent before is not sent again. */

const { sandbox, commit, cart, seen } = useCharges();

describe('6. Retry On Fail', () => {
	const failsLast = () => {
		const items = ['A', 'B', 'C'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		return [...items, { cart: 'not a cart' }];
	};
	const retry = { retryOnFail: true, maxTries: 3 };

	test.each([{}, { options: { allowRepeatCharge: true } }])(
		'charges no item again when another fails (%j)',
		async (parameters) => {
			sandbox.settings.eventLag = Infinity;
			const run = await commit(
				{ paymentData: '={{ $json.cart }}', ...parameters },
				{ items: failsLast(), settings: retry },
			);
			expect(run.error?.message).toContain('cannot be decrypted');
			expect(sandbox.charges.map(({ referenceID }) => referenceID)).toEqual(['A', 'B', 'C']);
			expect(seen()).toMatchObject({ commits: 3 });
		},
	);

	test('tells each item of what it has charged, also when n8n goes on', async () => {
		sandbox.settings.eventLag = Infinity;
		const settings = { ...retry, onError: 'continueRegularOutput' as const };
		// n8n looks at the first item alone to see whether to try again.
		const items = failsLast().reverse();
		const run = await commit({ paymentData: '={{ $json.cart }}' }, { items, settings });
		expect(run.items).toMatchObject([
			{ error: expect.stringContaining('cannot be decrypted') },
			{ charged: true, status: 'CAPTURED', referenceID: 'C', computedTotal: 2500 },
			{ charged: true, status: 'CAPTURED', referenceID: 'B' },
			{ charged: true, status: 'CAPTURED', referenceID: 'A' },
		]);
		const byReference = new Map(run.items.map((item) => [item.referenceID, item.transactionID]));
		for (const { referenceID, transactionID } of sandbox.charges) {
			expect(byReference.get(referenceID)).toBe(transactionID);
		}
		expect(seen()).toMatchObject({ commits: 3, charges: 3 });
	});

	test('finds out what became of a charge whose answer was lost', async () => {
		sandbox.fault({ on: COMMIT, drop: 'after' });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		const { transactionID } = sandbox.charges[0] ?? {};
		expect(output(run)).toMatchObject([{ status: 'ALREADY_PAID', transactionID }]);
		expect(seen()).toEqual(once);
	});

	test.each([{}, { options: { allowRepeatCharge: true } }])(
		'says what is known when its answer was lost and the cart is gone (%j)',
		async (parameters) => {
			sandbox.settings.eventLag = Infinity;
			sandbox.fault({ on: COMMIT, drop: 'after' });
			sandbox.fault({ on: 'computeTokenizedCheckout', after: 1, status: 404, times: Infinity });
			const run = await commit({ paymentData: cart(), ...parameters }, { settings: retry });
			expect(run.error?.message).toMatch(UNKNOWN);
			expect(seen()).toEqual(once);
		},
	);

	test('a lookup that fails afterwards does not hide that it was sent', async () => {
		sandbox.fault({ on: COMMIT, drop: 'after', run: () => loseLookups() });
		const loseLookups = () => sandbox.fault({ on: 'webhookEvents', status: 500, times: Infinity });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('a failed payment that shows is told, and not tried again', async () => {
		sandbox.settings.chargeOutcome = 'declined';
		sandbox.fault({ on: COMMIT, status: 500, workFirst: true });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		expect(run.error?.message).toMatch(UNKNOWN);
		expect(run.error?.message).toMatch(/failed payment/);
		expect(seen()).toMatchObject({ commits: 1, charges: 0 });
	});

	test('tries a plain refusal again', async () => {
		sandbox.fault({ on: COMMIT, status: 400 });
		const run = await commit({ paymentData: cart() }, { settings: retry });
		expect(output(run)).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});
});
