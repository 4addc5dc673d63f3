import type { NodeParameters } from './gatewayWorkflows';
import { EVERY_ENGINE } from './instance';
import { startForTests, Testbed } from './testbed';
import { until } from './until';

/** Events fire once while a person renames, republishes, restarts or reactivates the workflow. */

const BACKLOG = 50;

describe.each(EVERY_ENGINE)('with %s', (engine) => {
	const testbed = startForTests(new Testbed({ engine }));
	/** The events of both tests. */
	const paid: string[] = [];
	let workflow: string;

	function pay(count = 1): void {
		for (let n = 0; n < count; n++) paid.push(testbed.pay().eventID);
	}

	async function activate(parameters: NodeParameters = {}): Promise<void> {
		workflow = await testbed.addEventReporter(parameters);
		await testbed.api.activate(workflow);
	}

	/** Gives the workflow or one of its nodes another name, and publishes it again. */
	async function rename(from: string, to: string): Promise<void> {
		const { api } = testbed;
		const stored = JSON.stringify(await api.workflow(workflow)).replaceAll(`"${from}"`, `"${to}"`);
		const { name, nodes, connections, versionId } = JSON.parse(stored);
		await api.send('PATCH', `workflows/${workflow}`, { name, nodes, connections, versionId });
		await api.activate(workflow);
	}

	test('each event fires once through renaming, republishing, restarting and reactivating', async () => {
		const { api, instance } = testbed;
		const steps = [
			async () => await rename('Payments', 'Renamed'),
			async () => await rename('Renamed', 'Renamed Twice'),
			async () => await rename('Event Reporter', 'Renamed Workflow'),
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
		await activate();
		await testbed.waitForEventRequests();
		for (const step of steps) {
			pay();
			await step();
			pay();
			await testbed.waitForEvents(paid);
		}
		await testbed.expectFiredOnce(workflow, paid);
	});

	test('each event fires once when the trigger is renamed in the middle of a backlog', async () => {
		const { inbox } = testbed;
		await activate({ options: { maxEventsPerPoll: 15 } });
		pay();
		await testbed.waitForEvents(paid);
		const before = inbox.alerts.length;
		pay(BACKLOG);
		await until('the first of the backlog', () => inbox.alerts.length > before);
		await rename('Payments', 'Renamed');
		await testbed.expectFiredOnce(workflow, paid);
	});
});
