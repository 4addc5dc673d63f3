import { randomUUID } from 'node:crypto';
import { parse } from 'flatted';
import { OWNER } from './instance';
import { until } from './until';

/**
 * n8n's REST API, the one that its editor uses, logged in as the owner. Stores credentials and
 * workflows, activates and runs workflows, and reads their executions.
 */

export interface StoredNode {
	name: string;
	type: string;
	typeVersion: number;
	position: number[];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
	[setting: string]: unknown;
}

export interface StoredWorkflow {
	name: string;
	nodes: StoredNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

interface Run {
	error?: { message: string };
	data?: { main?: Array<Array<{ json: Record<string, unknown> }> | null> };
}

interface Summary {
	id: string;
	status: string;
}

/** The result of a run. */
export interface Execution extends Summary {
	/** By the node's name, one entry for each time it ran. */
	runs: Record<string, Run[]>;
	error: { message: string } | undefined;
}

/** The states of executions that have ended. */
export const FINISHED: ReadonlySet<string> = new Set(['success', 'error', 'crashed', 'canceled']);

export class N8nApi {
	private cookie = '';

	/** n8n ties a cookie to the browser that logged in. */
	private readonly browserId = randomUUID();

	private constructor(readonly url: string) {}

	static async logIn(url: string): Promise<N8nApi> {
		const api = new N8nApi(url);
		const { email, password, firstName, lastName } = OWNER;
		const owner = { email, password, firstName, lastName };
		// An older n8n does not take its owner from the environment; setting it up logs in as well.
		await api
			.send('POST', 'login', { emailOrLdapLoginId: email, password })
			.catch(async () => await api.send('POST', 'owner/setup', owner));
		return api;
	}

	/** Sends a request to /rest; returns the answer's data. */
	async send<T>(method: string, path: string, body?: unknown): Promise<T> {
		const answer = await fetch(`${this.url}/rest/${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': this.browserId,
				// n8n may close a kept-alive connection just as it is used again.
				connection: 'close',
				...(this.cookie === '' ? {} : { cookie: this.cookie }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
		if (cookies.length > 0) this.cookie = cookies.join('; ');
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path}: n8n answered ${answer.status}: ${text}`);
		const parsed = text === '' ? {} : JSON.parse(text);
		return (parsed.data ?? parsed) as T;
	}

	/** Returns the ID of the credential with this name, and adds it if there is none. */
	async ensureCredential(name: string, type: string, data: object): Promise<string> {
		type Stored = { id: string; name: string; type: string };
		const stored = await this.send<Stored[]>('GET', 'credentials');
		const known = stored.find((each) => each.name === name && each.type === type);
		if (known) return known.id;
		return (await this.send<Stored>('POST', 'credentials', { name, type, data })).id;
	}

	/** Adds a workflow, which may be a changed one of n8n. Returns the ID. */
	async addWorkflow(workflow: StoredWorkflow): Promise<string> {
		const { name, nodes, connections, settings = {} } = workflow;
		const { id } = await this.send<{ id: string }>('POST', 'workflows', {
			name,
			nodes: nodes.map((node) => ({ id: randomUUID(), ...node })),
			connections,
			settings,
			// n8n 1 requires this field.
			active: false,
			// Without this field, every second "Execute step" fails in n8n's editor.
			pinData: {},
		});
		return id;
	}

	/** The IDs of all workflows except archived ones: deleting in the editor archives first. */
	async workflowIds(): Promise<string[]> {
		type Stored = { id: string; isArchived?: boolean };
		const stored = await this.send<Stored[]>('GET', 'workflows');
		return stored.filter(({ isArchived }) => isArchived !== true).map(({ id }) => id);
	}

	async workflow(id: string): Promise<StoredWorkflow & { id: string; versionId: string }> {
		return await this.send('GET', `workflows/${id}`);
	}

	/** Publishes the workflow and waits until n8n reports that its triggers are active. */
	async activate(id: string): Promise<void> {
		await this.setActive(id, true);
		const isPublished = async () => {
			const path = `workflows/${id}/publication-status`;
			// An older n8n has no such path, and activates workflows immediately.
			const answer = await this.send<{ status?: string }>('GET', path).catch(() => undefined);
			return (answer?.status ?? 'published') === 'published';
		};
		await until(`workflow ${id} to become active`, isPublished, { within: 30_000, every: 250 });
	}

	async deactivate(id: string): Promise<void> {
		await this.setActive(id, false);
	}

	private async setActive(id: string, active: boolean): Promise<void> {
		const { versionId } = await this.workflow(id);
		const path = `workflows/${id}/${active ? 'activate' : 'deactivate'}`;
		await this.send('POST', path, active ? { versionId } : {}).catch(async (refused: unknown) => {
			if (!String(refused).includes('n8n answered 404')) throw refused;
			// An older n8n has no such paths, but a field of the stored workflow.
			await this.send('PATCH', `workflows/${id}`, { active, versionId });
		});
	}

	/** Runs a workflow as "Execute workflow" does and waits for its end. */
	async execute(id: string, trigger?: string): Promise<Execution> {
		const workflow = await this.workflow(id);
		const name = trigger ?? workflow.nodes.find(({ type }) => /trigger$/i.test(type))?.name;
		const { executionId } = await this.send<{ executionId: string }>(
			'POST',
			`workflows/${id}/run`,
			// n8n 1 runs the workflow in the request, n8n 2 the stored one.
			{ workflowData: workflow, triggerToStartFrom: { name } },
		);
		let ended = 0;
		const finished = async () => {
			const execution = await this.execution(executionId);
			if (FINISHED.has(execution.status)) ended++;
			// n8n 1 stores the status of an execution a moment before its results.
			const isComplete = Object.keys(execution.runs).length > 0 || ended > 10;
			return ended > 0 && isComplete && execution;
		};
		const patience = { within: 60_000, every: 150 };
		return await until(`execution ${executionId} to finish`, finished, patience);
	}

	/** The newest first. */
	async executions(workflowId: string): Promise<Summary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `executions?filter=${filter}&limit=100`;
		return (await this.send<{ results: Summary[] }>('GET', path)).results;
	}

	private async execution(id: string): Promise<Execution> {
		const stored = await this.send<{ status: string; data: string }>('GET', `executions/${id}`);
		// n8n stores the data "flatted": a list in which each object and text occurs once.
		const { resultData = {} } = Object(stored.data && parse(stored.data));
		const { runData: runs = {}, error } = resultData;
		return { id, status: stored.status, runs, error };
	}
}

/** The items that a node's first run sent to its first output. */
export function itemsOf(execution: Execution, node: string): unknown[] {
	return (execution.runs[node]?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json);
}
