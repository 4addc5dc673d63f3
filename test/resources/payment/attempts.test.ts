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
		helpers: {},
		logger: {},
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
	attemptsIn(execution, 'Charge').note(['data:a', 'reference:R'], { state: 'sent' }, 'R');
	const second = attemptsIn(execution, 'Charge Again');
	expect(second.earlier(['data:b', 'reference:R'])).toEqual({
		note: { state: 'sent' },
		isRetry: false,
		referenceID: 'R',
	});
	second.forget(['reference:R']);
	expect(second.earlier(['reference:R'])).toBeUndefined();
});

test('only the same item of the same run of the same node is a retry', () => {
	const execution: Execution = { flow: {}, nodes: {} };
	attemptsIn(execution, 'Charge', 1, 2).note(['data:a'], charged, '');
	const isRetry = (name: string, item: number, run: number) =>
		attemptsIn(execution, name, item, run).earlier(['data:a'])?.isRetry;
	expect(isRetry('Charge', 1, 2)).toBe(true);
	expect([isRetry('Charge', 2, 1), isRetry('Charge', 1, 0), isRetry('Other', 1, 2)]).toEqual([
		false,
		false,
		false,
	]);
});

test('an execution that is loaded again knows the attempt, and no reference', () => {
	const execution: Execution = { flow: {}, nodes: {} };
	attemptsIn(execution, 'Charge').note(['data:a', 'reference:R'], charged, 'R');
	const stored: Execution = JSON.parse(JSON.stringify(execution));
	expect(JSON.stringify(stored)).not.toMatch(/data:a|reference|"R"/);
	expect(attemptsIn(stored, 'Charge').earlier(['data:a'])).toEqual({
		note: charged,
		isRetry: true,
		referenceID: '',
	});
});

test('each call without any context is another one, and all of them are remembered', () => {
	const told = {
		getNode: () => ({ name: 'Tool' }),
		getContext: () => {
			throw new Error('`executionData` is not initialized');
		},
		helpers: {},
		logger: {},
	};
	const call = () => attemptsOf(told as unknown as IExecuteFunctions, 'scope', 0, 0);
	call().note(['data:a'], charged, 'R');
	expect(call().earlier(['data:a'])).toMatchObject({ note: charged, isRetry: false });
	expect(call().here).not.toBe(call().here);
});
