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

/** Counts the reads and writes of an object, of what is in it, and its listings by all they list. */
function counting(count: (times: number) => void): IDataObject {
	const handler: ProxyHandler<IDataObject> = {
		get(target, name) {
			count(1);
			const value: unknown = Reflect.get(target, name);
			return typeof value === 'object' && value !== null ? new Proxy(value, handler) : value;
		},
		set(target, name, value) {
			count(1);
			return Reflect.set(target, name, value);
		},
		ownKeys(target) {
			const keys = Reflect.ownKeys(target);
			count(keys.length);
			return keys;
		},
	};
	return new Proxy({}, handler);
}

test('a charge takes as much work to note when thousands are noted', () => {
	let work = 0;
	const count = (times: number) => (work += times);
	const execution: Execution = { flow: counting(count), nodes: { Charge: counting(count) } };
	const attempts = attemptsIn(execution, 'Charge');
	const workOf = (from: number, to: number) => {
		work = 0;
		for (let index = from; index < to; index++) {
			const names = [`data:${index}`, `reference:${index}`];
			attempts.earlier(names);
			attempts.note(names, { state: 'sent' });
		}
		return work;
	};
	const early = workOf(0, 100);
	expect(early).toBeGreaterThan(100);
	workOf(100, 4_000);
	expect(workOf(4_000, 4_100)).toBe(early);
});
