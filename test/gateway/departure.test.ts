import { leaveTogether } from '../../nodes/PaymentsGateway/gateway/departure';
import { useNode } from '../useNode';

const { sandbox, run } = useNode();

test('requests that are ready within a millisecond leave in the same turn', async () => {
	const left: string[] = [];
	const leave = async (name: string) => {
		await leaveTogether();
		left.push(name);
	};
	const first = leave('first').then(() => [...left]);
	await Promise.resolve();
	const second = leave('second');
	expect(left).toEqual([]);
	await Promise.all([first, second]);
	expect(left).toEqual(['first', 'second']);
	await leave('later');
	expect(left).toEqual(['first', 'second', 'later']);
});

test('a run that was stopped sends nothing that was still to leave', async () => {
	const ids = sandbox.addCustomers(4).map(({ id }) => id);
	const { error } = await run(
		{
			resource: 'customer',
			operation: 'get',
			customerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		},
		{ items: ['', ...ids].map((id) => ({ id })) },
	);
	expect(error?.message).toBe('"Customer" is empty [item 0]');
	// One that is alone leaves at once; the others were to leave together, after it.
	expect(sandbox.requests.length).toBeLessThan(2);
});
