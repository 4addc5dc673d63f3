import type { Run } from '../../nodes/PaymentsGateway/gateway/client';
import { clientOf } from '../../nodes/PaymentsGateway/gateway/client';
import type { Context } from '../../nodes/PaymentsGateway/gateway/connection';
import { connectionOf } from '../../nodes/PaymentsGateway/gateway/connection';
import { leaveTogether } from '../../nodes/PaymentsGateway/gateway/departure';
import { boundOf } from '../../nodes/PaymentsGateway/gateway/gate';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

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

test.each([true, false])(
	'a run that is over sends nothing that was to leave (%s)',
	async (isOver) => {
		const stopping = new AbortController();
		let places = 0;
		const run: Run = {
			// A request that leaves fails for want of n8n's helper.
			context: { getNode: () => ({ parameters: {} }) } as unknown as Context,
			bound: boundOf(),
			gateOf: () => ({
				enter: async () => {
					places += 1;
					if (isOver) queueMicrotask(() => stopping.abort());
					return { isAlone: false, done: () => (places -= 1) };
				},
				heldFor: () => 0,
				limit: () => 5,
			}),
			deadline: Infinity,
			cancelled: undefined,
			ended: stopping.signal,
			mask: createMask([]),
		};
		const client = clientOf(run, connectionOf({}));
		const result = await client.attempt('addCustomer', { form: {} });
		expect(result).toMatchObject({
			error: {
				message: isOver ? 'The execution was canceled' : 'The service could not be reached',
			},
			refused: isOver,
		});
		expect(places).toBe(0);
	},
);
