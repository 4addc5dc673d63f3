import { setImmediate as nextTurn } from 'node:timers/promises';

import { createKeyedMutex } from '../../nodes/PaymentsGateway/gateway/keyedMutex';

/** Starts tasks that run until they are ended, and records which of them have begun. */
function givenTasks() {
	const mutex = createKeyedMutex();
	const begun: string[] = [];
	const ends = new Map<string, (error?: Error) => void>();
	return {
		begun,
		start: (name: string, keys: readonly string[]) =>
			mutex.run(keys, async () => {
				begun.push(name);
				await new Promise<void>((resolve, reject) => {
					ends.set(name, (error) => (error ? reject(error) : resolve()));
				});
				return name;
			}),
		end: async (name: string, error?: Error) => {
			ends.get(name)?.(error);
			await nextTurn();
		},
	};
}

test('tasks that share a key run one after another, in the order in which they came', async () => {
	const { begun, start, end } = givenTasks();
	const results = Promise.all([start('A', ['1']), start('B', ['1']), start('C', ['1'])]);
	await nextTurn();
	expect(begun).toEqual(['A']);
	await end('A');
	expect(begun).toEqual(['A', 'B']);
	await end('B');
	await end('C');
	expect(await results).toEqual(['A', 'B', 'C']);
});

test('tasks without a common key run simultaneously; a task waits for all of its keys, and two that list them the other way round both end', async () => {
	const { begun, start, end } = givenTasks();
	const results = Promise.all([
		start('A', ['1']),
		start('B', ['2']),
		start('C', ['1', '2']),
		start('D', ['2', '1']),
	]);
	await nextTurn();
	expect(begun).toEqual(['A', 'B']);
	await end('A');
	expect(begun).toEqual(['A', 'B']);
	await end('B');
	expect(begun).toEqual(['A', 'B', 'C']);
	await end('C');
	expect(begun).toEqual(['A', 'B', 'C', 'D']);
	await end('D');
	await results;
});

test('a task that fails lets the next one run', async () => {
	const { begun, start, end } = givenTasks();
	const failed = start('A', ['1']).catch((error: Error) => error.message);
	const next = start('B', ['1']);
	await nextTurn();
	await end('A', new Error('Failed'));
	expect(await failed).toBe('Failed');
	expect(begun).toEqual(['A', 'B']);
	await end('B');
	await next;
});
