import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { OWNER } from './instance';

/**
 * Talks to n8n's REST API, the one that its editor uses, logged in as the owner. Stores credentials
 * and workflows, switches and runs them, and reads what their executions brought.
 */

export interface StoredNode {
	id?: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
	onError?: string;
	[setting: string]: unknown;
}

export interface StoredWorkflow {
	id?: string;
	name: string;
	nodes: StoredNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

interface NodeRun {
	error?: { message: string; description?: string | null };
	data?: { main?: Array<Array<{ json: Record<string, unknown> }> | null> };
}

export interface Execution {
	id: string;
	status: string;
	mode: string;
	/** By the name of the node, one entry for each time it ran. */
	runs: Record<string, NodeRun[]>;
	error?: { message: string; description?: string | null };
}

/** n8n stores run data "flatted": a list in which every object, list and text is kept once. */
function unflatten(text: string): unknown {
	const kept: unknown[] = JSON.parse(text);
	const done = new Map<number, unknown>();
	const value = (entry: unknown): unknown =>
		typeof entry === 'string' ? at(Number(entry)) : entry;
	function at(index: number): unknown {
		if (done.has(index)) return done.get(index);
		const entry = kept[index];
		if (typeof entry !== 'object' || entry === null) return entry;
		const copy: Record<string, unknown> | unknown[] = Array.isArray(entry) ? [] : {};
		done.set(index, copy);
		for (const [key, inner] of Object.entries(entry)) Reflect.set(copy, key, value(inner));
		return copy;
	}
	return at(0);
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
		try {
			await api.send('POST', 'login', { emailOrLdapLoginId: email, password });
		} catch (refused) {
			// An n8n that does not take its owner from the environment yet; this logs in as well.
			const owner = { email, password, firstName, lastName };
			await api.send('POST', 'owner/setup', owner).catch(() => {
				throw refused;
			});
		}
		return api;
	}

	/** Any request to /rest, for what this class has no name for; answers its `data`. */
	async send<T>(method: string, path: string, body?: unknown): Promise<T> {
		const answer = await fetch(`${this.url}/rest/${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': this.browserId,
				// A connection that is kept may be closed by n8n just as it is used again.
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

	/** All nodes that the editor offers, named with their package. */
	async nodeTypes(): Promise<Array<{ name: string }>> {
		return await this.send('GET', '../types/nodes.json');
	}

	/** Answers the ID. */
	async addCredential(name: string, type: string, data: object): Promise<string> {
		const { id } = await this.send<{ id: string }>('POST', 'credentials', { name, type, data });
		return id;
	}

	/** What the form's test says about these values; n8n 1 asks for a stored credential's ID. */
	async testCredential(type: string, data: object, id: string): Promise<{ status: string }> {
		const credentials = { id, name: 'test', type, data };
		return await this.send('POST', 'credentials/test', { credentials });
	}

	/** Answers the workflow as stored, with its ID and `versionId`. */
	async addWorkflow(workflow: StoredWorkflow): Promise<StoredWorkflow & { id: string }> {
		const nodes = workflow.nodes.map((node) => ({ id: randomUUID(), ...node }));
		return await this.send('POST', 'workflows', {
			settings: {},
			// n8n 1 requires this field.
			active: false,
			// Stored without, n8n's editor fails at every second "Execute step".
			pinData: {},
			...workflow,
			nodes,
		});
	}

	async workflow(id: string): Promise<StoredWorkflow & { id: string; versionId: string }> {
		return await this.send('GET', `workflows/${id}`);
	}

	/** Publishes the workflow and waits until n8n says that its triggers are on. */
	async activate(id: string): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.switch(id, true, { versionId });
		for (let tries = 0; tries < 120; tries++) {
			const status = await this.send<{ status?: string }>(
				'GET',
				`workflows/${id}/publication-status`,
			).catch(() => ({ status: 'published' }));
			if (status.status === undefined || status.status === 'published') return;
			await wait(250);
		}
		throw new Error(`Workflow ${id} does not become active`);
	}

	async deactivate(id: string): Promise<void> {
		await this.switch(id, false, {});
	}

	private async switch(id: string, active: boolean, version: { versionId?: string }) {
		try {
			await this.send('POST', `workflows/${id}/${active ? 'activate' : 'deactivate'}`, version);
		} catch (refused) {
			if (!String(refused).includes('n8n answered 404')) throw refused;
			// An older n8n has no such paths; there it is a field of the stored workflow.
			const { versionId } = await this.workflow(id);
			await this.send('PATCH', `workflows/${id}`, { active, versionId });
		}
	}

	/** Runs a workflow as "Execute workflow" does and waits for its end. */
	async execute(id: string, trigger?: string): Promise<Execution> {
		const workflow = await this.workflow(id);
		const first = workflow.nodes.find(({ type }) => /trigger$/i.test(type));
		const name = trigger ?? first?.name;
		if (name === undefined) throw new Error(`Workflow ${id} has no trigger to start from`);
		const { executionId } = await this.send<{ executionId: string }>(
			'POST',
			`workflows/${id}/run`,
			// n8n 1 runs the workflow that it is sent, n8n 2 the one that it has.
			{ workflowData: workflow, triggerToStartFrom: { name } },
		);
		return await this.finished(executionId);
	}

	/** The newest first. */
	async executions(workflowId: string): Promise<Array<{ id: string; status: string }>> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.send<{ results: Array<{ id: string; status: string }> }>(
			'GET',
			`executions?filter=${filter}&limit=100`,
		);
		return results;
	}

	async execution(id: string): Promise<Execution> {
		const { status, mode, data } = await this.send<{ status: string; mode: string; data: string }>(
			'GET',
			`executions/${id}`,
		);
		const { resultData } = ((data ? unflatten(data) : undefined) ?? {}) as {
			resultData?: { runData?: Execution['runs']; error?: Execution['error'] };
		};
		const { runData: runs = {}, error } = resultData ?? {};
		return { id, status, mode, runs, ...(error === undefined ? {} : { error }) };
	}

	async finished(id: string, within = 60_000): Promise<Execution> {
		let ended = 0;
		for (const until = Date.now() + within; Date.now() < until;) {
			const execution = await this.execution(id);
			if (FINISHED.has(execution.status)) ended++;
			// n8n 1 stores that an execution has ended a moment before its results.
			if (ended > 0 && (Object.keys(execution.runs).length > 0 || ended > 10)) return execution;
			await wait(150);
		}
		throw new Error(`Execution ${id} is not finished after ${within / 1000} s`);
	}
}

/** The items that a node's first run sent out, by output. */
export function itemsOf(execution: Execution, node: string, output = 0): unknown[] {
	return (execution.runs[node]?.[0]?.data?.main?.[output] ?? []).map(({ json }) => json);
}
