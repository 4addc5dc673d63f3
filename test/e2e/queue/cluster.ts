import { readFile } from 'node:fs/promises';
import type { Instance } from '../instance';
import type { StoredWorkflow } from '../n8nApi';
import { FINISHED } from '../n8nApi';
import type { Testbed } from '../testbed';
import { startTestbed, until } from '../testbed';
import { composed } from './compose';
import type { Stores } from './stores';
import { startStores } from './stores';

/**
 * Starts n8n in queue mode as deploy/compose.yml has it: the testbed's n8n is the main, and workers,
 * Redis and PostgreSQL come with it.
 */

export interface Worker extends Instance {
	/** The executions that it has taken on, by its own word. */
	begun(): Promise<number[]>;
	/** Those among them that it has not ended. */
	running(): Promise<number[]>;
}

export interface ExecutionRow {
	id: number;
	status: string;
	/** `trigger`, `webhook`, `retry`, … */
	mode: string;
}

export interface Cluster extends Testbed {
	readonly stores: Stores;
	addWorker(name: string): Promise<Worker>;
	/** Stored and active; answers the ID. */
	addWorkflow(workflow: StoredWorkflow): Promise<string>;
	/** To a workflow's webhook, which answers at once and leaves the work to a worker. */
	post(path: string, body: object): Promise<void>;
	/** The oldest first. */
	executions(workflow: string): Promise<ExecutionRow[]>;
	/** Posts all at once and waits until an execution for each has ended. */
	run(workflow: string, path: string, bodies: readonly object[]): Promise<ExecutionRow[]>;
}

const DONE_WITHIN = 900_000;

/** Executions that a worker runs at once. n8n warns of fewer. */
export const CONCURRENCY = 5;

export function isOver(executions: readonly ExecutionRow[]): boolean {
	return executions.every(({ status }) => FINISHED.has(status));
}

/** How many of the executions each worker has run. */
export async function spreadOver(
	workers: readonly Worker[],
	executions: readonly ExecutionRow[],
): Promise<number[]> {
	const begun = await Promise.all(workers.map(async (worker) => await worker.begun()));
	return begun.map((ids) => executions.filter(({ id }) => ids.includes(id)).length);
}

/** Such as "3 success, 1 error". */
export function countsOf(values: readonly string[]): string {
	const each = [...new Set(values)].map(
		(value) => `${values.filter((other) => other === value).length} ${value}`,
	);
	return each.join(', ') || 'none';
}

/** Each cart by its reference. */
export function timesCharged({ sandbox }: Cluster, references: readonly string[]): string[] {
	const charged = sandbox.charges.map(({ referenceID }) => referenceID);
	return references.map((reference) => {
		const times = charged.filter((each) => each === reference).length;
		return ['not at all', 'once'][times] ?? 'twice';
	});
}

/** What those executions say that did not succeed. */
export async function wordsOf({ api }: Cluster, executions: readonly ExecutionRow[]) {
	const failed = executions.filter(({ status }) => status !== 'success');
	const words = failed.map(async ({ id }) => {
		const { error } = await api.execution(String(id));
		return (error?.message ?? 'no error').replaceAll(/[A-Z]+-\d+/g, '…');
	});
	return countsOf(await Promise.all(words));
}

async function executionsIn(logFile: string, what: 'started' | 'finished'): Promise<number[]> {
	const log = await readFile(logFile, 'utf8');
	const pattern = new RegExp(`Worker ${what} execution (\\d+)`, 'g');
	return [...log.matchAll(pattern)].map(([, id]) => Number(id));
}

async function start(stores: Stores): Promise<Cluster> {
	const env = {
		...(await composed({ N8N_ENCRYPTION_KEY: 'only-for-the-sandbox', POSTGRES_PASSWORD: 'any' })),
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(stores.redisPort),
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(stores.postgresPort),
	};
	const testbed = await startTestbed({ env, seed: false });
	const { api, instance: main } = testbed;
	const executions: Cluster['executions'] = async (workflow) =>
		await stores.query(
			`select id, status, mode from execution_entity
			 where "workflowId" = '${workflow}' order by id`,
		);
	const post: Cluster['post'] = async (path, body) => {
		const answer = await fetch(`${main.url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		const words = await answer.text();
		if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${words}`);
	};
	return {
		...testbed,
		stores,
		executions,
		post,
		async addWorker(name) {
			const instance = await testbed.start(name, { worker: { concurrency: CONCURRENCY } });
			const { logFile } = instance;
			const begun = async () => await executionsIn(logFile, 'started');
			return {
				...instance,
				begun,
				async running() {
					const ended = await executionsIn(logFile, 'finished');
					return (await begun()).filter((id) => !ended.includes(id));
				},
			};
		},
		async addWorkflow(workflow) {
			const { id } = await api.addWorkflow(workflow);
			await api.activate(id);
			return id;
		},
		async run(workflow, path, bodies) {
			const before = (await executions(workflow)).length;
			await Promise.all(bodies.map(async (body) => await post(path, body)));
			return await until(
				`${bodies.length} executions`,
				async () => {
					const rows = (await executions(workflow)).slice(before);
					return rows.length >= bodies.length && isOver(rows) && rows;
				},
				{ within: DONE_WITHIN, every: 500 },
			);
		},
		async close() {
			await testbed.close();
			await stores.close();
		},
	};
}

export async function startCluster(): Promise<Cluster> {
	const stores = await startStores();
	return await start(stores).catch(async (error: unknown) => {
		await stores.close();
		throw error;
	});
}
