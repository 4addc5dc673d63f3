import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { StoredNode, StoredWorkflow } from '../e2e/n8nApi';
import type { Testbed } from '../e2e/testbed';

/** The example workflows of `workflows/`, made to work on this machine. */

const WORKFLOWS = resolve(__dirname, '../../workflows');
/** The address for alerts in the example workflows, which users replace. */
const SLACK = 'https://hooks.slack.com/services/REPLACE/ME';
/** In the demo, a day of waiting takes this long. */
const SECONDS_PER_DAY = 20;

export interface Example {
	/** The number at the start of its file's name. */
	number: number;
	id: string;
	name: string;
}

/** Parameters with this inbox, short waits, and the workflow's name on its emails and alerts. */
function adapted({ type, parameters }: StoredNode, workflow: string, inbox: string) {
	const { url, fromEmail, unit, amount } = parameters;
	return {
		...parameters,
		...(url === SLACK && { url: `${inbox}/?${new URLSearchParams({ from: workflow })}` }),
		...(fromEmail !== undefined && { fromEmail: `"${workflow}" <${String(fromEmail)}>` }),
		...(type === 'n8n-nodes-base.wait' &&
			unit === 'days' && { unit: 'seconds', amount: Number(amount) * SECONDS_PER_DAY }),
	};
}

/** The IDs of the credentials for the sandbox, the inbox and the chat model, by type. */
export async function credentialsOf({ api, inbox, credentialId }: Testbed, modelUrl: string) {
	const account = {
		host: '127.0.0.1',
		port: inbox.smtp,
		secure: false,
		disableStartTls: true,
		user: 'demo',
		password: 'demo',
	};
	const chat = { apiKey: 'none-on-loopback', url: modelUrl };
	return {
		paymentsGatewayApi: credentialId,
		smtp: await api.ensureCredential('Mail', 'smtp', account),
		openAiApi: await api.ensureCredential('Chat model', 'openAiApi', chat),
	};
}

/**
 * Adds the examples that were not added before, with the credentials that they need. Returns all
 * examples in n8n, in the order of their numbers.
 */
export async function addExamples(
	testbed: Testbed,
	modelUrl: string,
	isActive: (example: StoredWorkflow) => boolean = () => false,
): Promise<Example[]> {
	const { api, inbox, folder } = testbed;
	const list = join(folder, 'examples.json');
	/** Those that were added before, by file. The user may have deleted some since. */
	const added: Record<string, string> = JSON.parse(await readFile(list, 'utf8').catch(() => '{}'));
	const present = new Set(await api.workflowIds());
	const credentials: Record<string, string> = await credentialsOf(testbed, modelUrl);
	const examples: Example[] = [];
	const files = readdirSync(WORKFLOWS).sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
	// The last one is added first, because n8n lists the newest first.
	for (const file of files.reverse()) {
		const example: StoredWorkflow = JSON.parse(readFileSync(join(WORKFLOWS, file), 'utf8'));
		const { name, nodes, connections, settings = {} } = example;
		const number = parseInt(file, 10);
		const known = added[file];
		if (known !== undefined) {
			if (present.has(known)) examples.unshift({ number, id: known, name });
			continue;
		}
		for (const node of nodes) {
			node.parameters = adapted(node, name, inbox.url);
			for (const [type, given] of Object.entries(node.credentials ?? {})) {
				given.id = credentials[type] ?? given.id;
			}
		}
		const id = await api.addWorkflow({ name, nodes, connections, settings });
		if (isActive(example)) await api.activate(id);
		// Written after each one: an interrupted start re-adds one example at most.
		await writeFile(list, JSON.stringify(Object.assign(added, { [file]: id })));
		examples.unshift({ number, id, name });
	}
	return examples;
}
