import { eventReporter, type Parameters } from './gatewayWorkflows';
import { EVERY_ENGINE } from './instance';
import { say, Testbed, use } from './testbed';
import { until } from './until';

/** What people do to a workflow while payments go on: none of it repeats or swallows an event. */

const BACKLOG = 50;

describe.each(EVERY_ENGINE)('with %s', (engine) => {
	const testbed = use(new Testbed({ engine }));
	let workflow: string;
	let paid: string[];
	let first: number;

	beforeEach(() => {
		paid = [];
		first = testbed.inbox.alerts.length;
	});

	const told = () => testbed.inbox.alerts.slice(first);

	function pay(count = 1): void {
		for (let n = 0; n < count; n++) paid.push(testbed.pay());
	}

	async function activate(parameters: Parameters): Promise<void> {
		const { api, inbox, credential } = testbed;
		workflow = await api.addWorkflow(eventReporter(credential, inbox.url, parameters));
		await api.activate(workflow);
	}

	/** Gives the workflow or one of its nodes another name, and publishes it again. */
	async function rename(from: string, to: string): Promise<void> {
		const { api } = testbed;
		const stored = JSON.stringify(await api.workflow(workflow)).replaceAll(`"${from}"`, `"${to}"`);
		const { name, nodes, connections, versionId } = JSON.parse(stored);
		await api.send('PATCH', `workflows/${workflow}`, { name, nodes, connections, versionId });
		await api.activate(workflow);
	}

	async function allTold(): Promise<void> {
		const isTold = () => paid.every((event) => told().includes(event));
		await until(`${paid.length} events`, isTold, { within: 300_000 });
	}

	async function expectEachOnce(): Promise<void> {
		await allTold();
		// Two more polls would show what fires twice.
		await testbed.polled(2);
		say(`${engine}: ${paid.length} payments, ${told().length} events told`);
		expect([...told()].sort()).toEqual([...paid].sort());
		await testbed.api.deactivate(workflow);
	}

	test('renaming, publishing again, restarting, switching off and on', async () => {
		const { api, instance } = testbed;
		const steps = [
			async () => await rename('Payments', 'Before its first event'),
			async () => await rename('Before its first event', 'And after it'),
			async () => await rename('Event Reporter', 'Published again'),
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
		await rename('Payments', 'In the middle');
		await expectEachOnce();
	});
});
