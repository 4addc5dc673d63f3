import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventReporter, filledOperations, NAME, workflowOf } from './gatewayWorkflows';
import { itemsOf } from './n8nApi';
import { installPackage, pack } from './packed';
import { run } from './provision';
import { say, Testbed, use } from './testbed';
import { until } from './until';

/** An update of the package: saved workflows and an active trigger go on as they did. */

const EARLIER = '0.0.1';
/** Cannot be done twice to the same customer. */
const ONCE = ['customer delete', 'paymentMethod delete'];
/** The cart has been paid then, and the newest event is another one. */
const CHANGED = { 'payment commit': 'charged', 'webhookEvent getAll': 'eventID' };

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
	const saved = new Map<string, string>();
	for (const { name, parameters } of filledOperations(sandbox)) {
		if (ONCE.includes(name)) continue;
		saved.set(name, await api.addWorkflow(workflowOf(name, parameters, credential)));
	}
	const fieldsOfEach = async () => {
		const fields: Record<string, string[]> = {};
		for (const [name, id] of saved) {
			const execution = await api.execute(id);
			expect({ name, ...execution }).toMatchObject({ name, status: 'success' });
			fields[name] = Object.keys(Object(itemsOf(execution, NAME)[0])).sort();
		}
		return fields;
	};

	expect(await installedVersion()).toBe(EARLIER);
	const before = await fieldsOfEach();
	const charges = sandbox.charges.length;
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const watching = await api.addWorkflow(eventReporter(credential, inbox.url, { pollTimes }));
	await testbed.activateAndPoll(watching);
	const told = [testbed.pay()];
	await until('the event before', () => inbox.alerts.length > 0);

	await instance.stop();
	told.push(testbed.pay());
	await installPackage(current, instance.userFolder);
	expect(await installedVersion()).not.toBe(EARLIER);
	await instance.restart();

	await until('the event of meanwhile', () => inbox.alerts.length > 1);
	expect(inbox.alerts).toEqual(told);
	const after = await fieldsOfEach();
	for (const [name, field] of Object.entries(CHANGED)) {
		expect(after[name]).toContain(field);
		before[name] = after[name] ?? [];
	}
	expect(after).toEqual(before);
	// Those two payments on a page, and none by the node.
	expect(sandbox.charges).toHaveLength(charges + told.length);
	say(`upgrade: ${saved.size} workflows and an active trigger went on`);
});
