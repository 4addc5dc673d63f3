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

/** With this inbox, short waits, and the workflow's name on what it sends. */
function adapted({ type, parameters }: StoredNode, workflow: string, inbox: string) {
	const { url, fromEmail, unit, amount } = parameters;
	return {
		...parameters,
		...(url === SLACK && {
			url: `${inbox}/slack?${String(new URLSearchParams({ from: workflow }))}`,
		}),
		...(fromEmail !== undefined && { fromEmail: `"${workflow}" <${String(fromEmail)}>` }),
		...(type === 'n8n-nodes-base.wait' &&
			unit === 'days' && { unit: 'seconds', amount: Number(amount) * SECONDS_PER_DAY }),
	};
}

/** As they are to be used with this inbox; in the order of their numbers. */
export function readExamples(inbox: string): StoredWorkflow[] {
	const files = readdirSync(WORKFLOWS).sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
	return files.map((file) => {
		const text = readFileSync(join(WORKFLOWS, file), 'utf8');
		const { name, nodes, connections, settings = {} }: StoredWorkflow = JSON.parse(text);
		const own = nodes.map((node) => ({ ...node, parameters: adapted(node, name, inbox) }));
		return { name, nodes: own, connections, settings };
	});
}

/**
 * Adds them with the credentials that they need; answers in the order of their numbers. The last one
 * is added first, because n8n lists what is newest first.
 */
export async function addExamples(
	api: N8nApi,
	{ sandbox, inbox, model }: Surroundings,
	isActive: (example: StoredWorkflow) => boolean = () => false,
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
	for (const example of readExamples(inbox.url).reverse()) {
		for (const { credentials = {} } of example.nodes) {
			for (const [type, credential] of Object.entries(credentials)) {
				credential.id = ids[type] ?? credential.id;
			}
		}
		const id = await api.addWorkflow(example);
		if (isActive(example)) await api.activate(id);
		added.unshift({ id, name: example.name });
	}
	return added;
}
