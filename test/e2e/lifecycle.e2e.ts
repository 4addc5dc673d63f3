import { eventReporter } from './eventReporter';
import { addCredential } from './gatewayWorkflows';
import type { Testbed } from './testbed';
import { startTestbed, until } from './testbed';

/** What people do to a workflow while payments go on: none of it repeats or swallows an event. */

describe.each([
	'the default engine',
	'durable cursors',
	'the scheduler without durable cursors',
] as const)('with %s', (engine) => {
	let testbed: Testbed;

	beforeAll(async () => {
		testbed = await startTestbed({ engine });
	});

	afterAll(async () => await testbed?.close());

	test('publishing again, restarting, switching off and on fires each event once', async () => {
		const { sandbox, api, inbox, instance } = testbed;
		const paid: string[] = [];
		const pay = () => {
			const reference = `LIFE-${paid.length + 1}`;
			const link = sandbox.addPaylink({ referenceID: reference, pricing: { amount: 1999 } });
			paid.push(sandbox.pay(link.payLinkID).eventID);
		};
		const told = (event: string) => inbox.alerts.filter((alert) => alert === event).length;
		const allTold = async () =>
			await until(`${paid.length} events`, () => paid.every((event) => told(event) > 0));
		const polled = async () => {
			const before = sandbox.requestsTo('webhookEvents').length;
			await until('a poll', () => sandbox.requestsTo('webhookEvents').length > before);
		};

		const credential = await addCredential(api, sandbox);
		const { id } = await api.addWorkflow(eventReporter(credential, inbox.url));
		await api.activate(id);
		await polled();
		pay();
		await allTold();

		pay();
		const { nodes, connections, versionId } = await api.workflow(id);
		const renamed = { name: 'Watcher, published again', nodes, connections, versionId };
		await api.send('PATCH', `workflows/${id}`, renamed);
		await api.activate(id);
		pay();
		await allTold();

		pay();
		await instance.stop();
		pay();
		await instance.restart();
		pay();
		await allTold();

		await api.deactivate(id);
		pay();
		await api.activate(id);
		pay();
		await allTold();

		// Two more polls would show what fires twice.
		await polled();
		await polled();
		process.stderr.write(`${engine}: ${paid.length} payments, ${inbox.alerts.length} executions\n`);
		expect(paid.map(told)).toEqual(paid.map(() => 1));
		expect(inbox.alerts).toHaveLength(paid.length);
	});
});
