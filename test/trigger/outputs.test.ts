import fc from 'fast-check';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import type { Choice } from '../../nodes/PaymentsGateway/trigger/outputs';
import { isChosen, outputsOf } from '../../nodes/PaymentsGateway/trigger/outputs';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';

/** Nothing that a payload holds may stop the trigger: every event that is chosen leaves. */

const mask = createMask(['a-secret-token']);
const choice: Choice = {
	events: ['*'],
	isPerEvent: false,
	isSimple: true,
	isSensitive: false,
	referenceId: '',
};
const eventOf = (payload: unknown) =>
	({ eventID: 'evt_1', type: 'payment_success', date: '2026-06-01', payload }) as WebhookEvent;

const deep = (depth: number) => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`;

test.each([
	['nested ten thousand deep', deep(10_000)],
	['nested a million deep', deep(1_000_000)],
	['a million letters long', `{"a":"${'x'.repeat(1_000_000)}"}`],
	['half a letter', '"\uD800"'],
	['named like what objects have', '{"__proto__":{"toString":1},"constructor":null}'],
])('a payload %s', (_, payload) => {
	for (const isSimple of [true, false]) {
		expect(isChosen({ ...choice, referenceId: 'ORDER-1' }, eventOf(payload))).toBe(false);
		const [items] = outputsOf([eventOf(payload)], { ...choice, isSimple }, mask) ?? [];
		expect(items).toMatchObject([{ json: { eventID: 'evt_1', type: 'payment_success' } }]);
		expect(() => JSON.stringify(items)).not.toThrow();
	}
});

test('any payload', () => {
	const payload = fc.oneof(
		fc.anything(),
		fc.json(),
		fc.json().map((json) => JSON.stringify(json)),
	);
	fc.assert(
		fc.property(payload, fc.boolean(), (any, isSimple) => {
			expect(typeof isChosen({ ...choice, referenceId: 'ORDER-1' }, eventOf(any))).toBe('boolean');
			expect(outputsOf([eventOf(any)], { ...choice, isSimple }, mask)?.[0]).toHaveLength(1);
		}),
	);
});

test.each([
	['{"transaction":{"referenceID":"ORDER-1","status":"CAPT', true],
	['{"transaction":{"referenceID" : "ORDER-1', false],
	['{"transaction":{"referenceID":"ORDER-10","status":"CAPT', false],
	['{"transaction":{"note":"ORDER-1","status":"CAPT', false],
])('one that broke off still says whose it is: %s', (payload, isIt) => {
	expect(isChosen({ ...choice, referenceId: 'ORDER-1' }, eventOf(payload))).toBe(isIt);
});

test('one that cannot be shown leaves without it', () => {
	const value = () => {
		throw new Error('not to be shown');
	};
	const { payload, ...shown } = eventOf('{}');
	const json = { ...shown, payloadError: 'The payload could not be read' };
	expect(outputsOf([{ ...shown, payload }], choice, { ...mask, value })).toEqual([[{ json }]]);
});
