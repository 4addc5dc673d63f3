import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventReporter, filledOperations, NAME, workflowOf } from './gatewayWorkflows';
import { itemsOf } from './n8nApi';
import { installPackage, pack } from './packed';
import { run } from './provision';
import { Testbed, use } from './testbed';
import { until } from './until';

/** An update of the package: saved workflows and an active trigger go on as they did. */

const EARLIER = '0.0.1';

const testbed = use(new Testbed({ pack: packEarlier }));
let current: string;

/** There is no release before this one: the same code under a lower version. */
async function packEarlier(folder: string): Promise<string> {
	current = await pack(folder);
	await run('tar', ['-xzf', current, '-C', folder]);
	const file = join(folder, 'package', 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify({ ...manifest, version: EARLIER }, null, 2));
	const tarball = join(folder, 'earlier.tgz');
	await run('tar', ['-czf', tarball, '-C', folder, 'package']);
	return tarball;
}

async function installedVersion(): Promise<unknown> {
	const file = join(testbed.instance.userFolder, '.n8n/nodes/package.json');
	const { dependencies } = JSON.parse(await readFile(file, 'utf8'));
	return Object.values(dependencies)[0];
}

test('what was saved with the version before runs with this one', async () => {
	const { api, sandbox, inbox, instance, credential } = testbed;
	const saved: Array<[name: string, id: string]> = [];
	for (const { name, parameters } of filledOperations(sandbox)) {
		saved.push([name, await api.addWorkflow(workflowOf(name, parameters, credential))]);
	}
	const charges = sandbox.charges.length;
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const watching = await api.addWorkflow(eventReporter(credential, inbox.url, { pollTimes }));
	await testbed.activateAndPoll(watching);
	const told = [testbed.pay()];
	await until('the event before', () => inbox.alerts.length > 0);

	expect(await installedVersion()).toBe(EARLIER);
	await instance.stop();
	told.push(testbed.pay());
	await installPackage(current, instance.userFolder);
	expect(await installedVersion()).not.toBe(EARLIER);
	await instance.restart();

	await until('the event of meanwhile', () => inbox.alerts.length > 1);
	expect(inbox.alerts).toEqual(told);
	for (const [name, id] of saved) {
		const execution = await api.execute(id);
		expect([name, execution.status]).toEqual([name, 'success']);
		expect([name, itemsOf(execution, NAME).length > 0]).toEqual([name, true]);
	}
	// Those two payments on a page, and one by the node.
	expect(sandbox.charges).toHaveLength(charges + told.length + 1);
});
