import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { N8nApi, StoredNode, StoredWorkflow } from '../e2e/n8nApi';
import type { Sandbox } from '../sandbox';
import { nodeCredentials } from '../sandbox';
import type { Inbox } from './inbox';

/** The example workflows of `workflows/`, made to work on this machine. */

const WORKFLOWS = resolve(__dirname, '../../workflows');
/** Where the example workflows send alerts to, until somebody puts their own address there. */
const SLACK = 'https://hooks.slack.com/services/REPLACE/ME';
/** Nobody who tries an example waits days for its second email. */
const SECONDS_PER_DAY = 20;

export interface Surroundings {
	sandbox: Sandbox;
	inbox: Inbox;
	/** Where the agent's chat model listens. */
	model: string;
}

function withoutDays({ type, parameters }: StoredNode): StoredNode['parameters'] {
	if (type !== 'n8n-nodes-base.wait' || parameters.unit !== 'days') return parameters;
	return { ...parameters, amount: Number(parameters.amount) * SECONDS_PER_DAY, unit: 'seconds' };
}

/** As in the repository, but with this inbox and short waits; in the order of their numbers. */
export function readExamples(inbox: string): StoredWorkflow[] {
	const files = readdirSync(WORKFLOWS).sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
	return files.map((file) => {
		const text = readFileSync(join(WORKFLOWS, file), 'utf8').replaceAll(SLACK, `${inbox}/slack`);
		const { name, nodes, connections, settings = {} }: StoredWorkflow = JSON.parse(text);
		const shortened = nodes.map((node) => ({ ...node, parameters: withoutDays(node) }));
		return { name, nodes: shortened, connections, settings };
	});
}

/** With the credentials that they need; in the order of their numbers, none of them active. */
export async function addExamples(
	api: N8nApi,
	{ sandbox, inbox, model }: Surroundings,
): Promise<Array<{ id: string; name: string }>> {
	const address = { host: '127.0.0.1', port: inbox.smtp, secure: false, disableStartTls: true };
	const ids: Record<string, string> = {};
	for (const [name, type, data] of [
		['Payments Gateway', 'paymentsGatewayApi', nodeCredentials(sandbox)],
		['Mail', 'smtp', { ...address, user: 'demo', password: 'demo' }],
		['Chat model', 'openAiApi', { apiKey: 'none-on-loopback', url: model }],
	] as const) {
		ids[type] = await api.addCredential(`${name} (demo)`, type, data);
	}
	const added = [];
	for (const example of readExamples(inbox.url)) {
		for (const { credentials = {} } of example.nodes) {
			for (const [type, credential] of Object.entries(credentials)) {
				credential.id = ids[type] ?? credential.id;
			}
		}
		added.push({ id: await api.addWorkflow(example), name: example.name });
	}
	return added;
}
