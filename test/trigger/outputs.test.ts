import fc from 'fast-check';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { isChosen, outputsOf } from '../../nodes/PaymentsGateway/trigger/outputs';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';

/** Nothing that a payload holds may stop the trigger: every event that is chosen leaves. */

const mask = createMask(['a-secret-token']);
const choice = { events: ['*'], isPerEvent: false, referenceId: '' };
const event = { eventID: 'evt_1', type: 'payment_success', date: '2026-06-01' };

function expectToLeave(payload: unknown): void {
	const given = { ...event, payload } as WebhookEvent;
	for (const isSimple of [true, false]) {
		const isAbout = isChosen({ ...choice, isSimple, referenceId: 'ORDER-1' }, given);
		expect(typeof isAbout).toBe('boolean');
		const [items] = outputsOf([given], { ...choice, isSimple }, mask) ?? [];
		expect(items).toMatchObject([{ json: { eventID: 'evt_1', type: 'payment_success' } }]);
		expect(() => JSON.stringify(items)).not.toThrow();
	}
}

test.each([
	['nested ten thousand deep', `${'{"a":['.repeat(10_000)}${']}'.repeat(10_000)}`],
	['a million letters long', `{"a":"${'x'.repeat(1_000_000)}"}`],
	['half a letter', '"\uD800"'],
])('a payload %s', (_, payload) => expectToLeave(payload));

test('any payload', () => {
	const json = fc.json();
	const twice = json.map((text) => JSON.stringify(text));
	fc.assert(fc.property(fc.oneof(fc.anything(), json, twice), expectToLeave));
});

test('one that cannot be shown leaves without it', () => {
	const value = () => {
		throw new Error('not to be shown');
	};
	const given = { ...event, payload: '{}' } as WebhookEvent;
	const json = { ...event, payloadError: 'The payload could not be read' };
	const outputs = outputsOf([given], { ...choice, isSimple: true }, { ...mask, value });
	expect(outputs).toEqual([[{ json }]]);
});
