import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackage } from './packed';
import { run } from './provision';
import { addCredential, filledOperations, workflowOf } from './gatewayWorkflows';
import { itemsOf } from './n8nApi';
import type { Testbed } from './testbed';
import { startTestbed, tarballIn, until } from './testbed';
import { eventReporter } from './eventReporter';

/** An update of the package: saved workflows and an active trigger go on as they did. */

const EARLIER = '0.0.1';
/** Cannot be done twice to the same customer. */
const ONCE = ['customer delete', 'paymentMethod delete'];

let folder: string;
let current: string;
let testbed: Testbed;

/** There is no release before this one: the same code under a lower version. */
async function packEarlier(): Promise<string> {
	const unpacked = join(folder, 'earlier');
	await mkdir(unpacked, { recursive: true });
	await run('tar', ['-xzf', current, '-C', unpacked]);
	const file = join(unpacked, 'package', 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify({ ...manifest, version: EARLIER }, null, 2));
	const tarball = join(folder, `earlier-${EARLIER}.tgz`);
	await run('tar', ['-czf', tarball, '-C', unpacked, 'package']);
	return tarball;
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'n8n-e2e-upgrade-'));
	current = await tarballIn(folder);
	testbed = await startTestbed({ tarball: await packEarlier() });
});

afterAll(async () => {
	await testbed?.close();
	await rm(folder, { recursive: true, force: true });
});

async function installedVersion(): Promise<string> {
	const { dependencies } = JSON.parse(
		await readFile(join(testbed.instance.userFolder, '.n8n/nodes/package.json'), 'utf8'),
	);
	return String(Object.values(dependencies)[0]);
}

test('what was saved with the version before runs with this one', async () => {
	const { api, sandbox, inbox, instance } = testbed;
	const credential = await addCredential(api, sandbox);
	const saved: Array<{ name: string; id: string }> = [];
	for (const { resource, operation, parameters } of filledOperations(sandbox)) {
		const name = `${resource} ${operation}`;
		if (ONCE.includes(name)) continue;
		const workflow = workflowOf(name, { resource, operation, ...parameters }, credential);
		const { id } = await api.addWorkflow(workflow);
		saved.push({ name, id });
	}
	const { id: watching } = await api.addWorkflow(
		eventReporter(credential, inbox.url, {
			field: 'referenceID',
			pollTimes: [{ mode: 'everyMinute' }],
		}),
	);

	const fieldsOfEach = async () => {
		const fields: Record<string, string[]> = {};
		for (const { name, id } of saved) {
			const execution = await api.execute(id);
			expect({ name, ...execution }).toMatchObject({ name, status: 'success' });
			const [first] = itemsOf(execution, 'Payments Gateway');
			fields[name] = Object.keys(Object(first)).sort();
		}
		return fields;
	};

	expect(await installedVersion()).toBe(EARLIER);
	const before = await fieldsOfEach();
	const charges = sandbox.charges.length;
	await api.activate(watching);
	await until('the first poll', () => sandbox.requestsTo('webhookEvents').length > 0);
	sandbox.addEvent({ referenceID: 'BEFORE' });
	await until('the event before', () => inbox.alerts.includes('BEFORE'));

	await instance.stop();
	sandbox.addEvent({ referenceID: 'MEANWHILE' });
	await installPackage(current, instance.userFolder);
	expect(await installedVersion()).not.toBe(EARLIER);
	await instance.restart();

	await until('the event of meanwhile', () => inbox.alerts.includes('MEANWHILE'));
	expect(inbox.alerts).toEqual(['BEFORE', 'MEANWHILE']);
	const after = await fieldsOfEach();
	// The cart has been paid, and the newest event is another one.
	for (const name of ['payment commit', 'webhookEvent getAll']) {
		expect(after[name]).toEqual(
			expect.arrayContaining([name === 'payment commit' ? 'charged' : 'eventID']),
		);
		delete after[name];
		delete before[name];
	}
	expect(after).toEqual(before);
	expect(sandbox.charges).toHaveLength(charges);
	process.stderr.write(`upgrade: ${saved.length} workflows and an active trigger went on\n`);
});
