import { eventReporter, type Parameters } from './gatewayWorkflows';
import { EVERY_ENGINE } from './instance';
import type { Testbed } from './testbed';
import { say, startTestbed, until } from './testbed';

/** What people do to a workflow while payments go on: none of it repeats or swallows an event. */

const BACKLOG = 50;

describe.each(EVERY_ENGINE)('with %s', (engine) => {
	let testbed: Testbed;
	let workflow: string;
	let paid: string[];
	let first: number;

	beforeAll(async () => {
		testbed = await startTestbed({ engine });
	});

	afterAll(async () => await testbed?.close());

	beforeEach(() => {
		paid = [];
		first = testbed.inbox.alerts.length;
	});

	const told = () => testbed.inbox.alerts.slice(first);

	function pay(count = 1): void {
		for (let n = 0; n < count; n++) paid.push(testbed.pay());
	}

	async function activate(parameters: Parameters): Promise<void> {
		const { api, inbox } = testbed;
		const reporter = eventReporter(await testbed.credential(), inbox.url, parameters);
		({ id: workflow } = await api.addWorkflow(reporter));
		await api.activate(workflow);
	}

	/** With another name for the trigger, or for the workflow. */
	async function publish({ trigger, name }: { trigger?: string; name?: string }): Promise<void> {
		const { api } = testbed;
		const stored = await api.workflow(workflow);
		const { nodes, versionId } = stored;
		const [watching] = nodes;
		if (watching === undefined) throw new Error('The workflow has no trigger');
		const { [watching.name]: out } = stored.connections;
		watching.name = trigger ?? watching.name;
		const connections = { [watching.name]: out };
		const changed = { name: name ?? stored.name, nodes, connections, versionId };
		await api.send('PATCH', `workflows/${workflow}`, changed);
		await api.activate(workflow);
	}

	async function allTold(): Promise<void> {
		await until(`${paid.length} events`, () => paid.every((event) => told().includes(event)), {
			within: 300_000,
		});
	}

	async function expectEachOnce(): Promise<void> {
		await allTold();
		// Two more polls would show what fires twice.
		await testbed.polled();
		await testbed.polled();
		say(`${engine}: ${paid.length} payments, ${told().length} events told`);
		expect([...told()].sort()).toEqual([...paid].sort());
		await testbed.api.deactivate(workflow);
	}

	test('renaming, publishing again, restarting, switching off and on', async () => {
		const { api, instance } = testbed;
		const steps = [
			async () => await publish({ trigger: 'Before its first event' }),
			async () => await publish({ trigger: 'And after it' }),
			async () => await publish({ name: 'Published again' }),
			async () => {
				await instance.stop();
				pay();
				await instance.restart();
			},
			async () => {
				await api.deactivate(workflow);
				pay();
				await api.activate(workflow);
			},
		];
		await activate({});
		await testbed.polled();
		for (const step of steps) {
			pay();
			await step();
			pay();
			await allTold();
		}
		await expectEachOnce();
	});

	test('renaming the trigger in the middle of a backlog', async () => {
		await activate({ options: { maxEventsPerPoll: 15 } });
		pay();
		await allTold();
		pay(BACKLOG);
		await until('the first of the backlog', () => told().length > 1);
		await publish({ trigger: 'In the middle' });
		await expectEachOnce();
	});

	test('renaming the trigger after a start from a date', async () => {
		const startDate = testbed.sandbox.clock.now().toISOString();
		pay(10);
		await activate({ startFrom: 'date', startDate });
		await allTold();
		pay();
		await publish({ trigger: 'Since then' });
		pay();
		await expectEachOnce();
	});
});
