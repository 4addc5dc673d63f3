import { DataDeduplicationService } from 'n8n-core';

import { ids, kept, stored, useTrigger } from '../trigger/useTrigger';
import { withDeduplicationStore, withoutDeduplicationStore } from './index';

/**
 * Checks what the test engine adds to n8n-core by its own hand: when n8n stores a trigger's state,
 * and its table of processed data. If these were wrong about n8n, the tests that run on them would
 * prove nothing. What it leaves to n8n-core shows in the tests of the operations.
 */

describe('a poller', () => {
	const { poller, add, pass, active } = useTrigger();

	test('stores the state of an activation and of what fires, an idle one not', async () => {
		const trigger = poller();
		const nothing = stored(trigger);
		expect(await trigger.poll()).toBeNull();
		expect(stored(trigger)).toBe(nothing);
		expect(kept(trigger)).not.toBe(nothing);
		await trigger.restart();
		expect(kept(trigger)).toBe(nothing);
		expect(await trigger.activate()).toBeNull();
		const activated = stored(trigger);
		expect(activated).not.toBe(nothing);
		const fresh = add(1);
		expect(ids(await trigger.poll())).toEqual(fresh);
		expect([stored(trigger), stored(trigger) === activated]).toEqual([kept(trigger), false]);
	});

	test('stores the state of idle polls in the durable engine, not that of activation', async () => {
		const trigger = poller({ engine: 'durable' });
		expect(await trigger.activate()).toBeNull();
		expect(trigger.state).toEqual({});
		expect(await trigger.poll()).toBeNull();
		expect(trigger.state).not.toEqual({});
	});

	test('drops what a superseded registration brings', async () => {
		const trigger = await active();
		add(1);
		const late = trigger.poll();
		await trigger.activate('update');
		expect(await late).toBeNull();
	});

	test('loses cursor and execution together where the transaction fails', async () => {
		const trigger = await active({ engine: 'durable' });
		await trigger.poll();
		const before = stored(trigger);
		const fresh = add(1);
		trigger.dropsNext = true;
		await trigger.poll().catch(() => null);
		expect([stored(trigger), trigger.emitted]).toEqual([before, []]);
		pass();
		expect(ids(await trigger.poll())).toEqual(fresh);
	});
});

describe('the deduplication store', () => {
	const context = { workflow: { id: 'w' }, node: { id: 'n' } };
	const mode = { mode: 'entries' as const };
	const isNew = async (item: string) => {
		const service = DataDeduplicationService.getInstance();
		const told = await service.checkProcessedAndRecord([item], 'node', Object(context), mode);
		return told.new.length === 1;
	};

	afterEach(withoutDeduplicationStore);

	test('leaves the gap of the real one between two that ask at once', async () => {
		await withDeduplicationStore();
		await isNew('first');
		expect(await Promise.all([isNew('a'), isNew('a')])).toEqual([true, true]);
	});

	test('guards the first insert alone, as a primary key does', async () => {
		await withDeduplicationStore();
		await expect(Promise.all([isNew('a'), isNew('b')])).rejects.toThrow('UNIQUE');
	});
});
