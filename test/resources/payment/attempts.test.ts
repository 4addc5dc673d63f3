import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { attemptsOf } from '../../../nodes/PaymentsGateway/resources/payment/attempts';

/** What an execution remembers of its charges; the rest is tested by charging. */

interface Execution {
	flow: IDataObject;
	nodes: Record<string, IDataObject>;
}

function attemptsIn(execution: Execution, name: string, item = 0, run = 0) {
	const told = {
		getNode: () => ({ name }),
		getContext: (type: string) =>
			type === 'flow' ? execution.flow : (execution.nodes[name] ??= {}),
	};
	return attemptsOf(told as unknown as IExecuteFunctions, 'scope', item, run);
}

const charged = {
	state: 'charged',
	transactionID: 'txn_1',
	status: 'CAPTURED',
	computedTotal: 1,
} as const;

test('a second node of the execution knows what the first has sent', () => {
	const execution: Execution = { flow: {}, nodes: {} };
	attemptsIn(execution, 'Charge').note(['data:a', 'reference:R'], { state: 'sent' });
	const second = attemptsIn(execution, 'Charge Again');
	expect(second.earlier(['data:b', 'reference:R'])).toEqual({
		note: { state: 'sent' },
		isRetry: false,
	});
	second.forget(['reference:R']);
	expect(second.earlier(['reference:R'])).toBeUndefined();
});

test('only the same item of the same run of the same node is a retry', () => {
	const execution: Execution = { flow: {}, nodes: {} };
	attemptsIn(execution, 'Charge', 1, 2).note(['data:a'], charged);
	const isRetry = (name: string, item: number, run: number) =>
		attemptsIn(execution, name, item, run).earlier(['data:a'])?.isRetry;
	expect(isRetry('Charge', 1, 2)).toBe(true);
	expect([isRetry('Charge', 2, 1), isRetry('Charge', 1, 0), isRetry('Other', 1, 2)]).toEqual([
		false,
		false,
		false,
	]);
});

test('an execution that is loaded again knows the attempt', () => {
	const execution: Execution = { flow: {}, nodes: {} };
	attemptsIn(execution, 'Charge').note(['data:a', 'reference:R'], charged);
	const stored: Execution = JSON.parse(JSON.stringify(execution));
	expect(JSON.stringify(stored)).not.toMatch(/data:a|reference|"R"/);
	expect(attemptsIn(stored, 'Charge').earlier(['data:a'])).toEqual({
		note: charged,
		isRetry: true,
	});
});

test('each call without any context is another one', () => {
	const told = {
		getNode: () => ({ name: 'Tool' }),
		getContext: () => {
			throw new Error('`executionData` is not initialized');
		},
	};
	const call = () => attemptsOf(told as unknown as IExecuteFunctions, 'scope', 0, 0);
	call().note(['data:a'], charged);
	expect(call().earlier(['data:a'])).toBeUndefined();
	expect(call().here).not.toBe(call().here);
});

test('a charge takes as long to note when thousands are noted', () => {
	const execution: Execution = { flow: {}, nodes: {} };
	const attempts = attemptsIn(execution, 'Charge');
	const timeOf = (from: number, count: number) => {
		const started = performance.now();
		for (let index = from; index < from + count; index++) {
			attempts.note([`data:${index}`, `reference:${index}`], { state: 'sent' });
		}
		return performance.now() - started;
	};
	timeOf(0, 500);
	const early = timeOf(500, 1_000);
	timeOf(1_500, 20_000);
	// Copying all of them took some twenty times as long here.
	expect(timeOf(21_500, 1_000)).toBeLessThan(5 * early + 50);
});
