import type { INode } from 'n8n-workflow';

import { ChargeLock } from '../../nodes/PaymentsGateway/charge/chargeLock';
import { keysOf } from '../../nodes/PaymentsGateway/charge/keys';
import type { LockStore } from '../../nodes/PaymentsGateway/charge/lockStore';
import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import type { OperationContext } from '../../nodes/PaymentsGateway/operation/operation';
import { standIn } from '../engine/instance';

/**
 * The keys by which a charge is found again. n8n stores `lock`, and `node` is hashed into it: an update
 * of this package must find the locks that are held, so these two must never change. If this test fails
 * for one of them, the change is wrong, not the test. The other keys live as long as the process.
 */

const CHARGE = { paymentData: 'cart-1', referenceID: 'ORDER-1' };

function givenContext(executionId = 'execution-1') {
	const context = standIn<OperationContext['context']>('context', {
		getWorkflow: () => ({ id: 'workflow-1', name: 'Shop', active: true }),
		getNode: () => standIn<INode>('node', { id: 'node-1', name: 'Charge' }),
		getExecutionId: () => executionId,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }) as never,
	});
	const client = standIn<Client>('client', { scope: 'merchant-1' });
	return standIn<OperationContext>('operation', { client, context, itemIndex: 0 });
}

test('the keys of a charge are these hashes', () => {
	expect(keysOf(givenContext(), CHARGE)).toEqual({
		item: 'd80ed9ea345191b437d2cc7d27cccd1a009e00df9817399a9e626e67e14cb286',
		identities: [
			'5fa4615d5067e3f2f93471b21b864b55170cf6c2d2fd1c782dc3c6047aa52f85',
			'e6f715fab0ad00a030e3f041a8ee9fd680b5af575f971925aa2524166b7e9903',
		],
		node: '46e12b6b727ff1a61fdc3bcd5bfe411cf4b78be299e44b8c4526c837001597e6',
		lock: '020311f96bccbf11da31b3c300361d4d475ac5888121bbdece145790509f57fd',
	});
});

test('a cart without a reference is found by its payment data alone', () => {
	const withoutReference = { ...CHARGE, referenceID: '' };
	const [paymentData, ...others] = keysOf(givenContext(), withoutReference).identities;
	expect(others).toEqual([]);
	expect(keysOf(givenContext(), CHARGE).identities).toContain(paymentData);
});

test('outside of an execution, no two calls have the same item', () => {
	const items = [1, 2].map(() => keysOf(givenContext(''), CHARGE).item);
	expect(new Set(items).size).toBe(2);
});

test('a lock adds entries for this minute and the last, and for this ten-day period and the three before', async () => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-03-01T12:00:00Z'));
	const stored = new Set<string>();
	const store: LockStore = {
		exclusively: async (task) => await task(),
		add: async (entries) => {
			for (const entry of entries) stored.add(entry);
			return undefined;
		},
		remove: async () => undefined,
	};
	await ChargeLock.acquire(store, 'LOCK');
	jest.restoreAllMocks();
	const token = expect.stringMatching(/^LOCK:[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
	expect([...stored]).toEqual([
		'LOCK:minute29539440',
		'LOCK:minute29539439',
		token,
		'LOCK:tenDays2051',
		'LOCK:tenDays2050',
		'LOCK:tenDays2049',
		'LOCK:tenDays2048',
		token,
	]);
});
