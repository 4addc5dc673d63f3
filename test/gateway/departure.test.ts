import { sleep } from 'n8n-workflow';

import { leaveTogether } from '../../nodes/PaymentsGateway/gateway/departure';

test('requests that come within a moment of each other leave in one go', async () => {
	const left: string[] = [];
	const leave = async (name: string) => {
		await leaveTogether();
		left.push(name);
	};
	void leave('a');
	await Promise.resolve();
	void leave('b');
	expect(left).toEqual([]);
	await sleep(20);
	expect(left).toEqual(['a', 'b']);
	await leave('c');
	expect(left).toEqual(['a', 'b', 'c']);
});
